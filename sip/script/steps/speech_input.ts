import type { GatherStep } from "../../../core/protocol/gather.ts";
import { overReason } from "../../../core/base/abort.ts";
import { sipLimits } from "../../base/limits.ts";
import {
  createVoiceDetector,
  forAccount,
  type Pcm,
  type Recognised,
  type Recogniser,
} from "../../media/mod.ts";
import type { ScriptRun } from "./script_run.ts";
import { createUtterances, type Utterances } from "./utterance.ts";

export interface SpeechEvents {
  /** Somebody begins to speak. */
  onSpeech(): void;
  /** It had no words, or none that were recognised. */
  onSilence(): void;
  onWords(words: Recognised): void;
}

type SpeechInput = NonNullable<GatherStep["speech"]>;

/**
 * Listens until words are recognised; the result ends it. Undefined where speech is no input, and, with a
 * problem reported, where there is no speech recognition.
 */
export function hearWords(
  run: ScriptRun,
  input: SpeechInput | undefined,
  events: SpeechEvents,
): (() => void) | undefined {
  const { calls: { recogniser }, live } = run;
  const { media } = live.leg;
  if (input === undefined || media === undefined) return undefined;
  if (recogniser === null) {
    problem(run, "the operator has set up no speech recognition");
    return undefined;
  }
  const listening = new AbortController();
  const ofAccount = forAccount(recogniser, live.leg.accountSid);
  const heard = { run, recogniser: ofAccount, input, events, signal: listening.signal };
  const take = listener(heard);
  const stopFrames = media.listen((frame) => !listening.signal.aborted && take(frame));
  return () => {
    stopFrames();
    listening.abort(overReason);
  };
}

interface Hearing {
  run: ScriptRun;
  recogniser: Recogniser;
  input: SpeechInput;
  events: SpeechEvents;
  /** Aborts when the input is not wanted any more. */
  signal: AbortSignal;
}

/** Takes one frame after another. */
function listener(hearing: Hearing): (frame: Pcm) => void {
  const { events, input: { partials, pauseMs, longestMs }, signal } = hearing;
  let wordless = 0;
  let isBusy = false;
  const utterances = createUtterances(createVoiceDetector(), {
    onStart: events.onSpeech,
    async onEnd(pcm) {
      isBusy = true;
      const words = await recognise(hearing, pcm);
      isBusy = false;
      if (signal.aborted) return;
      if (words !== null) return events.onWords(words);
      wordless++;
      events.onSilence();
    },
  }, { pauseMs, longestMs });
  const tellPartials = partials && partialTeller(hearing, partials);
  return (frame) => {
    if (isBusy || wordless >= sipLimits.wordlessUtterances) return;
    utterances.take(frame);
    tellPartials?.(utterances);
  };
}

/** Null where there are no words, and, with a problem reported, where it failed. */
async function recognise(
  { run, recogniser, input: { language, hints }, signal }: Hearing,
  pcm: Pcm,
): Promise<Recognised | null> {
  try {
    const words = await recogniser.recognise(pcm, { language, hints }, signal);
    return words === null || words.text.trim() === "" ? null : words;
  } catch (error) {
    if (signal.aborted) return null;
    problem(run, error instanceof Error ? error.message : String(error));
    return null;
  }
}

/** Reports the words so far every `partialSpeechMs`, one recognition after the other. */
function partialTeller(
  hearing: Hearing,
  callback: NonNullable<SpeechInput["partials"]>,
): (utterances: Utterances) => void {
  const { run: { live }, signal } = hearing;
  const every = sipLimits.partialSpeechMs * 8;
  let [number, looked, isBusy] = [0, 0, false];
  return (utterances) => {
    const { samples } = utterances;
    if (samples < looked) looked = 0; // Another utterance.
    if (isBusy || samples - looked < every) return;
    looked = samples;
    isBusy = true;
    void recognise(hearing, utterances.soFar()).then((words) => {
      isBusy = false;
      if (words === null || signal.aborted) return;
      live.report({ type: "partial", ...words, number: number++, callback });
    });
  };
}

const problem = ({ live }: ScriptRun, message: string): void =>
  live.report({ type: "problem", url: "", message, about: "recognition" });
