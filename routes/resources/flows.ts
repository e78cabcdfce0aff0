import { Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import { dryRun } from "../../core/designer/dry_run.ts";
import { keepingVersions } from "../../core/designer/versions.ts";
import { dryRunOf, type DryRunParams, dryRunParams } from "../../core/designer/parameters.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { answerJson } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { formatOf } from "../http/format.ts";
import { readParams } from "../http/params.ts";
import type { Authored } from "./resource_routes.ts";

/** Steps through a flow without a call, in JSON only; nothing is kept or sent. */
export function dryRunRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().post("/DryRuns", async (c) => {
    if (formatOf(c.req.raw) !== "json") throw new Fault("notAcceptable");
    // The schema has checked them.
    const sent = await readParams(c, { schema: dryRunParams });
    const wanted = dryRunOf(sent as DryRunParams);
    return answerJson(c, await dryRun(wanted, c.var.account, ports));
  });
}

/** Applications that keep each flow that is saved, with whose credentials saved it. */
export const authoredFlows = (ports: Ports): Authored => ({
  records: ports.records.applications,
  written: ({ var: { caller, key } }) =>
    keepingVersions(ports.records.applications, {
      sid: key?.sid ?? caller.sid,
      email: caller.emailAddress,
    }, ports),
});
