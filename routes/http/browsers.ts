import { createMiddleware } from "hono/factory";
import { Fault } from "../../core/base/faults.ts";
import { safeHeaders as safe } from "../../core/base/safe_headers.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Env } from "./env.ts";

/** Sets the security headers of every response. Pages of the service set a stricter policy. */
export const safeHeaders = createMiddleware<Env>(async (c, next) => {
  for (const [name, value] of Object.entries(safe)) c.header(name, value);
  await next();
});

/** Forbids browsers and proxies to cache responses: they may hold AuthTokens and Passwords. */
export const notStored = createMiddleware<Env>(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});

/**
 * Refuses changes by pages of other sites (cross-site request forgery): a browser adds the stored
 * credentials of this service to their requests (Fetch Metadata, RFC 6454). Programs send neither
 * header.
 */
export function ownSiteOnly({ settings }: Pick<Ports, "settings">) {
  return createMiddleware<Env>(async (c, next) => {
    const isChange = !["GET", "HEAD", "OPTIONS"].includes(c.req.method);
    const hasCredentials = /^Basic /i.test(c.req.header("Authorization") ?? "");
    if (isChange && hasCredentials && isForeign(c.req.raw, settings.baseUrl)) {
      throw new Fault("crossSite");
    }
    await next();
  });
}

/** True when a page of another origin sent the request. */
export function isForeign({ headers, url }: Request, baseUrl: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site === "cross-site") return true;
  if (site === "same-origin" || site === "none") return false;
  const origin = headers.get("Origin");
  return origin !== null && origin !== new URL(url).origin && origin !== new URL(baseUrl).origin;
}
