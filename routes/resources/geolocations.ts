import { type Context, Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { AnyCollection, Query } from "../../core/model/store.ts";
import { creation, newBase } from "../../core/model/resource.ts";
import {
  type Geolocation,
  geolocations as definition,
} from "../../core/model/resources/geolocations.ts";
import { parametersOf } from "../../core/messages/geolocation_parameters.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

export const geolocationShape = shapeOf(definition, (record) => {
  const { accountSid, geolocationType, sid } = record as Geolocation;
  return `${accountAddress(accountSid)}/Geolocation/${geolocationType}/${sid}`;
});

const answerRecord = (c: Ctx, record: Geolocation): Response =>
  answer(c, geolocationShape.forms(record));

/** Lookups of devices: each of the two types is created and read below its own path. */
export function geolocationRoutes(ports: Ports): Hono<Env> {
  const address = (accountSid: string) => `${accountAddress(accountSid)}/${definition.path}`;
  const app = new Hono<Env>()
    .get("/", (c) => {
      const { sid } = c.var.account;
      const read = (query: Query) => ports.records.geolocations.list(sid, query);
      const list = {
        definition,
        shape: geolocationShape,
        address: address(sid),
        isCounted: true,
        read,
      };
      return answerList(c, list, ports);
    })
    .get("/:sid{GL\\w*}", async (c) => {
      const sid = c.req.param("sid");
      const record = await ports.records.geolocations.get(c.var.account.sid, sid);
      if (record === null) throw new Fault("notFound", sid);
      return answerRecord(c, record);
    });
  for (const type of definition.fields.geolocationType.options) {
    app.post(`/${type}`, created(type, ports)).get(`/${type}/:sid`, read(type, ports));
  }
  return app;
}

type Type = Geolocation["geolocationType"];

const created = (geolocationType: Type, ports: Ports) =>
  making(ports, async (c: Ctx) => {
    const sent = await readParams(c, parametersOf(geolocationType));
    const base = newBase(definition, c.var.account.sid, ports);
    const change = creation(definition, { ...sent, geolocationType }, base);
    const records: AnyCollection = ports.records.geolocations;
    return answerRecord(c, await keeping(c, records, geolocationShape, ports).insert(change));
  });

const read = (type: Type, ports: Ports) => async (c: Context<Env, "/:sid">) => {
  const sid = c.req.param("sid");
  const geolocation = await ports.records.geolocations.get(c.var.account.sid, sid);
  if (geolocation?.geolocationType !== type) throw new Fault("notFound", sid);
  return answerRecord(c, geolocation);
};
