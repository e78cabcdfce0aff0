import { createMiddleware } from "hono/factory";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Env } from "./env.ts";

/**
 * Logs requests with their response: the part of them that LOG_REQUESTS says. The query is left out.
 */
export const logRequests = (
  { settings, log, steadyNow }: Pick<Ports, "settings" | "log" | "steadyNow">,
) =>
  createMiddleware<Env>(async (c, next) => {
    const startedAt = steadyNow();
    await next();
    const { status } = c.res;
    if (Math.random() >= settings.loggedRequests) return;
    log("Request", {
      level: status < 500 ? "info" : "error",
      method: c.req.method,
      path: c.req.path,
      status,
      durationMs: steadyNow() - startedAt,
      requestId: c.var.requestId,
      accountSid: c.var.account?.sid ?? c.var.caller?.sid,
    });
  });
