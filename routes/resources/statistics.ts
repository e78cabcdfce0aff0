import { Hono } from "hono";
import type { Ports } from "../../core/model/ports/ports.ts";
import { statistics } from "../../core/model/resources/views/statistics.ts";
import {
  statisticsOf,
  statisticsParameters,
  type StatisticsWanted,
} from "../../core/supervisor/statistics.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { readQuery } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";

const shape = shapeOf(
  statistics,
  ({ accountSid }) => `${accountAddress(accountSid)}/${statistics.path}`,
);

/** State of the calls, Clients, Gateways and callbacks of an account. */
export function statisticsRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().get("/", async (c) => {
    const wanted = readQuery(c, statisticsParameters) as StatisticsWanted;
    const found = await statisticsOf(c.var.account.sid, wanted, ports);
    return answer(c, shape.forms(found));
  });
}
