import { steadyNow } from "../../../core/base/steady_clock.ts";
import type { Step } from "../../../core/protocol/script.ts";
import { unlessAborted } from "../../../core/base/abort.ts";
import { createMachineDetector, type Detected } from "../../media/mod.ts";
import type { ScriptRun } from "./script_run.ts";

type MachineDetection = NonNullable<Extract<Step, { type: "invite" }>["machineDetection"]>;

const unknown: Detected = { answeredBy: "unknown" };

/**
 * Answering machine detection, within a time limit; undefined when something
 * else is to happen first. Only audio counts: media that do not connect lose the leg.
 */
export async function detectMachine(
  { live: { leg: { media } }, signal }: ScriptRun,
  { timeoutS, ...wanted }: MachineDetection,
): Promise<Detected | undefined> {
  if (media === undefined) return unknown;
  const connected = media.connected.then(() => true, () => false);
  if (!await unlessAborted(connected, signal)) return signal.aborted ? undefined : unknown;
  const { promise: found, resolve } = Promise.withResolvers<Detected>();
  const detect = createMachineDetector({ timeoutMs: timeoutS * 1000, ...wanted });
  const stop = media.listen((frame) => {
    const detected = detect(frame);
    if (detected !== undefined) resolve(detected);
  });
  try {
    return await unlessAborted(found, signal);
  } finally {
    stop();
  }
}

/** Reports the result of answering machine detection, while the leg goes on. */
export async function reportAnswerer(
  run: ScriptRun,
  { callback, ...wanted }: MachineDetection,
): Promise<void> {
  const startedAt = steadyNow();
  const detected = await detectMachine(run, wanted);
  if (detected === undefined) return;
  const durationMs = steadyNow() - startedAt;
  run.live.report({ type: "detected", ...detected, durationMs, ...callback && { callback } });
}
