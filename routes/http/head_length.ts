import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

/**
 * Sets Content-Length in the response to HEAD to the length of GET's body (RFC 9110 §8.6). Without
 * it the server sends 0.
 */
export const headLength = createMiddleware<Env>(async (c, next) => {
  await next();
  if (c.req.method !== "HEAD") return; // Reading `body` makes a stream, which costs time.
  if (c.res.body === null || c.res.headers.has("Content-Length")) return;
  let length = 0;
  for await (const piece of c.res.body) length += piece.byteLength;
  c.header("Content-Length", String(length));
});
