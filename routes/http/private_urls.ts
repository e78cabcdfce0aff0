import { createMiddleware } from "hono/factory";
import { isAddress, isPublicAddress } from "../../core/base/public_address.ts";
import { limits } from "../../core/base/limits.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Env } from "./env.ts";

/** The names of parameters that are URLs which the service will request. */
const isFetched = (name: string): boolean =>
  /^\w{1,40}$/.test(name) && /(?:Url|Callback)$/.test(name);

/**
 * Names each URL in the body that the service will refuse to request in the `Warning` header (RFC
 * 7234 §5.5): its host is a private or loopback address. Such a URL is stored all the same: its
 * operator may set ALLOW_PRIVATE_URLS later. A name of the DNS is looked up at the request alone.
 */
export const warnOfPrivateUrls = ({ settings }: Pick<Ports, "settings">) =>
  createMiddleware<Env>(async (c, next) => {
    await next();
    if (settings.trunks.allowPrivate) return;
    const urls = [...c.var.sent ?? []].filter(([name]) => isFetched(name));
    for (const [name, text] of urls.slice(0, limits.warnedNames)) {
      const host = URL.parse(String(text))?.hostname.replace(/^\[|\]$/g, "") ?? "";
      if (!isPrivate(host)) continue;
      const reason = `${host} is a private address, and ALLOW_PRIVATE_URLS is not set`;
      c.header("Warning", `299 - "Cannot request ${name}: ${reason}"`, { append: true });
    }
  });

const isPrivate = (host: string): boolean =>
  host === "localhost" || isAddress(host) && !isPublicAddress(host);
