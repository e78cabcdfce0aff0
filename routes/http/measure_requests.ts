import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { httpDuration, httpRequests } from "../../core/metrics/service_metrics.ts";
import type { Env } from "./env.ts";

/** Methods that are labels; any other one is `other`, since clients may send what they like. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts requests and their durations by route. */
export const measureRequests = createMiddleware<Env>(async (c, next) => {
  const startedAt = performance.now();
  await next();
  const method = methods.has(c.req.method) ? c.req.method : "other";
  const route = c.res.status === 404 && routePath(c, -1).endsWith("*") ? "none" : routePath(c, -1);
  httpRequests.inc({ method, route, status: c.res.status });
  httpDuration.observe({ method, route }, (performance.now() - startedAt) / 1_000);
});
