import type { ConversationInput } from "../../core/protocol/streams.ts";
import { overReason, unlessAborted } from "../../core/base/abort.ts";
import { sipLimits } from "../base/limits.ts";
import type { Timers } from "../base/timers.ts";
import type { Pcm } from "../media/mod.ts";
import { sentences, wholeSentences } from "./steps/sentences.ts";

/** Options of a text or sound of the server. */
export interface Manner {
  /** Input that interrupts it. */
  interruptible: ConversationInput;
  /** The next text or sound takes its place. */
  isPreemptible: boolean;
}

/** A part of a text; the last one ends it. */
export interface Token extends Manner {
  token: string;
  isLast: boolean;
  language: string;
}

/** Part of a text that was heard before it was interrupted. */
export interface Heard {
  text: string;
  ms: number;
}

/** Output of a conversation to the caller: texts, sounds and digits, one after the other. */
export interface ConversationOutput {
  /** Adds a token of a text; false, with nothing added, where too much waits already. */
  text(token: Token): boolean;
  sound(sound: Manner & { source: string; loop: number }): boolean;
  digits(digits: string): boolean;
  /** Ends what is said where this interrupts it, and drops what waits; undefined where it does not. */
  interrupt(by: "speech" | "dtmf"): Heard | undefined;
  /** Text of the server counts again, which did not after an interruption. */
  takeTurn(): void;
  /** Something is said, or about to be. */
  readonly isSpeaking: boolean;
  /** Ends all. */
  stop(): void;
}

export interface OutputOptions {
  speak(text: string, language: string, signal: AbortSignal): Promise<Pcm>;
  load(source: string, signal: AbortSignal): Promise<Pcm>;
  play(pcm: Pcm, options: { loop: number; signal: AbortSignal }): Promise<void>;
  press(digits: string, signal: AbortSignal): Promise<void>;
  timers: Timers;
  /** In ms. */
  now(): number;
  /** Sound begins, or all was said. */
  onSpeaking(isSpeaking: boolean): void;
  /** A piece of text was heard. */
  onPlayed(text: string): void;
  /** A text cannot be said, or the sound at `source` cannot be played. */
  onProblem(error: unknown, source?: string): void;
}

/** A text or a sound of the server, and what was heard of it. */
interface Turn extends Manner {
  texts: string[];
  ms: number;
}

interface Item {
  kind: "words" | "sound" | "digits";
  turn: Turn;
  /** A piece of text, an address, or digits. */
  content: string;
  language: string;
  loop: number;
  stop: AbortController;
  pcm?: Promise<Pcm>;
}

/** The text whose tokens come. */
interface Open {
  turn: Turn;
  rest: string;
  language: string;
  /** Was interrupted: what comes of it is not said. */
  isCut: boolean;
  stopTimer(): void;
}

interface State {
  options: OutputOptions;
  queue: Item[];
  waiting: number;
  current: Item | undefined;
  /** Start and length of the current sound, in ms. */
  sounding: { since: number; ms: number } | undefined;
  open: Open | undefined;
  isRunning: boolean;
  isHeard: boolean;
  isOver: boolean;
}

export function createConversationOutput(options: OutputOptions): ConversationOutput {
  const state: State = {
    options,
    queue: [],
    waiting: 0,
    current: undefined,
    sounding: undefined,
    open: undefined,
    isRunning: false,
    isHeard: false,
    isOver: false,
  };
  return {
    text: (token) => addToken(state, token),
    sound({ source, loop, ...manner }) {
      if (isFull(state, source)) return false;
      endText(state);
      preempt(state);
      enqueue(state, { kind: "sound", content: source, loop, turn: newTurn(manner) });
      return true;
    },
    digits(digits) {
      if (isFull(state, digits)) return false;
      endText(state);
      const turn = newTurn({ interruptible: "none", isPreemptible: false });
      enqueue(state, { kind: "digits", content: digits, turn });
      return true;
    },
    interrupt: (by) => interrupt(state, by),
    takeTurn() {
      if (state.open?.isCut) state.open = undefined;
    },
    get isSpeaking() {
      return state.current !== undefined && state.current.kind !== "digits";
    },
    stop() {
      state.isOver = true;
      state.open?.stopTimer();
      state.open = undefined;
      drop(state, () => true);
    },
  };
}

const newTurn = ({ interruptible, isPreemptible }: Manner): Turn => ({
  interruptible,
  isPreemptible,
  texts: [],
  ms: 0,
});

function isFull({ queue, waiting, open, isOver }: State, added: string): boolean {
  const { waitingItems, waitingLength } = sipLimits.conversation;
  const length = waiting + (open?.rest.length ?? 0) + added.length;
  return isOver || queue.length >= waitingItems || length > waitingLength;
}

