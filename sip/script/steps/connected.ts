import { unlessAborted } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import type { MediaLeg } from "../../media/mod.ts";
import type { ScriptRun } from "./script_run.ts";

/** Waits until audio can flow; rejects with an Error that says what cannot be done without. */
export async function connected(
  { calls, signal }: Pick<ScriptRun, "calls" | "signal">,
  media: MediaLeg,
  what: string,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const stop = calls.signalling.timers.after(
    sipLimits.mediaConnectMs,
    () => late.reject(new Error(`Cannot ${what}: the media did not connect`)),
  );
  try {
    await unlessAborted(Promise.race([media.connected, late.promise]), signal);
  } finally {
    stop();
  }
}
