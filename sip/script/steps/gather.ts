import {
  type GatherStep,
  type KeyInput,
  keyInput,
  type Prompt,
} from "../../../core/protocol/gather.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { overReason, whenAborted } from "../../../core/base/abort.ts";
import type { Recognised } from "../../media/mod.ts";
import type { Timers } from "../../base/timers.ts";
import { returnedAction, type ScriptRun } from "./script_run.ts";
import { hearWords } from "./speech_input.ts";

/*
 * Input of a Gather. Keys count from the first nested prompt on; the finish key alone is no input. Keys win
 * over speech: after a key, recognition stops. Words end the prompts as keys do. An utterance ends after
 * one second of silence or after a minute. After three utterances without words recognition stops, so that
 * noise does not hold the Gather.
 */

type PerformPrompt = (run: ScriptRun, prompt: Prompt) => unknown;

/** Input of a gather; neither digits nor speech where none came. */
export interface Input {
  digits: string;
  speech: Recognised | undefined;
}

export const isNothing = ({ digits, speech }: Input): boolean =>
  digits === "" && speech === undefined;

/** Plays its prompts and takes what the caller types or says; a report when something came. */
export async function gather(
  run: ScriptRun,
  step: GatherStep,
  performPrompt: PerformPrompt,
): Promise<Script | void> {
  const { live, signal } = run;
  const input = await collect(run, step, performPrompt);
  if (signal.aborted || isNothing(input) && !step.actionOnEmpty) return;
  const { digits, speech } = input;
  if (step.action === undefined) {
    run.typed = digits;
    return;
  }
  const action = returnedAction(run, step.action);
  const event = { type: "gathered", digits, ...speech && { speech }, action } as const;
  return await live.requestScript(event, { signal });
}

/** The same without a report, which is left to the caller of the function. */
export async function collect(
  run: ScriptRun,
  step: GatherStep,
  performPrompt: PerformPrompt,
): Promise<Input> {
  const { calls: { signalling: { timers } }, live, signal } = run;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const clock = patience(timers, step.timeoutS * 1000, end);
  const prompting = within(signal);
  const { bargeIn = true } = step;
  let arePromptsOver = false;
  let speech: Recognised | undefined;
  const hear = () =>
    hearWords(run, step.speech, {
      onSpeech: () => (prompting.end(), clock.stop()),
      onSilence: clock.restart,
      onWords: (words) => (speech = words, end()),
    });
  let stopWords = bargeIn ? hear() : undefined;
  const keys = step.keys && keyInput(step.keys);
  const stopKeys = keys && live.leg.media?.onDigits((key) => {
    const took = keys.take(key);
    if (took === "ignored") return;
    // Keys win over speech.
    stopWords?.();
    if (bargeIn) prompting.end();
    if (took === "done") end();
    else if (bargeIn || arePromptsOver) clock.restart();
  });
  try {
    await playPrompts({ run, signal: prompting.signal }, step.prompts, performPrompt);
    arePromptsOver = true;
    if (!bargeIn && !signal.aborted && typedIn(keys) === "") stopWords = hear();
    if (!prompting.signal.aborted) clock.restart();
    const isTaking = stopWords !== undefined || stopKeys !== undefined;
    run.tookTime ||= isTaking;
    if (isTaking) await Promise.race([over, whenAborted(signal)]);
  } finally {
    clock.stop();
    prompting.end();
    stopKeys?.();
    stopWords?.();
  }
  return { digits: speech === undefined ? typedIn(keys) : "", speech };
}

const typedIn = (keys: KeyInput | undefined): string => keys?.typed ?? "";

/** One after another, until the signal aborts. */
async function playPrompts(
  { run, signal }: { run: ScriptRun; signal: AbortSignal },
  prompts: readonly Prompt[],
  performPrompt: PerformPrompt,
): Promise<void> {
  const playing = { ...run, signal };
  for (const prompt of prompts) {
    if (!signal.aborted) await performPrompt(playing, prompt);
  }
  run.tookTime ||= playing.tookTime;
}

/** A signal that aborts with another one, or before it. */
function within(outer: AbortSignal): { signal: AbortSignal; end(): void } {
  const inner = new AbortController();
  const end = () => {
    outer.removeEventListener("abort", end);
    inner.abort(overReason);
  };
  outer.addEventListener("abort", end);
  if (outer.aborted) end();
  return { signal: inner.signal, end };
}

/** A timer that starts from the beginning again and again. */
function patience(timers: Timers, ms: number, onOver: () => void) {
  let stop = () => {};
  return {
    stop: () => stop(),
    restart() {
      stop();
      stop = timers.after(ms, onOver);
    },
  };
}
