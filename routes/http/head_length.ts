import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

/**
 * Says in the answer to HEAD how long the body of GET would be (RFC 9110 §8.6): the server would
 * take an absent body for an empty one.
 */
export const headLength = createMiddleware<Env>(async (c, next) => {
  await next();
  if (c.req.method !== "HEAD") return; // Whoever looks at a body makes a stream of it, which is dear.
  if (c.res.body === null || c.res.headers.has("Content-Length")) return;
  const { byteLength } = await c.res.arrayBuffer();
  c.header("Content-Length", String(byteLength));
});
