import { createMiddleware } from "hono/factory";
import { withOrigin } from "../../core/base/origin.ts";
import type { Env } from "./env.ts";

/**
 * Gives every request an id for its response, the log and what comes of the request: the client's, or
 * a new one.
 */
export const requestId = createMiddleware<Env>(async (c, next) => {
  const sent = c.req.header("X-Request-Id") ?? "";
  const id = /^[A-Za-z0-9._-]{8,64}$/.test(sent) ? sent : crypto.randomUUID();
  c.set("requestId", id);
  c.header("X-Request-Id", id);
  await withOrigin({ requestId: id }, next);
});
