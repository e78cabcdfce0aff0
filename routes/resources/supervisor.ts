import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { checkPermission } from "../../core/accounts/access.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import {
  liveCallDetails,
  liveCallsQuery,
  metrics,
  metricsQuery,
} from "../../core/supervisor/metrics.ts";
import {
  jobs,
  type JobsParams,
  jobsParams,
  jobsQuery,
  retryJob,
} from "../../core/supervisor/jobs.ts";
import { importInventory, inventoryParams } from "../../core/supervisor/import_inventory.ts";
import {
  companionsQuery,
  companionStates,
  configuration,
  configurationQuery,
} from "../../core/supervisor/machine.ts";
import { storeQuery, storeStatistics } from "../../core/supervisor/store.ts";
import { answerJson } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { formatOf } from "../http/format.ts";
import { readParams, readQuery } from "../http/params.ts";

/**
 * Metrics, live calls, jobs, companions, configuration and store of the running instance, for the
 * root account only and in JSON only.
 */
export function supervisorRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .use(rootOnly, jsonOnly)
    .get("/metrics", async (c) => {
      const { liveCallDetails: wanted } = readQuery(c, { schema: metricsQuery });
      return answerJson(c, await metrics(ports, wanted === true));
    })
    .get("/livecalls", async (c) => {
      readQuery(c, { schema: liveCallsQuery });
      return answerJson(c, await liveCallDetails(ports));
    })
    .get("/jobs", async (c) => {
      readQuery(c, { schema: jobsQuery });
      return answerJson(c, await jobs(ports));
    })
    .get("/store", async (c) => {
      readQuery(c, { schema: storeQuery });
      return answerJson(c, await storeStatistics(ports));
    })
    .get("/companions", async (c) => {
      readQuery(c, { schema: companionsQuery });
      return answerJson(c, await companionStates(ports));
    })
    .get("/configuration", (c) => {
      readQuery(c, { schema: configurationQuery });
      return answerJson(c, configuration(ports));
    })
    .post("/numbers", async (c) => {
      const { numbers } = await readParams(c, { schema: inventoryParams });
      return answerJson(c, await importInventory({ numbers: String(numbers) }, ports));
    })
    .post("/jobs", async (c) => {
      const wanted = await readParams(c, { schema: jobsParams });
      return answerJson(c, await retryJob(wanted as JobsParams, ports));
    });
}

const rootOnly = createMiddleware<Env>(async (c, next) => {
  if (c.var.account.ancestors.length > 0) {
    throw new Fault("denied", "Supervisor resources need the credentials of the root account");
  }
  checkPermission(c.var.caller, "supervise");
  await next();
});

const jsonOnly = createMiddleware<Env>(async (c, next) => {
  if (formatOf(c.req.raw) !== "json") throw new Fault("notAcceptable");
  await next();
});
