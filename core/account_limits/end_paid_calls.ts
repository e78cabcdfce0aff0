import { exponential } from "../model/job.ts";
import { type ArgsOf, endPaidCalls } from "../model/job_kinds.ts";
import { notify } from "../webhooks/notify.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports } from "../model/ports/ports.ts";
import { endLiveCalls } from "../reports/end_live_calls.ts";
import type { Call } from "../model/resources/calls.ts";
import {
  limitFaults,
  limitNames,
  limitText,
  useAt,
  usedOf,
} from "../model/values/account_limits.ts";

const limit = "maxSpendMicros";

/**
 * Performs `endPaidCalls`: ends all calls that cost money, after a limit of money was lowered below its
 * use.
 */
export const endPaidCallsHandler: JobHandler<ArgsOf<typeof endPaidCalls>> = handler(endPaidCalls, {
  maxAttempts: 10,
  retryMs: exponential(250, 30_000),

  async work({ accountSid }, ports, { signal }) {
    const own = (await ports.accounts.limitStates(accountSid)).find(({ level }) => level === 0);
    const most = own?.state.limits[limit] ?? null;
    if (own === undefined || most === null) return;
    if (usedOf(useAt(own.state.use, ports.now()), limit) <= most) return;
    const detail = `the call was ended: ${limitNames[limit]} is ${limitText(limit, most)} now`;
    await endLiveCalls(accountSid, {
      isWanted: ({ rateMicros }) => rateMicros > 0,
      onEnded: (call) => tell(call, detail, ports),
      signal,
    }, ports);
  },
});

async function tell({ accountSid, sid: callSid }: Call, detail: string, ports: Ports) {
  const cause = { at: ports.now(), id: `${callSid} ${limit}` };
  const notice = { accountSid, callSid, fault: limitFaults[limit], detail, cause } as const;
  await notify({ ...notice, level: "error" }, ports);
}
