import { Hono } from "hono";
import { checkMessage } from "../../core/messages/check_message.ts";
import { reserved } from "../../core/messages/reserve.ts";
import { scheduled } from "../../core/messages/schedule.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyCollection } from "../../core/model/store.ts";
import { creation, newBase, paramsSchema } from "../../core/model/resource.ts";
import { type Message, messages as definition } from "../../core/model/resources/messages.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { shapeOf } from "../http/represent.ts";

const shape = shapeOf(definition);
const { required = [], optional = [] } = definition.create ?? {};
const parameters = { ...definition, schema: paramsSchema(definition.fields, required, optional) };

/**
 * The operation of Messages beyond the regular ones: a new Message is checked against the store.
 */
export function messageRoutes(ports: Ports): Hono<Env> {
  const records: AnyCollection = ports.records.messages;
  return new Hono<Env>().post(
    "/",
    making(ports, async (c: Ctx) => {
      const { account } = c.var;
      const sent = await readParams(c, parameters);
      const ends = await checkMessage(sent as Pick<Message, "from" | "to">, account, ports);
      const body = String(sent.body);
      const price = reserved({ to: ends.to, body }, ports);
      const change = creation(
        definition,
        {
          ...sent,
          ...ends,
          ...price,
          ...scheduled(sent.sendAt as number | undefined, ports.now()),
        },
        newBase(definition, account.sid, ports),
      );
      return answer(
        c,
        shape.forms(await keeping(c, records, shape, ports).insert(change)),
      );
    }),
  );
}
