import type { Step } from "../../../core/protocol/script.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import { waitMusic } from "../../media/mod.ts";
import { connected } from "./connected.ts";
import type { ScriptRun } from "./script_run.ts";

/** Plays the audio at a URL, which loads while the media connect; a failure is reported. */
export async function play(
  run: ScriptRun,
  step: Extract<Step, { type: "play" }>,
): Promise<void> {
  const { calls, live, signal } = run;
  const { media } = live.leg;
  try {
    if (media === undefined) throw new Error("Cannot play audio: the call has no media here");
    const loading = calls.loadAudio(step.url, signal);
    loading.catch(() => {});
    await connected(run, media, "play audio");
    const pcm = await unlessAborted(loading, signal);
    if (pcm === undefined || signal.aborted) return;
    run.tookTime ||= pcm.length > 0;
    await unlessAborted(media.play(pcm, { loop: step.loop, signal }), signal);
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    live.report({ type: "problem", url: step.url, message });
  }
}

/** Waits in silence, or with hold music where the leg has media here. */
export async function silence(
  run: ScriptRun,
  { seconds, music = false }: Omit<Extract<Step, { type: "silence" }>, "type">,
): Promise<void> {
  run.tookTime = true;
  const { calls, live: { leg: { media } }, signal } = run;
  const over = new AbortController();
  const playing = AbortSignal.any([signal, over.signal]);
  // Its failure leaves silence: the script goes on all the same.
  if (music) media?.play(waitMusic(), { loop: 0, signal: playing }).catch(() => {});
  await calls.signalling.timers.pause(seconds * 1000, signal);
  over.abort();
}

/** Sends digits to the peer once the media connect. */
export async function sendDigits(
  run: ScriptRun,
  { digits, loop }: Pick<Extract<Step, { type: "digits" }>, "digits" | "loop">,
): Promise<void> {
  const { live: { leg: { media } }, signal } = run;
  if (media === undefined) return;
  run.tookTime = true;
  await connected(run, media, "send digits").catch(() => {}); // Its loss ends the leg.
  for (let done = 0; !signal.aborted && (loop === 0 || done < loop); done++) {
    await media.sendDigits(digits, signal);
  }
}