function addToken(state: State, { token, isLast, language, ...manner }: Token): boolean {
  if (isFull(state, token)) return false;
  if (state.open === undefined) {
    preempt(state);
    state.open = { turn: newTurn(manner), rest: "", language, isCut: false, stopTimer() {} };
  }
  const { open } = state;
  if (open.language !== language) flush(state, open);
  open.language = language;
  open.stopTimer();
  if (isLast) open.rest += token;
  else if (!open.isCut) {
    const { whole, rest } = wholeSentences(open.rest + token, language);
    open.rest = rest;
    sayPieces(state, open, whole);
    const { timers } = state.options;
    open.stopTimer = timers.after(sipLimits.conversation.tokenWaitMs, () => flush(state, open));
  }
  if (isLast) endText(state);
  return true;
}

/** Says the part of a text that has come so far. */
function flush(state: State, open: Open): void {
  const { rest, isCut } = open;
  open.rest = "";
  if (!isCut) sayPieces(state, open, rest);
}

/** Says the rest of the text whose tokens come; the next token begins another one. */
function endText(state: State): void {
  const { open } = state;
  if (open === undefined) return;
  open.stopTimer();
  flush(state, open);
  state.open = undefined;
}

function sayPieces(state: State, { turn, language }: Open, text: string): void {
  for (const content of sentences(text, language)) {
    enqueue(state, { kind: "words", content, language, turn });
  }
}

function enqueue(
  state: State,
  item: Pick<Item, "kind" | "content" | "turn"> & Partial<Item>,
): void {
  state.queue.push({ language: "", loop: 1, stop: new AbortController(), ...item });
  state.waiting += item.content.length;
  void run(state);
}

/** Drops what waits and fits, and ends the current item where that fits. */
function drop(state: State, fits: (item: Item) => boolean): void {
  const { queue, current } = state;
  for (const item of queue) {
    if (!fits(item)) continue;
    item.stop.abort(overReason);
    state.waiting -= item.content.length;
  }
  state.queue = queue.filter(({ stop }) => !stop.signal.aborted);
  if (current !== undefined && fits(current)) current.stop.abort(overReason);
}

const preempt = (state: State): void => drop(state, ({ turn }) => turn.isPreemptible);

function interrupt(state: State, by: "speech" | "dtmf"): Heard | undefined {
  const isBy = ({ turn: { interruptible } }: Pick<Item, "turn">) =>
    interruptible === "any" || interruptible === by;
  const { current, open, options } = state;
  if (current === undefined || current.stop.signal.aborted || !isBy(current)) return undefined;
  const { text, ms } = partHeard(state, current);
  const { turn } = current;
  const heard = { text: [...turn.texts, ...text === "" ? [] : [text]].join(" "), ms: turn.ms + ms };
  if (text !== "") options.onPlayed(text);
  drop(state, isBy);
  if (open !== undefined && isBy(open)) {
    open.stopTimer();
    open.rest = "";
    open.isCut = true;
  }
  return heard;
}

/** Part of the current item that was heard: whole words, by the time that passed. */
function partHeard({ sounding, options }: State, { kind, content }: Item): Heard {
  if (sounding === undefined) return { text: "", ms: 0 };
  const { since, ms: length } = sounding;
  const ms = Math.round(Math.min(options.now() - since, length));
  if (kind !== "words") return { text: "", ms };
  const at = Math.floor(content.length * ms / length);
  const isWhole = /^\s?$/.test(content.charAt(at));
  const end = isWhole ? at : content.lastIndexOf(" ", at);
  return { text: content.slice(0, Math.max(end, 0)), ms };
}

async function run(state: State): Promise<void> {
  if (state.isRunning) return;
  state.isRunning = true;
  for (let item = state.queue.shift(); item !== undefined; item = state.queue.shift()) {
    state.waiting -= item.content.length;
    state.current = item;
    await perform(state, item);
    state.current = state.sounding = undefined;
  }
  state.isRunning = false;
  if (state.isHeard) state.options.onSpeaking(false);
  state.isHeard = false;
}

async function perform(state: State, item: Item): Promise<void> {
  const { options } = state;
  const { kind, content, turn, loop, stop: { signal } } = item;
  try {
    if (kind === "digits") return await options.press(content, signal);
    const pcm = await unlessAborted(make(state, item), signal);
    const [next] = state.queue;
    if (next !== undefined && next.kind !== "digits") void make(state, next).catch(() => {});
    if (pcm === undefined || signal.aborted || pcm.length === 0) return;
    const ms = pcm.length / 8 * loop;
    if (!state.isHeard) options.onSpeaking(true);
    state.isHeard = true;
    state.sounding = { since: options.now(), ms };
    await unlessAborted(options.play(pcm, { loop, signal }), signal);
    if (signal.aborted) return;
    turn.ms += Math.round(ms);
    if (kind !== "words") return;
    turn.texts.push(content);
    options.onPlayed(content);
  } catch (error) {
    if (!signal.aborted) options.onProblem(error, ...kind === "sound" ? [content] : []);
  }
}

/** The sound of an item, which is made once. */
function make({ options }: State, item: Item): Promise<Pcm> {
  const { kind, content, language, stop: { signal } } = item;
  return item.pcm ??= kind === "words"
    ? options.speak(content, language, signal)
    : options.load(content, signal);
}
