import type { Step } from "../../core/protocol/script.ts";
import { unlessAborted } from "../base/abort.ts";
import { connected } from "./connected.ts";
import type { Performance } from "./performance.ts";

/** Plays the audio at a URL, which loads while the media connect; a failure is reported. */
export async function play(
  performance: Performance,
  step: Extract<Step, { type: "play" }>,
): Promise<void> {
  const { calls, live, signal } = performance;
  const { media } = live.leg;
  try {
    if (media === undefined) throw new Error("Cannot play audio: the call has no media here");
    const loading = calls.loadAudio(step.url, signal);
    loading.catch(() => {});
    await connected(performance, media, "play audio");
    const pcm = await unlessAborted(loading, signal);
    if (pcm === undefined || signal.aborted) return;
    performance.tookTime ||= pcm.length > 0;
    await unlessAborted(media.play(pcm, { loop: step.loop, signal }), signal);
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    live.report({ type: "problem", url: step.url, message });
  }
}

/** Sends digits to the peer once the media connect. */
export async function sendDigits(
  performance: Performance,
  { digits, loop }: Pick<Extract<Step, { type: "digits" }>, "digits" | "loop">,
): Promise<void> {
  const { live: { leg: { media } }, signal } = performance;
  if (media === undefined) return;
  performance.tookTime = true;
  await connected(performance, media, "send digits").catch(() => {}); // Its loss ends the leg.
  for (let done = 0; !signal.aborted && (loop === 0 || done < loop); done++) {
    await media.sendDigits(digits, signal);
  }
}
