import type { ConversationSettings } from "../../core/protocol/streams.ts";
import { sipLimits } from "../base/limits.ts";
import {
  createVoiceDetector,
  type MediaLeg,
  type Pcm,
  type Recognised,
  type Recogniser,
} from "../media/mod.ts";
import { createUtterances, type Utterances } from "./steps/utterance.ts";

export interface HearingOptions {
  media: Pick<MediaLeg, "listen">;
  recogniser: Recogniser;
  settings: Pick<ConversationSettings["hearing"], "hints" | "hasPartials" | "pauseMs">;
  interruptAfterMs: number;
  /** Of the words, as it is when they were said. */
  language(): string;
  /** The caller begins or ceases to speak. */
  onSpeaking(isSpeaking: boolean): void;
  /** Speech has gone on for `interruptAfterMs`; again where it does so after a rest. */
  onSpeech(): void;
  /** True when the words of the utterance that has just ended are wanted. */
  isWanted(): boolean;
  onWords(words: Recognised, language: string, isLast: boolean): void;
  onProblem(message: string): void;
}

interface State {
  options: HearingOptions;
  utterances: Utterances;
  /** Frames since the caller began, or went on after a rest, and whether `onSpeech` was called. */
  frames: number;
  isTold: boolean;
  /** Utterances that wait to be understood, and the last of them. */
  waiting: number;
  last: Promise<void>;
  looked: number;
  isLooking: boolean;
  over: AbortController;
}

/** Understands what a caller says, utterance by utterance, until the result is called. */
export function hear(options: HearingOptions): () => void {
  const { pauseMs } = options.settings;
  const over = new AbortController();
  const utterances = createUtterances(createVoiceDetector(), {
    onStart: () => begin(state),
    onResume: () => listenAnew(state),
    onEnd: (pcm) => end(state, pcm),
  }, { pauseMs });
  const state: State = {
    options,
    utterances,
    frames: 0,
    isTold: false,
    waiting: 0,
    last: Promise.resolve(),
    looked: 0,
    isLooking: false,
    over,
  };
  const stop = options.media.listen((frame) => {
    if (over.signal.aborted) return;
    utterances.take(frame);
    if (utterances.samples === 0) return;
    state.frames++;
    judge(state);
    lookAhead(state);
  });
  return () => {
    over.abort("over");
    stop();
  };
}

function begin(state: State): void {
  state.looked = 0;
  listenAnew(state);
  state.options.onSpeaking(true);
}

/** Has the speech from here on interrupt what is said. */
function listenAnew(state: State): void {
  state.frames = 0;
  state.isTold = false;
}

/** Interrupts, once speech has gone on for long enough. */
function judge(state: State): void {
  if (state.isTold || state.frames * 20 < state.options.interruptAfterMs) return;
  state.isTold = true;
  state.options.onSpeech();
}

function end(state: State, pcm: Pcm): void {
  const { options } = state;
  options.onSpeaking(false);
  if (!options.isWanted()) return;
  if (state.waiting >= sipLimits.conversation.waitingUtterances) {
    return options.onProblem("the caller speaks faster than speech is understood");
  }
  state.waiting++;
  const language = options.language();
  state.last = state.last.then(() => recognise(state, { pcm, language, isLast: true }))
    .finally(() => state.waiting--);
}

/** Reports the words so far every `partialSpeechMs`, one recognition after the other. */
function lookAhead(state: State): void {
  const { options, utterances: { samples } } = state;
  const every = sipLimits.partialSpeechMs * 8;
  if (!options.settings.hasPartials || !state.isTold || state.isLooking) return;
  if (samples - state.looked < every || !options.isWanted()) return;
  state.looked = samples;
  state.isLooking = true;
  const pcm = state.utterances.soFar();
  const look = recognise(state, { pcm, language: options.language(), isLast: false });
  void look.finally(() => state.isLooking = false);
}

async function recognise(
  { options, over: { signal } }: State,
  { pcm, language, isLast }: { pcm: Pcm; language: string; isLast: boolean },
): Promise<void> {
  const { recogniser, settings: { hints } } = options;
  try {
    const words = await recogniser.recognise(pcm, { language, hints }, signal);
    if (signal.aborted || words === null || words.text.trim() === "") return;
    options.onWords(words, language, isLast);
  } catch (error) {
    if (!signal.aborted) options.onProblem(error instanceof Error ? error.message : String(error));
  }
}
