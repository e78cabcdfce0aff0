import type { LegEvent } from "../../core/bridge_events.ts";
import type { Script, Step } from "../../core/bridge_script.ts";
import { unlessAborted } from "../abort.ts";
import { recordBeep } from "../media/record_beep.ts";
import type { MediaLeg } from "../media/port.ts";
import { FRAME_MS } from "../media/ticker.ts";
import { type FrameSink, trimSilence } from "../media/trim_silence.ts";
import { connected } from "./connected.ts";
import { carried, type Performance } from "./performance.ts";
import { ended } from "./record_talk.ts";

type RecordStep = Extract<Step, { type: "record" }>;

/** Records what the peer says; where that is something, its action is asked what comes next. */
export async function record(performance: Performance, step: RecordStep): Promise<Script | void> {
  const { calls, live, signal } = performance;
  const { media } = live.leg;
  if (media === undefined) return;
  const { log } = calls.signalling;
  try {
    await connected(performance, media, "record");
  } catch (error) {
    return log("Cannot perform a step", { leg: live.leg.id, error: String(error) });
  }
  performance.tookTime = true;
  if (step.playBeep) await unlessAborted(media.play(recordBeep, { loop: 1, signal }), signal);
  if (signal.aborted) return;

  const sink = calls.recordings.open({
    recording: step.recording,
    leg: live.leg.id,
    channels: 1,
  });
  const frames: FrameSink = step.trim
    ? trimSilence(sink.write)
    : { push: sink.write, end: () => {} };
  const { hasSpoken, key } = await hear(media, { step, frames, signal });
  if (!hasSpoken) return sink.discard();
  const recording = await ended(sink, calls);
  if (recording === null || step.action === undefined) return;
  const action = carried(performance, step.action);
  const event: LegEvent = { type: "recorded", recording, action };
  if (!signal.aborted) return await live.ask({ ...event, ...key && { digits: key } }, { signal });
  // Another script that took over has its own way on; a caller who left has none, and it is news.
  if (live.leg.signal.aborted) live.report({ ...event, digits: "hangup" });
}
