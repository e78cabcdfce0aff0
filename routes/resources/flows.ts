import { Hono } from "hono";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { createTenantGate } from "../../core/accounts/tenant_gate.ts";
import { Fault } from "../../core/base/faults.ts";
import { dryRun } from "../../core/trials/dry_run.ts";
import { keepingVersions } from "../../core/trials/flow_versions.ts";
import { dryRunOf, type DryRunParams, dryRunParams } from "../../core/trials/dry_run_parameters.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { answerJson } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { formatOf } from "../http/format.ts";
import { readParams } from "../http/params.ts";
import type { Authored } from "./resource_routes.ts";

/** Dry runs of flows, in JSON only, few of a tenant at once; nothing is stored or sent. */
export function dryRunRoutes(ports: Ports): Hono<Env> {
  const { pass } = createTenantGate({
    what: "dry runs",
    most: 16,
    ofTenant: 4,
    waiting: 64,
    waitMs: 15_000,
  });
  return new Hono<Env>().post("/DryRuns", async (c) => {
    if (formatOf(c.req.raw) !== "json") throw new Fault("notAcceptable");
    // The schema has checked them.
    const sent = await readParams(c, { schema: dryRunParams });
    const wanted = dryRunOf(sent as DryRunParams);
    const { account, caller } = c.var;
    return answerJson(c, await pass(tenantOf(caller), () => dryRun(wanted, account, ports)));
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
