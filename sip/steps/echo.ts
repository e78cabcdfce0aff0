import type { Step } from "../../core/protocol/script.ts";
import { connected } from "./connected.ts";
import type { Performance } from "./performance.ts";

/** Sends the peer what it says; each frame goes back at the tick at which it came. */
export async function echo(
  performance: Performance,
  { seconds }: Extract<Step, { type: "echo" }>,
): Promise<void> {
  const { calls: { signalling: { timers, log } }, live: { leg }, signal } = performance;
  const { media } = leg;
  if (media === undefined) return;
  try {
    await connected(performance, media, "echo");
  } catch (error) {
    return log("Cannot perform a step", { leg: leg.id, error: String(error) });
  }
  performance.tookTime = true;
  const stop = media.echo();
  await timers.pause(seconds * 1000, signal);
  stop();
}
