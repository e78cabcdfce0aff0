import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { ReferStep } from "../../../core/protocol/refer.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import type { Dialog } from "../../contracts/dialog.ts";
import { notifiedState } from "../../leg/referral.ts";
import { type Ending, outcomeOf } from "../../contracts/outcome.ts";
import { sipLimits } from "../../base/limits.ts";
import { parseSipUri, trunkUri } from "../../text/uri.ts";
import { reportEnd, returnedAction, type ScriptRun } from "./script_run.ts";

/** Asks the peer by REFER to call another address, and waits for the outcome. */
export async function refer(run: ScriptRun, step: ReferStep): Promise<Script | void> {
  const startedAt = steadyNow();
  const { outcome, sipStatus } = await askPeer(run, step);
  run.tookTime ||= steadyNow() - startedAt >= sipLimits.timePassedMs;
  return await reportEnd(run, {
    type: "referred",
    to: step.to,
    outcome,
    ...sipStatus !== undefined && { sipStatus },
    ...step.action && { action: returnedAction(run, step.action) },
  });
}

async function askPeer(
  { calls, live, signal }: ScriptRun,
  step: ReferStep,
): Promise<Ending> {
  const { leg } = live;
  const { dialog } = leg;
  if (dialog === undefined || leg.answeredAt === undefined) return refusedWith(481);
  // A REFER over another account's trunk would be billed to that account.
  const isOthers = dialog.trunk !== undefined && dialog.trunk.accountSid !== leg.accountSid;
  if (step.leaves && isOthers) return refusedWith(403);
  const notified = Promise.withResolvers<number>();
  leg.onNotify = (content, state) => {
    const status = Number(/^SIP\/2\.0 ([1-6]\d\d)\b/i.exec(content)?.[1] ?? 0);
    if (status >= 200) notified.resolve(status);
    else if (/^\s*terminated\b/i.test(notifiedState(content, state))) notified.resolve(noNews);
    return true;
  };
  const { timers } = calls.signalling;
  const stop = timers.after(sipLimits.referExpiresS * 1000, () => notified.resolve(noNews));
  try {
    // Before the ACK, many phones have no dialog to match the REFER to.
    await unlessAborted(dialog.confirmed(), signal);
    const accepted = await unlessAborted(dialog.request("refer", referring(dialog, step)), signal);
    if (accepted !== undefined && accepted >= 300) return refusedWith(accepted);
    const status = await unlessAborted(notified.promise, signal);
    if (status !== undefined) return status < 300 ? called(status) : refusedWith(status);
    // A peer that accepted the REFER and hung up counts as transferred (RFC 5589 §6.1).
    const hasLeft = leg.signal.aborted && !live.isDismissed;
    return hasLeft && accepted !== undefined ? called() : { outcome: "canceled" };
  } finally {
    stop();
    leg.onNotify = undefined;
  }
}

/** The status of a new call without any NOTIFY. */
const noNews = 408;

const refusedWith = (sipStatus: number): Ending => ({ outcome: outcomeOf(sipStatus), sipStatus });

const called = (sipStatus?: number): Ending => ({
  outcome: "completed",
  ...sipStatus !== undefined && { sipStatus },
});

/** The headers of the REFER; a number is one of the peer's own domain. */
function referring({ session }: Dialog, { to, headers = {} }: ReferStep) {
  const uri = parseSipUri(to);
  const number = trunkUri(to, session.remoteURI);
  number.clearParams();
  number.clearHeaders();
  const query = Object.entries(headers).map(([name, value]) =>
    `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  );
  const target = [uri ?? number, ...query.length > 0 ? [query.join("&")] : []].join("?");
  return { headers: [`Refer-To: <${target}>`, `Referred-By: <${session.localURI}>`] };
}
