import type { Step } from "../../../core/protocol/script.ts";
import type { Address } from "../../../core/model/values/address.ts";
import type { Routing } from "../../../core/calls/route.ts";
import { compile, type Compiled } from "../../../core/documents/compile.ts";
import { type Element, parseDocument } from "../../../core/markup/parse.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import { type Call, calls } from "../../../core/model/resources/calls.ts";

export const outbound = { direction: "outbound-api", status: "in-progress" } as const;
export const inbound = { direction: "inbound", status: "ringing" } as const;

/** The script of verbs, when every callee can be called. */
export const compiled = (body: string, known: Partial<Call> = outbound): Promise<Compiled> =>
  compiledDocument(parseDocument(`<Response>${body}</Response>`), known);

export function compiledDocument(
  document: readonly Element[],
  known: Partial<Call>,
): Promise<Compiled> {
  let made = 0;
  const base = { sid: "CA1", accountSid: "AC1", dateCreated: 0, dateUpdated: 0 };
  const call = {
    ...base,
    ...withDefaults(calls, { from: "+15550001", to: "x", ...known }),
  } as Call;
  return compile(document, {
    call,
    documentUrl: "https://app.test/voice/start?x=1",
    route: (address, { from, credentials }) =>
      Promise.resolve(routed(address, { from, ...credentials && { credentials } })),
    unroutable() {},
    hops: 1,
    newSid: (prefix) => prefix + String(++made).padStart(32, "0"),
  });
}

function routed(
  address: Address,
  { from, credentials }: { from: string; credentials?: { userName: string; password: string } },
): Routing {
  const rateMicros = 0;
  if (address.kind === "number") {
    const { dialled } = address;
    return { target: { kind: "trunk", dialled, routes: [] }, to: dialled, from, rateMicros };
  }
  const login = address.kind === "client" ? address.login : address.user;
  if (credentials !== undefined) {
    const route = { gatewaySid: null, proxy: "p.test", publicOnly: false, credentials };
    return {
      target: { kind: "trunk", dialled: login, routes: [route] },
      to: login,
      from,
      rateMicros,
    };
  }
  return { target: { kind: "client", login }, to: `client:${login}`, from, rateMicros };
}

/** The first step of a type in a script. */
export function stepOf<T extends Step["type"]>(
  { script }: Compiled,
  type: T,
): Extract<Step, { type: T }> {
  const step = script.find((one) => one.type === type);
  if (step === undefined) throw new Error(`There is no ${type} in ${JSON.stringify(script)}`);
  return step as Extract<Step, { type: T }>;
}
