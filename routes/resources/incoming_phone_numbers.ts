import { type Context, Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { withApplicationNames } from "../../core/numbers/application_names.ts";
import { listNumbers } from "../../core/numbers/list_numbers.ts";
import { type NumberParameters, parametersOf } from "../../core/numbers/parameters.ts";
import { kindSegments, type NumberKind } from "../../core/model/values/phone_number.ts";
import { provisionNumber } from "../../core/numbers/provision.ts";
import { updateNumber } from "../../core/numbers/update_number.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Query } from "../../core/model/store.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers as definition,
} from "../../core/model/resources/incoming_phone_numbers.ts";
import { answer, type Forms } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

const shape = shapeOf(definition);

type NumberCtx = Context<Env, `/:sid{${string}}`>;

/** The numbers of an account: one list of all, and one of each of three kinds. */
export function incomingPhoneNumberRoutes(ports: Ports): Hono<Env> {
  const numbers = ports.records.incomingPhoneNumbers;
  const app = new Hono<Env>()
    .get("/", listed(ports))
    .post("/", provisioned(ports))
    .get("/:sid{PN\\w*}", async (c) => {
      const sid = c.req.param("sid");
      const number = await numbers.get(c.var.account.sid, sid);
      if (number === null) throw new Fault("notFound", sid);
      return await answerNumber(c, number, ports);
    })
    .on(["POST", "PUT"], "/:sid{PN\\w*}", updated(ports))
    .delete("/:sid{PN\\w*}", async (c) => {
      await numbers.remove(c.var.account.sid, c.req.param("sid"), definition.removed);
      return c.body(null, 204);
    });
  for (const [segment, kind] of Object.entries(kindSegments)) {
    app.get(`/${segment}`, listed(ports, { segment, kind }));
    app.post(`/${segment}`, provisioned(ports, kind));
  }
  return app;
}

const listed =
  (ports: Ports, of?: { segment: string; kind: NumberKind }) => (c: Ctx): Promise<Response> => {
    const accountSid = c.var.account.sid;
    const list = `${accountAddress(accountSid)}/${definition.path}`;
    const address = of === undefined ? list : `${list}/${of.segment}`;
    const kind = of === undefined ? {} : { kind: of.kind };
    const read = async (query: Query) => {
      const { items, total } = await listNumbers({ accountSid, ...kind }, query, ports);
      return { items: await withApplicationNames(items, ports), total };
    };
    return answerList(c, { definition, shape, address, isCounted: true, read }, ports);
  };

function provisioned(ports: Ports, kind?: NumberKind) {
  const parameters = parametersOf(kind === undefined ? "create" : "createOfKind");
  return making(ports, async (c: Ctx): Promise<Response> => {
    const sent = await readParams(c, parameters) as NumberParameters;
    const wanted = { accountSid: c.var.account.sid, sent, ...(kind && { kind }) };
    const { incomingPhoneNumbers: numbers } = ports.records;
    const shown = { forms: (number: IncomingPhoneNumber) => forms(number, ports) };
    const incomingPhoneNumbers = { ...numbers, ...keeping(c, numbers, shown, ports) };
    const records = { ...ports.records, incomingPhoneNumbers };
    return await answerNumber(c, await provisionNumber(wanted, { ...ports, records }), ports);
  });
}

function updated(ports: Ports) {
  const parameters = parametersOf("update");
  return async (c: NumberCtx): Promise<Response> => {
    const { accountSid: to, ...sent } = await readParams(c, parameters) as NumberParameters;
    const { caller, account } = c.var;
    const sid = c.req.param("sid");
    const number = await updateNumber({ caller, account, sid, sent, ...(to && { to }) }, ports);
    return await answerNumber(c, number, ports);
  };
}

async function answerNumber(c: Ctx, stored: IncomingPhoneNumber, ports: Ports): Promise<Response> {
  return answer(c, await forms(stored, ports));
}

async function forms(stored: IncomingPhoneNumber, ports: Ports): Promise<Forms> {
  const [number = stored] = await withApplicationNames([stored], ports);
  return shape.forms(number);
}
