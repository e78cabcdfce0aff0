import { createMiddleware } from "hono/factory";
import { tenantOf } from "../../core/accounts/tenant.ts";
import { unanswered } from "../../core/base/exchange.ts";
import type { DailyNotices } from "../../core/webhooks/daily_notices.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Env } from "./env.ts";
import { ownRequests } from "./own_requests.ts";

/**
 * Writes a Notification of each unknown parameter that a request had, once a day for each name and
 * account: few programs show the `Warning` header to people. Requests of the console have none.
 */
export const noticeUnknown = ({ settings }: Pick<Ports, "settings">, notices: DailyNotices) =>
  createMiddleware<Env>(async (c, next) => {
    await next();
    const { caller, account = caller, unknownNames = [] } = c.var;
    if (account === undefined || ownRequests.has(c.req.raw)) return;
    for (const { name, hint } of unknownNames) {
      await notices({
        accountSid: account.sid,
        tenant: tenantOf(account),
        subject: name,
        fault: "unknownParameter",
        detail: `${name}${hint}`,
        exchange: unanswered({
          url: settings.baseUrl + c.req.path,
          method: c.req.method,
          params: {},
        }),
      });
    }
  });
