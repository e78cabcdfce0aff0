/**
 * Unknown parameters: `?Stauts=failed` lists every record, and its developer may not notice.
 *
 * They are ignored, and named in the `Warning` header with the nearest declared name. That is at
 * most one edit for three letters away, two in all, whatever the case. Refused: 400, since clients
 * made for Twilio send parameters that this service does not have, and the contract ignores them.
 * Few clients show a header, so a Notification (12210) says the same, at most 50 a day for each
 * tenant.
 */
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
