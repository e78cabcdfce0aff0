import type { ServiceCause } from "../../core/protocol/disconnection.ts";
import type { Script, Step } from "../../core/protocol/script.ts";
import { unlessAborted } from "../../core/base/abort.ts";
import { warning } from "../base/warning.ts";
import { detectMachine, reportAnswerer } from "./steps/detect_machine.ts";
import { dial } from "./steps/dial.ts";
import { echo } from "./steps/echo.ts";
import { gather } from "./steps/gather.ts";
import { returnedAction, type ScriptRun } from "./steps/script_run.ts";
import { monitor } from "./steps/monitor.ts";
import { record } from "./steps/record.ts";
import { refer } from "./steps/refer.ts";
import { replace } from "./replace.ts";
import { play, sendDigits, silence } from "./steps/play.ts";
import { pickup, queue } from "./steps/queue.ts";
import { conference, consult } from "./steps/conference.ts";
import { converse } from "./converse.ts";
import { stream } from "./stream.ts";
import { say } from "./steps/say.ts";
import { nextReply, ussd } from "./steps/ussd.ts";

/** One step; a script that it resolves with replaces the steps that are left. */
type StepHandler<T extends Step["type"]> = (
  run: ScriptRun,
  step: Extract<Step, { type: T }>,
) => Promise<Script | void> | Script | void;

/** Waits for the answer of a leg that was placed with its script, and requests the next one. */
const invite: StepHandler<"invite"> = async (
  run,
  { machineDetection, record: recording, recordingManner },
) => {
  const { live, signal } = run;
  const { leg } = live;
  if (leg.direction === "inbound") return;
  if (recording !== undefined) live.tasks.record({ recording, recordingManner });
  if (leg.isUssd) run.reply = nextReply(leg);
  const answered = await unlessAborted(leg.whenAnswered, signal);
  if (answered && leg.isUssd) return live.report({ type: "answered" }); // Its script goes on.
  if (answered && machineDetection?.isAsync) {
    // Another script does not end it, the end of the leg does.
    void reportAnswerer({ ...run, signal: leg.signal }, machineDetection);
  } else if (answered && machineDetection !== undefined) {
    live.report({ type: "answered" });
    const detected = await detectMachine(run, machineDetection);
    if (detected === undefined) return;
    return await live.requestScript({ type: "detected", ...detected }, { signal });
  }
  if (answered) return await live.requestScript({ type: "answered" }, { signal });
  // Another script took over while it rang: the answer is reported all the same.
  void leg.whenAnswered.then((late) => late && live.report({ type: "answered" }));
};

/** `connect` is left to the caller of `perform`. */
type PerformedStep = Exclude<Step, { type: "connect" }>;
type AnyStepHandler = (
  run: ScriptRun,
  step: PerformedStep,
) => ReturnType<StepHandler<"dial">>;

const stepHandlers: { readonly [T in PerformedStep["type"]]: StepHandler<T> } = {
  invite,
  digits: sendDigits,
  gather: (run, step) => gather(run, step, performStep),
  answer: async ({ live: { leg } }) => {
    if (leg.direction === "inbound") await leg.answer().catch(() => {});
  },
  reject({ calls, live: { leg } }, { status, text, cause }) {
    leg.hangup({ status, cause: cause ?? "hangup", ...warningOf(calls, text) });
  },
  play,
  say,
  silence,
  echo,
  dial,
  refer,
  record,
  replace,
  note: (run, { serviceContext, action }) => {
    const { live, signal } = run;
    if (action === undefined) return live.report({ type: "noted", serviceContext });
    return live.requestScript({
      type: "noted",
      serviceContext,
      action: returnedAction(run, action),
    }, {
      signal,
    });
  },
  consult,
  conference: (run, step) => conference(run, step, performStep),
  queue: (run, step) => queue(run, step, performStep),
  pickup,
  leave: () => {},
  stream,
  converse,
  monitor,
  recordLeg: ({ live }, step) => live.tasks.record(step),
  transcribeLeg: ({ live }, step) => live.tasks.transcribe(step),
  stopTranscription: ({ live }, { name }) => live.tasks.stopTranscription(name),
  stopStream: ({ live }, { name }) => void live.streams.stop(name),
  ussd,
  next: (run, { action }) => {
    const { live, signal } = run;
    return live.requestScript({ type: "next", action: returnedAction(run, action) }, { signal });
  },
  hangup: (run, { cause }) => hangUp(run, cause ?? "hangup"),
};

/** BYE; before the answer, a caller gets the failure of the last dial. */
function hangUp(
  { calls, live: { leg, lastFailure, lastWords } }: ScriptRun,
  cause: ServiceCause,
): void {
  const status = lastFailure !== undefined && { status: lastFailure };
  leg.hangup({ cause, ...status, ...warningOf(calls, lastWords) });
}

/** Words about a refusal, as a header (RFC 3261 §20.43). */
const warningOf = ({ signalling: { domain } }: ScriptRun["calls"], text: string | undefined) =>
  text === undefined ? {} : { headers: [warning(domain, text)] };

/** Performs step after step; at the end of the last one the leg is hung up. */
export async function perform(run: ScriptRun, script: Script): Promise<void> {
  const { live: { leg }, signal } = run;
  const [first] = script;
  // Only a hang-up makes sense before the answer; what a new script brings waits for it.
  if (leg.direction === "outbound" && first?.type !== "hangup") {
    if (first?.type !== "invite") await unlessAborted(leg.whenAnswered, signal);
  }
  await performSteps(run, script);
  if (!signal.aborted) hangUp(run, "script-end");
}

/** The same without the hang-up; true at a `connect`, which ends it. */
export async function performSteps(run: ScriptRun, script: Script): Promise<boolean> {
  const { signal } = run;
  const steps = [...script];
  for (let step = steps.shift(); step !== undefined && !signal.aborted; step = steps.shift()) {
    if (step.type === "connect") return true;
    const next = await performStep(run, step);
    if (!next || next.length === 0) continue;
    const asksAgain = next.length === 1 && next[0]?.type === "consult";
    if (step.type === "consult" || step.type === "pickup" || asksAgain) {
      steps.unshift(...next);
      continue;
    }
    steps.splice(0, steps.length, ...next);
    run.tookTime = false;
  }
  return false;
}

function performStep(run: ScriptRun, step: PerformedStep): ReturnType<AnyStepHandler> {
  return (stepHandlers[step.type] as AnyStepHandler)(run, step);
}
