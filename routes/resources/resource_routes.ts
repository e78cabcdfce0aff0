import { type Context, Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyCollection } from "../../core/model/store.ts";
import {
  alteration,
  type AnyRecord,
  type AnyResource,
  creation,
  newBase,
  paramsSchema,
} from "../../core/model/resource.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, type Shape, shapeOf } from "../http/represent.ts";

/** The resource of regular operations, with its records and its shape. */
interface Regular {
  definition: AnyResource;
  shape: Shape;
  records: AnyCollection;
  /** The same as a request writes them. */
  written(c: Ctx): AnyCollection;
  ports: Ports;
}

/** Collections that store the author of each write. */
export interface Authored {
  records: AnyCollection;
  written(c: Ctx): AnyCollection;
}

type RecordCtx = Context<Env, "/:sid">;

/** The regular operations of a resource, as far as its declaration has them. */
export function resourceRoutes(
  definition: AnyResource,
  kept: AnyCollection | Authored,
  ports: Ports,
): Hono<Env> {
  const { create, update, removable } = definition;
  const authored = "written" in kept ? kept : { records: kept, written: () => kept };
  const of: Regular = { ...authored, definition, ports, shape: shapeOf(definition) };
  const app = new Hono<Env>().get("/", listed(of)).get("/:sid", read(of));
  if (create !== undefined) app.post("/", created(of, create));
  if (update !== undefined) app.on(["POST", "PUT"], "/:sid", updated(of, update));
  if (removable) app.delete("/:sid", removed(of));
  return app;
}

const listed = ({ definition, shape, records, ports }: Regular) => (c: Ctx) => {
  const { sid } = c.var.account;
  const address = `${accountAddress(sid)}/${definition.path}`;
  return answerList(c, { definition, shape, address, read: records.list.bind(null, sid) }, ports);
};

const read = (of: Regular) => async (c: RecordCtx) => {
  const sid = c.req.param("sid");
  const record = await of.records.get(c.var.account.sid, sid);
  if (record === null) throw new Fault("notFound", sid);
  return answerRecord(c, of, record);
};

function created(of: Regular, { required, optional }: NonNullable<AnyResource["create"]>) {
  const { definition, ports } = of;
  const parameters = { ...definition, schema: paramsSchema(definition.fields, required, optional) };
  return making(ports, async (c: Ctx) => {
    const accountSid = c.var.account.sid;
    const sent = await readParams(c, parameters);
    const change = creation(definition, sent, newBase(definition, accountSid, ports));
    const into = keeping<AnyRecord>(
      c,
      of.written(c),
      of.shape,
      ports,
    );
    return answerRecord(c, of, await into.insert(change));
  });
}

function updated(of: Regular, optional: NonNullable<AnyResource["update"]>) {
  const { definition, ports } = of;
  const parameters = { ...definition, schema: paramsSchema(definition.fields, [], optional) };
  return async (c: RecordCtx) => {
    const accountSid = c.var.account.sid;
    const sent = await readParams(c, parameters);
    const record = await of.written(c).update(
      accountSid,
      c.req.param("sid"),
      (before) => alteration(definition, before, { sent, now: ports.now() }),
    );
    return answerRecord(c, of, record);
  };
}

const removed = ({ definition, written }: Regular) => async (c: RecordCtx) => {
  await written(c).remove(c.var.account.sid, c.req.param("sid"), definition.removed);
  return c.body(null, 204);
};

const answerRecord = (c: Ctx, of: Regular, record: AnyRecord): Response =>
  answer(c, of.shape.forms(record));
