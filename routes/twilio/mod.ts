import { Hono } from "hono";
import { z } from "zod";
import { shownTo } from "../../core/accounts/keyring.ts";
import type { Base } from "../../core/base/record.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import {
  envelopeOf,
  listNames,
  readPageQuery,
  windowOf,
} from "../../core/twilio/noun/list_query.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import { accounts } from "../../core/twilio/accounts.ts";
import { nouns } from "../../core/twilio/mod.ts";
import type {
  Action,
  AnyNoun,
  Asked,
  Listed,
  Parameters,
  State,
} from "../../core/twilio/noun/noun.ts";
import { answer, type Forms } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { formatOf } from "../http/format.ts";
import { answerTexts } from "../http/list_frame.ts";
import { keepingPorts, making } from "../http/make_once.ts";
import { queryOf, readParams, warnUnknown } from "../http/params.ts";
import { jsonFrame } from "../http/represent.ts";
import { requesterOf } from "../http/requester.ts";
import { writeInSlices } from "../http/slices.ts";
import { accountAddress, accountsAddress, jsonOf, xmlFrameOf, xmlOf } from "./represent.ts";

/**
 * The interface of Twilio's libraries below one account: the routes of each noun of `core/twilio/`.
 */
export function twilioRoutes(ports: Ports): Hono<Env> {
  const app = new Hono<Env>();
  for (const noun of nouns) {
    for (const path of [noun.path, ...noun.otherPaths ?? []]) mount(app, { noun, path, ports });
  }
  return app;
}

/** The same of accounts themselves. It comes first: an account can be activated again. */
export function twilioAccountRoutes(ports: Ports): Hono<Env> {
  const app = new Hono<Env>();
  mount(app, { noun: accounts, path: "", ports });
  return app.all("/:account", (c) => c.notFound());
}

interface Mounted {
  noun: AnyNoun;
  path: string;
  ports: Ports;
}

/** `Calls/{CallSid}/Recordings` as a route. */
const routeOf = (path: string): string => `/${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;

function mount(app: Hono<Env>, mounted: Mounted): void {
  const { noun, path } = mounted;
  const { create, fetch, update, remove, listed, isSingle } = noun;
  const all = routeOf(path);
  const one = isSingle ? all : noun.isAccount ? "/:account" : `${all}/:Sid`;
  if (listed !== undefined) app.get(all, (c) => answerList(c, mounted, listed));
  if (create !== undefined) {
    const make = performing(mounted, create, 201);
    app.post(all, noun.isFleeting ? make : making(mounted.ports, make));
  }
  if (fetch !== undefined) {
    app.get(one, async (c) => {
      const asked = askedOf(c, mounted);
      return answer(c, formsOf(mounted, await fetch(asked), asked));
    });
  }
  if (update !== undefined) app.on(["POST", "PUT"], one, performing(mounted, update, 200));
  if (remove !== undefined) {
    app.delete(one, async (c) => {
      await remove(askedOf(c, mounted));
      return c.body(null, 204);
    });
  }
}

function askedOf(c: Ctx, { noun, ports }: Mounted): Asked {
  const account = accountOf(c, noun);
  return {
    caller: c.var.caller,
    account,
    path: c.req.param() as Record<string, string>,
    requester: requesterOf(c, account.sid),
    ports,
  };
}

function accountOf(c: Ctx, { isAccount = false }: AnyNoun): Account {
  const { caller, account = caller, key } = c.var; // The list of accounts is below none.
  return isAccount ? shownTo(key, account) : account;
}

function performing(mounted: Mounted, action: Action, status: 200 | 201) {
  const { parameters, faults, perform, shown } = action;
  const shape = Object.entries(parameters).map(([name, { schema }]) => [name, schema]);
  const read = { schema: z.object(Object.fromEntries(shape)), ...faults && { faults } };
  return async (c: Ctx): Promise<Response> => {
    const given = await readParams(c, read);
    const sent = Object.fromEntries(
      Object.entries(given).filter(([name]) => parameters[name]?.state !== "ignored"),
    );
    warnIgnored(c, parameters, given);
    const asked = askedOf(c, mounted);
    const forms = (record: Base) => formsOf(mounted, record, asked);
    const keptForms = (made: Base) => forms(shown?.(made, asked, sent) ?? made);
    const ports = keepingPorts(c, mounted.ports, { forms: keptForms, status });
    return answer(c, forms(await perform({ ...asked, ports }, sent)), status);
  };
}

const withoutEffect: ReadonlySet<State> = new Set(["ignored", "informational"]);

/** Names each parameter that has no effect in the `Warning` header (RFC 7234 §5.5), and the reason. */
function warnIgnored(c: Ctx, parameters: Parameters, given: Record<string, unknown>): void {
  for (const [name, { state, note }] of Object.entries(parameters)) {
    if (!withoutEffect.has(state) || !given[name]) continue;
    c.header("Warning", `299 - "${name} has no effect: ${note}"`, { append: true });
  }
}

function formsOf({ noun }: Mounted, record: Base, asked: Asked): Forms {
  const json = () => jsonOf(noun, record, asked);
  return { json, xml: () => xmlOf(noun, json()) };
}

async function answerList(c: Ctx, mounted: Mounted, listed: Listed): Promise<Response> {
  const { noun, path } = mounted;
  const asked = askedOf(c, mounted);
  const { now, settings } = mounted.ports;
  const circumstances = { country: settings.trunks.country, now: now() };
  const query = readPageQuery(listed, queryOf(c), circumstances);
  warnUnknown(c, query.unknown, listNames(listed));
  const below = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => asked.path[name] ?? "");
  const suffix = formatOf(c.req.raw) === "json" ? ".json" : "";
  const list = noun.isAccount ? accountsAddress : `${accountAddress(asked.account.sid)}/${below}`;
  const address = list + suffix;
  const slice = await listed.read(asked, windowOf(query));
  const { sortedBy } = listed;
  const { items, envelope } = envelopeOf(slice, query, { address, sortedBy });
  const isJson = suffix !== "";
  const texts = await writeInSlices(items, (record) => {
    const json = jsonOf(noun, record, asked);
    return isJson ? JSON.stringify(json) : xmlOf(noun, json);
  });
  return answerTexts(c, texts, {
    json: () => jsonFrame(JSON.stringify(envelope).slice(0, -1), noun.plural),
    xml: () => xmlFrameOf(noun, envelope),
  });
}
