import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

/** Names every request in its answer and in the log; a client's own name is kept when it is safe. */
export const requestId = createMiddleware<Env>(async (c, next) => {
  const sent = c.req.header("X-Request-Id") ?? "";
  const id = /^[A-Za-z0-9._-]{8,64}$/.test(sent) ? sent : crypto.randomUUID();
  c.set("requestId", id);
  c.header("X-Request-Id", id);
  await next();
});
