import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { checkPermission, isSameSecret } from "../core/accounts/access.ts";
import { Fault } from "../core/base/faults.ts";
import { forPrograms } from "../core/base/safe_headers.ts";
import { metricsResponse } from "../core/metrics/registry.ts";
import type { Ports } from "../core/model/ports/ports.ts";
import { authenticate, boundsOf } from "./http/authenticate.ts";
import type { Env } from "./http/env.ts";

/** Options of the metrics of the REST port. */
export interface MetricsOptions {
  /** Reads them as a Bearer token (RFC 6750); empty: none does. */
  token: string;
  /** Brings the gauges up to date. */
  refresh(): Promise<void>;
}

/**
 * `GET /metrics` in the text format of Prometheus, for the credentials of the root account or the
 * Bearer token.
 */
export function metrics({ token, refresh }: MetricsOptions, ports: Ports): Hono {
  const asRoot = authenticate(ports, boundsOf(ports, null));
  const admit = createMiddleware<Env>(async (c, next) => {
    const bearer = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
    if (token !== "" && bearer !== undefined && isSameSecret(bearer, token)) return await next();
    await asRoot(c, async () => {
      if (c.var.caller.ancestors.length > 0) {
        throw new Fault("denied", "Metrics need the credentials of the root account");
      }
      checkPermission(c.var.caller, "supervise");
      await next();
    });
  });
  const read = new Hono<Env>().get("/", admit, async () => {
    await refresh();
    return forPrograms(await metricsResponse());
  });
  return new Hono().route("/", read);
}
