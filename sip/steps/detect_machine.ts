import type { Step } from "../../core/protocol/script.ts";
import { unlessAborted } from "../base/abort.ts";
import { type Answerer, createMachineDetector } from "../media/audio/answering_machine.ts";
import type { ScriptRun } from "./script_run.ts";

type MachineDetection = NonNullable<Extract<Step, { type: "invite" }>["machineDetection"]>;

/**
 * Listens to who answered until it is known, which the time limit bounds; undefined when something
 * else is to happen first. Only audio counts: media that do not connect lose the leg.
 */
export async function detectMachine(
  { live: { leg: { media } }, signal }: ScriptRun,
  { timeoutS, ...wanted }: MachineDetection,
): Promise<Answerer | undefined> {
  if (media === undefined) return "unknown";
  const connected = media.connected.then(() => true, () => false);
  if (!await unlessAborted(connected, signal)) return signal.aborted ? undefined : "unknown";
  const { promise: found, resolve } = Promise.withResolvers<Answerer>();
  const detect = createMachineDetector({ timeoutMs: timeoutS * 1000, ...wanted });
  const stop = media.listen((frame) => {
    const answerer = detect(frame);
    if (answerer !== undefined) resolve(answerer);
  });
  try {
    return await unlessAborted(found, signal);
  } finally {
    stop();
  }
}

/** Reports who answered, once that is known, while the leg goes on. */
export async function reportAnswerer(
  run: ScriptRun,
  { callback, ...wanted }: MachineDetection,
): Promise<void> {
  const startedAt = Date.now();
  const answeredBy = await detectMachine(run, wanted);
  if (answeredBy === undefined) return;
  const durationMs = Date.now() - startedAt;
  run.live.report({ type: "detected", answeredBy, durationMs, ...callback && { callback } });
}
