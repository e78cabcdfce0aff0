import { exponential } from "../model/job.ts";
import { type ArgsOf, warnOfLimit } from "../model/job_kinds.ts";
import { notification } from "../webhooks/notify.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import {
  dayMs,
  limitNames,
  limitText,
  useAt,
  usedOf,
  whoseLimit,
} from "../model/values/account_limits.ts";

/**
 * Performs `warnOfLimit`: a Notification of the account, and one of the account above, which can raise
 * the limit. Event streams have both. The commit that came near the limit made the job, once a day.
 */
export const warnOfLimitHandler: JobHandler<ArgsOf<typeof warnOfLimit>> = handler(warnOfLimit, {
  maxAttempts: 20,
  retryMs: exponential(250, 60_000),

  async work({ accountSid, limit, day }, ports, { id }) {
    const account = await ports.accounts.get(accountSid);
    const states = await ports.accounts.limitStates(accountSid);
    const own = states.find(({ level }) => level === 0);
    const most = own?.state.limits[limit] ?? null;
    if (account === null || own === undefined || most === null) return;
    const used = usedOf(useAt(own.state.use, ports.now()), limit);
    const { raisedBy } = whoseLimit(0, own.isRoot);
    const texts = { most: limitText(limit, most), used: limitText(limit, used) };
    const about = `${
      limitNames[limit]
    } of ${accountSid} is ${texts.most}, ${texts.used} of it used`;
    const cause = { at: day * dayMs, id: `${id} ${limit}` };
    const parent = account.ancestors.at(-1);
    return [accountSid, ...parent === undefined ? [] : [parent]].map((sid) => {
      const detail = sid === accountSid ? `${about}; ${raisedBy}` : about;
      const fault = "limitNear" as const;
      const notice = { accountSid: sid, callSid: null, fault, detail, level: "warning" as const };
      return notification({ ...notice, cause: { ...cause, id: `${cause.id} ${sid}` } }, ports);
    });
  },
});
