import type { Step } from "../../../core/protocol/script.ts";
import { connected } from "./connected.ts";
import type { ScriptRun } from "./script_run.ts";

/** Sends the peer what it says; each frame goes back at the tick at which it came. */
export async function echo(
  run: ScriptRun,
  { seconds }: Extract<Step, { type: "echo" }>,
): Promise<void> {
  const { calls: { signalling: { timers, log } }, live: { leg }, signal } = run;
  const { media } = leg;
  if (media === undefined) return;
  try {
    await connected(run, media, "echo");
  } catch (error) {
    return log("Cannot perform a step", { leg: leg.id, error: String(error) });
  }
  run.tookTime = true;
  const stop = media.echo();
  await timers.pause(seconds * 1000, signal);
  stop();
}
