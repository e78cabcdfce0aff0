import { createMiddleware } from "hono/factory";
import type { Ports } from "../../core/model/ports/ports.ts";
import { refuseWhileUnwritable } from "../../core/model/ports/writable.ts";
import type { Env } from "./env.ts";

/**
 * Refuses POST and PUT with 503 while the store cannot write, before they order or buy something
 * outside that could not be recorded. DELETE is tried: it may free space.
 */
export const whileWritable = (ports: Pick<Ports, "store">) =>
  createMiddleware<Env>(async (c, next) => {
    if (["POST", "PUT"].includes(c.req.method)) refuseWhileUnwritable(ports);
    await next();
  });
