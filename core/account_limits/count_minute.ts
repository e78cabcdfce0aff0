/**
 * Minutes are paid in advance. Calls cost by the minute begun, and several calls share what is
 * left. A call takes its first minute in the commit that makes it, and each further one 10 s before
 * it begins. Where that is refused, the companion ends the call 1.5 s before the minute begins.
 * Refused: a timer by what is left and the rates, since each new call, text or limit would change
 * all timers.
 *
 * The charges of a day do not exceed the limit while a service runs, nor when it starts again
 * within 10 s. While none runs, a companion ends a call one minute after its last counted minute.
 * So an outage costs each call one minute beyond the limit at most. A call that crosses midnight
 * counts for the day of its end, as in the ledger. An account with limits makes one commit more for
 * each minute of a call.
 */
import { wallFrom } from "../base/steady_clock.ts";
import { Fault } from "../base/faults.ts";
import { exponential } from "../model/job.ts";
import { type ArgsOf, countMinute, hangUp } from "../model/job_kinds.ts";
import { notification } from "../webhooks/notify.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports } from "../model/ports/ports.ts";
import {
  boundOf,
  countedBeforeMs,
  endedBeforeMs,
  isCounted,
  minuteMs,
} from "../calls/counted_minutes.ts";
import type { Call } from "../model/resources/calls.ts";
import { limitFaults } from "../model/values/account_limits.ts";

/** A minute of a call, and its begin by the steady clock, in ms. */
interface Minute {
  minute: number;
  beginsAt: number;
}

/**
 * Performs `countMinute`. Live calls of an account, and of those below it, share the rest of its
 * money: each takes a minute shortly before the minute begins.
 *
 * - At a refusal, the companion gets the time at which to end the call, before the minute begins.
 *   It ends the call even if no service runs then.
 * - A service that was away counts the minutes that have begun, whatever the limit, and ends the
 *   call at once if the limit was passed.
 * - After each counted minute, the companion postpones the time at which it ends the call by
 *   itself, in case no service counts on (`boundOf`).
 * - Minutes go by the steady clock: a step of the wall clock neither begins nor delays one.
 */
export const countMinuteHandler: JobHandler<ArgsOf<typeof countMinute>> = handler(countMinute, {
  maxAttempts: 200, // The call goes on until it succeeds.
  retryMs: exponential(250, 1_000),

  async work({ accountSid, callSid, ...next }, ports, { madeAt, since = madeAt }) {
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call?.status !== "in-progress" || !isCounted(call)) return;
    const beginsAt = since + next.beginsAt - madeAt;
    const answeredAt = beginsAt - (next.minute - 1) * minuteMs;
    // Another run has counted it, and may not have reached the companion.
    if (!isWaiting(call, next.minute)) return await putOff(call, answeredAt, ports);
    const lateMs = ports.steadyNow() - beginsAt;
    const missed = lateMs < 0 ? 0 : Math.floor(lateMs / minuteMs) + 1;
    const wanted = { minute: next.minute + missed, beginsAt: beginsAt + missed * minuteMs };
    try {
      const taken = await take(call, { from: next.minute, wanted }, ports);
      await putOff(taken, answeredAt, ports);
    } catch (error) {
      if (!(error instanceof Fault && error.fault === limitFaults.maxSpendMicros)) throw error;
      const last = {
        from: next.minute,
        begun: wanted.minute - 1,
        endsAt: beginsAt - endedBeforeMs,
      };
      await end(call, { ...last, fault: error }, ports);
    }
  },
});

/** A call in progress whose minute is not counted yet. */
const isWaiting = (call: Call, minute: number): boolean =>
  call.status === "in-progress" && isCounted(call) && (call.countedMinutes ?? 1) < minute;

/** Counts the minutes of a call up to one, if the limits allow it, and plans the next. */
async function take(
  { accountSid, sid: callSid }: Call,
  { from, wanted: { minute, beginsAt } }: { from: number; wanted: Minute },
  ports: Ports,
): Promise<Call> {
  const next = { minute: minute + 1, beginsAt: beginsAt + minuteMs };
  return await ports.records.calls.update(accountSid, callSid, (call) => {
    if (!isWaiting(call, from)) return { record: call };
    const record = { ...call, countedMinutes: minute };
    return { record, jobs: [jobOf(record, next, ports)] };
  });
}

/** Has the companion end a call by itself some time after the minutes that are counted. */
async function putOff(
  { sid, companion, countedMinutes, status }: Call,
  answeredAt: number,
  { control, steadyNow }: Ports,
): Promise<void> {
  const afterMs = Math.ceil(answeredAt + boundOf(countedMinutes ?? 1) - steadyNow());
  if (status !== "in-progress" || afterMs <= 0) return;
  await control.run(sid, [{ type: "hangup", cause: "limit", afterMs }], { at: companion });
}

/** The job of a minute. */
function jobOf(
  { accountSid, sid: callSid }: Call,
  { minute, beginsAt: steadyAt }: Minute,
  ports: Ports,
) {
  const beginsAt = wallFrom(steadyAt, ports);
  return countMinute({ accountSid, callSid, minute, beginsAt }, beginsAt - countedBeforeMs);
}

/** Ends a call whose account has no money for the next minute. */
async function end(
  { accountSid, sid: callSid }: Call,
  { from, begun, endsAt, fault }: { from: number; begun: number; endsAt: number; fault: Fault },
  ports: Ports,
): Promise<void> {
  await ports.records.calls.update(accountSid, callSid, (call) => {
    if (!isWaiting(call, from)) return { record: call };
    const detail = `the call ends before its minute ${begun + 1}: ${fault.detail}`;
    const notice = { accountSid, callSid, fault: fault.fault, detail, level: "error" } as const;
    return {
      record: { ...call, countedMinutes: Math.max(call.countedMinutes ?? 1, begun) },
      jobs: [hangUp({ accountSid, callSid, companion: call.companion, cause: "limit", endsAt })],
      also: [notification(notice, ports)],
      hasHappened: true,
    };
  });
}
