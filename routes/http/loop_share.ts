import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { siteOf } from "../../core/base/networks.ts";
import type { EndLoopWork, LoopShares, LoopWork } from "../../core/base/loop_work.ts";
import type { Ctx, Env } from "./env.ts";

/** Waits for the share of a request's tenant; at once, without a promise, where it has room. */
export function enterShare(
  c: Ctx,
  shares: LoopShares,
  whose: Omit<LoopWork, "kind">,
): EndLoopWork | Promise<EndLoopWork> {
  const route = routePath(c, -1);
  return shares.enter({ ...whose, kind: c.req.method === "GET" ? route : c.req.method + route });
}

/** Requests without credentials share by the network that they come from. */
export const unauthenticatedShare = (shares: LoopShares) =>
  createMiddleware<Env>(async (c, next) => {
    const { client = "" } = (c.env ?? {}) as Env["Bindings"];
    if (client === "") return await next(); // From within the process.
    const tenant = `network ${siteOf(client)}`;
    const leave = await enterShare(c, shares, { tenant, isAnonymous: true });
    try {
      await next();
    } finally {
      leave();
    }
  });
