import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { Fault } from "../core/faults.ts";
import type { Ports } from "../core/ports.ts";
import { liveCallDetails, metrics } from "../core/supervisor/metrics.ts";
import { answerJson } from "./answer.ts";
import type { Env } from "./env.ts";
import { formatOf } from "./format.ts";
import { warnUnknown } from "./params.ts";

/** What the operator sees of the running instance: for the root account only, in JSON only. */
export function supervisorRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .use(rootOnly, jsonOnly)
    .get("/metrics", async (c) => {
      const { LiveCallDetails: wanted = "false", ...others } = c.req.query();
      if (wanted !== "true" && wanted !== "false") {
        throw new Fault("badParameter", "LiveCallDetails must be one of true, false");
      }
      warnUnknown(c, Object.keys(others));
      return answerJson(c, await metrics(ports, wanted === "true"));
    })
    .get("/livecalls", async (c) => answerJson(c, await liveCallDetails(ports)));
}

const rootOnly = createMiddleware<Env>(async (c, next) => {
  if (c.var.account.ancestors.length > 0) {
    throw new Fault("denied", "The supervisor is of the root account only");
  }
  await next();
});

const jsonOnly = createMiddleware<Env>(async (c, next) => {
  if (formatOf(c.req.raw) !== "json") throw new Fault("notAcceptable");
  await next();
});
