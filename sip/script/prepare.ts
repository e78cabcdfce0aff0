import type { Invitation } from "../../core/protocol/script.ts";
import { unlessAborted } from "../../core/base/abort.ts";
import { reportAnswerer } from "./steps/detect_machine.ts";
import { performSteps } from "./perform.ts";
import type { ScriptRun } from "./steps/script_run.ts";
import { sendDigits } from "./steps/play.ts";

/**
 * Waits for the answer of a leg that a dial placed, sends it the digits that come first, and has it
 * screened: what the service says is performed on it. False when it is not to be joined.
 */
export async function prepare(
  run: ScriptRun,
  { screened = false, sendDigits: digits, machineDetection }: Invitation,
): Promise<boolean> {
  const { live, signal } = run;
  const { whenAnswered } = live.leg;
  if (!screened) {
    void whenAnswered.then((answered) => answered && live.report({ type: "answered" }));
  }
  const isAnswered = await unlessAborted(whenAnswered, signal) ?? false;
  if (!isAnswered && screened) {
    // Another script took over while it rang: the answer is reported all the same.
    void whenAnswered.then((late) => late && live.report({ type: "answered" }));
  }
  if (!isAnswered) return false;
  if (machineDetection !== undefined) void reportAnswerer(run, machineDetection);
  if (!screened && digits === undefined) return true;
  const script = screened ? live.requestScript({ type: "answered" }, { signal }) : [];
  if (digits !== undefined) await sendDigits(run, { digits, loop: 1 });
  const isLetThrough = !screened || await performSteps(run, await script);
  return isLetThrough && !signal.aborted;
}
