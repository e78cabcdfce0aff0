import type { MonitorStep } from "../../../core/protocol/leg_tasks.ts";
import { whenAborted } from "../../../core/base/abort.ts";
import { anchor } from "../../leg/anchor.ts";
import type { MediaLeg } from "../../media/mod.ts";
import { connected } from "./connected.ts";
import type { ScriptRun } from "./script_run.ts";

/** Monitoring of a leg, until it is over or the result is called. */
interface Monitoring {
  over: Promise<void>;
  stop(): void;
}

/** Has the peer hear a leg or a conference until either side ends. */
export async function monitor(run: ScriptRun, step: MonitorStep): Promise<void> {
  const { calls: { signalling: { log } }, live, signal } = run;
  const { leg } = live;
  const { media } = leg;
  if (media === undefined) return;
  try {
    await connected(run, media, "listen");
  } catch (error) {
    return log("Cannot perform a step", { leg: leg.id, error: String(error) });
  }
  const monitoring = await begin(run, media, step);
  if (monitoring === undefined) {
    const why = "it is over, or its audio does not pass through the companion";
    return live.report({ type: "problem", url: "", message: `Cannot listen to the call: ${why}` });
  }
  run.tookTime = true;
  await Promise.race([whenAborted(signal), monitoring.over]);
  monitoring.stop();
}

/**
 * Undefined where there is nothing of that account to be heard. A call between two plain phones whose
 * audio passes by the companion is led through it from now on.
 */
async function begin(
  { calls, live, signal }: ScriptRun,
  media: MediaLeg,
  { leg, conferenceSid }: MonitorStep,
): Promise<Monitoring | undefined> {
  const { accountSid } = live.leg;
  if (conferenceSid !== undefined) {
    return calls.conferences.monitor(conferenceSid, { media, accountSid });
  }
  const other = leg === undefined ? undefined : calls.find(leg);
  if (other === undefined || other.leg.accountSid !== accountSid) return undefined;
  const { partner } = other;
  if (other.leg.media === undefined && partner !== undefined) {
    await anchor(calls, other.leg, partner.leg);
  }
  const theirs = other.leg.media;
  if (theirs === undefined || other.leg.signal.aborted || signal.aborted) return undefined;
  return { over: whenAborted(other.leg.signal), stop: media.monitor(theirs) };
}
