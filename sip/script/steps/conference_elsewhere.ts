import type { RemoteCompanion } from "../../../core/protocol/peers.ts";
import type { Script } from "../../../core/protocol/script.ts";
import type { Recorded } from "../../../core/protocol/recordings.ts";
import type { ConferenceStep } from "../../../core/protocol/conferences.ts";
import { overReason, unlessAborted } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import type { MediaLeg } from "../../media/mod.ts";
import { callCompanion, type CompanionCall } from "../../leg/call_companion.ts";
import {
  ANOTHER_RUN,
  type CompanionCallEvent,
  type CompanionCallOrder,
} from "../../leg/companion_call.ts";
import type { ScriptRun } from "./script_run.ts";
import { type Participation, untilEnough } from "./participation.ts";
import { answered, hearSteps, type PerformStep, wait } from "./wait.ts";

/**
 * Has the leg in a conference at another companion, by a call to it. That one mixes, mutes and removes;
 * what the leg waits with, its keys, its time and its reports stay here.
 */
export async function joinElsewhere(
  run: ScriptRun,
  step: ConferenceStep & { at: RemoteCompanion },
  performStep: PerformStep,
): Promise<Participation> {
  const { calls, live, signal } = run;
  const media = await answered(run);
  if (media === undefined || signal.aborted) return { outcome: "failed" };
  const { at, conferenceSid, startOnEnter, endOnExit } = step;
  const muted = step.muted || media.isMuted;
  const left = Promise.withResolvers<Recorded | null>();
  const hearing = hears(run, { media, step, performStep });
  const meeting = callCompanion(calls, {
    at,
    order: orderOf(live.leg.id, { ...step, muted }),
    onNews(news, theirs) {
      if (news.type === "left") left.resolve(news.recording);
      else hearing.turn(news, theirs);
    },
  });
  const first = await unlessAborted(meeting.first, signal);
  try {
    if (signal.aborted) return { outcome: "failed" };
    if (first === undefined) {
      const { sipStatus } = await meeting.ended;
      return { outcome: "failed", unreached: { isGone: sipStatus === ANOTHER_RUN } };
    }
    if (first.type === "full") return { outcome: "busy" };
    // It may have been muted on its way; then it is silent, whatever the conference thinks.
    const isMuted = muted || media.isMuted;
    live.report({ type: "joined", conferenceSid, muted: isMuted, startOnEnter, endOnExit });
    await untilEnough(run, { ...step, media, over: meeting.ended });
    if (step.record === undefined) return { outcome: "completed" };
    return {
      outcome: "completed",
      recording: await recordedBy(run, meeting, left.promise),
    };
  } finally {
    hearing.end();
    meeting.hangup();
  }
}

function orderOf(leg: string, step: ConferenceStep & { at: RemoteCompanion }): CompanionCallOrder {
  const { at: { runId }, wait: _, action: __, serviceContext: ___, ...manner } = step;
  return { type: "conference", leg, runId, step: manner };
}

/** Audio of the leg: the conference, or the wait document. */
function hears(
  run: ScriptRun,
  { media, step, performStep }: {
    media: MediaLeg;
    step: ConferenceStep;
    performStep: PerformStep;
  },
) {
  let waiting = new AbortController();
  let announcing: AbortController | undefined;
  /** Last event of the other companion that is still in force. */
  let last: { news: CompanionCallEvent; theirs: MediaLeg } | undefined;
  let isOver = run.signal.aborted;
  const end = () => {
    isOver = true;
    waiting.abort(overReason);
    announcing?.abort(overReason);
  };
  run.signal.addEventListener("abort", end, { once: true });

  /** Does what was said last, unless something is announced: then that comes first. */
  const settle = () => {
    if (last === undefined || announcing !== undefined) return;
    const { news, theirs } = last;
    waiting.abort(overReason);
    if (news.type === "talks") media.join(theirs);
    if (news.type !== "waits") return;
    media.leave(theirs);
    waiting = new AbortController();
    const document = news.wait !== undefined || news.isHeld ? news.wait : step.wait;
    void wait({ ...run, signal: waiting.signal }, { wait: document }, performStep);
  };
  const announce = async (script: Script) => {
    announcing?.abort(overReason);
    const own = announcing = new AbortController();
    waiting.abort(overReason);
    await hearSteps({ ...run, signal: own.signal }, script, performStep);
    if (announcing !== own || isOver) return;
    announcing = undefined;
    settle();
  };
  return {
    turn(news: CompanionCallEvent, theirs: MediaLeg) {
      if (isOver) return;
      if (news.type === "announces") return void announce(news.script);
      last = { news, theirs };
      settle();
    },
    end,
  };
}

/**
 * Recording of the conference while the leg was in it; null also when the other companion does not
 * report one.
 */
async function recordedBy(
  { calls: { signalling: { timers } } }: ScriptRun,
  meeting: CompanionCall,
  left: Promise<Recorded | null>,
): Promise<Recorded | null> {
  meeting.say({ type: "leave" });
  const late = Promise.withResolvers<null>();
  const stop = timers.after(2 * sipLimits.recordingSettleMs, () => late.resolve(null));
  const recorded = await Promise.race([left, meeting.ended.then(() => null), late.promise]);
  stop();
  return recorded;
}
