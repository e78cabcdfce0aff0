import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Script } from "../../core/protocol/script.ts";
import type { StreamStep } from "../../core/protocol/streams.ts";
import { sipLimits } from "../base/limits.ts";
import { reportEnd, returnedAction, type ScriptRun } from "./steps/script_run.ts";

/** Opens a stream; one of both ways holds the script until it ends, or something else is to be done. */
export async function stream(
  run: ScriptRun,
  { stream: order, action }: StreamStep,
): Promise<Script | void> {
  const { live: { streams }, signal } = run;
  const startedAt = steadyNow();
  const over = streams.start(order);
  if (!order.isBidirectional) return;
  const stop = () => void streams.stop(order.sid);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await over;
  signal.removeEventListener("abort", stop);
  run.tookTime ||= steadyNow() - startedAt >= sipLimits.timePassedMs;
  if (action === undefined) return;
  return await reportEnd(run, {
    type: "streamed",
    sid: order.sid,
    action: returnedAction(run, action),
  });
}
