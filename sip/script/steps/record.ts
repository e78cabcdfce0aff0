import type { LegEvent } from "../../../core/protocol/events.ts";
import type { Script, Step } from "../../../core/protocol/script.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import {
  createVoiceDetector,
  FRAME_MS,
  type FrameSink,
  type MediaLeg,
  recordBeep,
  trimSilence,
} from "../../media/mod.ts";
import { connected } from "./connected.ts";
import { returnedAction, type ScriptRun } from "./script_run.ts";

type RecordStep = Extract<Step, { type: "record" }>;

/** Records the peer; a recording that is not empty requests the script of its action. */
export async function record(run: ScriptRun, step: RecordStep): Promise<Script | void> {
  const { calls, live, signal } = run;
  const { media } = live.leg;
  if (media === undefined) return;
  const { log } = calls.signalling;
  try {
    await connected(run, media, "record");
  } catch (error) {
    return log("Cannot perform a step", { leg: live.leg.id, error: String(error) });
  }
  run.tookTime = true;
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
  const recording = await sink.end();
  if (recording === null || step.action === undefined) return;
  const action = returnedAction(run, step.action);
  const event: LegEvent = { type: "recorded", recording, action };
  if (!signal.aborted) {
    return await live.requestScript({ ...event, ...key && { digits: key } }, { signal });
  }
  // Another script that took over has its own way on; a caller that left has none, and an event is
  // sent.
  if (live.leg.signal.aborted) live.report({ ...event, digits: "hangup" });
}

interface Heard {
  hasSpoken: boolean;
  /** Key that ended it. */
  key?: string;
}

/** Records the peer until a key, silence, the length or the signal ends it. */
async function hear(
  media: MediaLeg,
  { step, frames, signal }: { step: RecordStep; frames: FrameSink; signal: AbortSignal },
): Promise<Heard> {
  const isVoice = createVoiceDetector();
  const over = Promise.withResolvers<string | undefined>();
  let hasSpoken = false;
  let [taken, silent] = [0, 0];
  const isFull = () =>
    silent * FRAME_MS >= step.timeoutS * 1000 || taken * FRAME_MS >= step.maxLengthS * 1000;
  const stopFrames = media.listen((frame) => {
    if (isFull()) return;
    const isSpeech = isVoice(frame);
    hasSpoken ||= isSpeech;
    taken++;
    silent = isSpeech ? 0 : silent + 1;
    frames.push(frame, isSpeech);
    if (isFull()) over.resolve(undefined);
  });
  const stopDigits = media.onDigits((digit) => {
    if (step.finishOnKey.includes(digit)) over.resolve(digit);
  });
  const key = await unlessAborted(over.promise, signal);
  stopFrames();
  stopDigits();
  frames.end();
  return { hasSpoken, ...key !== undefined && { key } };
}
