import { createMiddleware } from "hono/factory";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { unanswered } from "../../core/base/exchange.ts";
import { limits } from "../../core/base/limits.ts";
import type { DailyNotices } from "../../core/webhooks/daily_notices.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import {
  partAt,
  type Product,
  productAbsent,
  productAt,
  unnamedProduct,
} from "../../core/twilio/absent_products.ts";
import type { Ctx, Env } from "../http/env.ts";

/** First segments of the paths of Twilio's products beside the core API. */
export const productRoots = [
  "v1",
  "v2",
  "v3",
  "HostedNumbers",
  "Organizations",
  "Sync",
  "marketplace",
  "wireless",
];

/** Paths below them that are no product's: what is here, and the core API at a wrong version. */
const others = /^\/v\d\/(?:AuthTokens?|Accounts)(?:\/|$)/;

interface Telling {
  settings: Ports["settings"];
  notices: DailyNotices;
}

/** Refuses requests for products of Twilio that are absent here, with a Notification a day. */
export const refuseProducts = (telling: Telling) =>
  createMiddleware<Env>(async (c, next) => {
    const { path } = c.req;
    if (others.test(path)) return await next();
    const product = productAt(path, c.req.header("Host") ?? "") ?? unnamedProduct;
    throw await absent(c, product, telling);
  });

const account = new RegExp(`^/${limits.twilioApiVersion}/Accounts/[^/]+/`);

/** The same of parts of the core API, by their paths below an account. */
export const refuseParts = (telling: Telling) =>
  createMiddleware<Env>(async (c, next) => {
    const part = partAt(c.req.path.replace(account, ""));
    if (part === null) return await next();
    throw await absent(c, part, telling);
  });

async function absent(c: Ctx, product: Product, { settings, notices }: Telling) {
  const fault = productAbsent(product);
  const { caller, account = caller } = c.var;
  const url = settings.baseUrl + c.req.path;
  await notices({
    accountSid: account.sid,
    tenant: tenantOf(account),
    subject: product.name,
    fault: fault.fault,
    detail: fault.detail ?? "",
    exchange: unanswered({ url, method: c.req.method, params: {} }),
  });
  return fault;
}
