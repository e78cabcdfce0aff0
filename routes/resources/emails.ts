import { Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyCollection, Query } from "../../core/model/store.ts";
import { type AnyRecord, creation, newBase, paramsSchema } from "../../core/model/resource.ts";
import { emailRecords, emails as definition } from "../../core/model/resources/emails.ts";
import { assertEmailSender } from "../../core/messages/email_sender.ts";
import { answer, type Forms } from "../http/answer.ts";
import { columnsOf } from "../http/columns.ts";
import type { Ctx, Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";
import { element } from "../http/xml.ts";

const columns = columnsOf(definition);
const { required = [], optional = [] } = definition.create ?? {};
const parameters = { ...definition, schema: paramsSchema(definition.fields, required, optional) };

const shape = shapeOf(emailRecords);

/** E-mail: sending, and the outcome of each without its text. */
export function emailRoutes(ports: Ports): Hono<Env> {
  const records: AnyCollection = ports.records.emails;
  const list = (c: Ctx): Promise<Response> => {
    const { sid } = c.var.account;
    const address = `${accountAddress(sid)}/${definition.path}`;
    const read = (query: Query) => records.list(sid, query);
    return answerList(c, { definition: emailRecords, shape, address, read }, ports);
  };
  return new Hono<Env>().get("/", list).get("/:sid{EM\\w*}", async (c) => {
    const sid = c.req.param("sid");
    const email = await records.get(c.var.account.sid, sid);
    if (email === null) throw new Fault("notFound", sid);
    return answer(c, shape.forms(email));
  }).post(
    "/",
    making(ports, async (c: Ctx) => {
      const sent = await readParams(c, parameters);
      if (ports.mailer === null) {
        throw new Fault("unavailable", "sending e-mail needs SMTP_URL to be configured");
      }
      await assertEmailSender(String(sent.from), c.var.account, ports);
      const change = creation(definition, sent, newBase(definition, c.var.account.sid, ports));
      return answer(c, forms(await keeping(c, records, { forms }, ports).insert(change)));
    }),
  );
}

const forms = (email: AnyRecord): Forms => ({
  json: () => Object.fromEntries(columns.map(({ key, field, json }) => [key, json(email[field])])),
  xml: () => element(definition.type, columns.map(({ field, xml }) => xml(email[field])).join("")),
});
