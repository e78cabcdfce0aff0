import { levelOf } from "../audio/voice.ts";
import { createConcealment, HISTORY_SAMPLES } from "../rtp/concealment.ts";
import { FRAME_SAMPLES, type Pcm, SILENCE } from "../base/port.ts";
import { isNewerSequence, type RtpPacket } from "../rtp/rtp.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * One track of a stream as an even row of frames, each as soon as it is complete: its receiver keeps
 * time for itself, so that no jitter buffer delays it. Packets come in their order, what is lost is
 * concealed, and silence stands for a time in which nothing comes.
 */
export interface TrackFrames {
  /** A packet of a peer, by order of arrival; `decode` is called in the order of sending. */
  packet(packet: Arrived, decode: () => Pcm): void;
  /** A frame of our own. */
  frame(pcm: Pcm): void;
  /** To be called every 20 ms or so. */
  tick(): void;
}

/** Packets that wait for one before them. */
const REORDERED = 2;
/** Packets that are concealed where more are lost in a row. */
const CONCEALED = 3;
/** In ms: nothing comes, so that silence follows; what the silence stays behind the time. */
const QUIET_MS = 60;
const BEHIND_MS = 40;
/** Sound so far ahead of the time is left out where it is quiet, and so far where it is not. */
const AHEAD_MS = 200;
const FAR_AHEAD_MS = 1_000;
const QUIET_DB = -50;

/** Fields that order packets. */
type Arrived = Pick<RtpPacket, "ssrc" | "sequence">;

interface Waiting {
  packet: Arrived;
  decode: () => Pcm;
}

interface State {
  onFrame: (frame: Pcm) => void;
  now: () => number;
  startedAt: number;
  heardAt: number;
  frames: number;
  /** The frame that is being filled, and one of silence. */
  filling: Pcm;
  silence: Pcm;
  filled: number;
  /** Latest samples, the newest at the end. */
  history: Pcm;
  concealment: ReturnType<typeof createConcealment>;
  last: { ssrc: number; sequence: number } | undefined;
  waiting: Waiting[];
}

export function createTrackFrames(
  { onFrame, now, frameSamples = FRAME_SAMPLES }: {
    onFrame(frame: Pcm): void;
    now(): number;
    /** In 20 ms. What is lost at another rate than 8 kHz is silence. */
    frameSamples?: number;
  },
): TrackFrames {
  const state: State = {
    onFrame,
    now,
    startedAt: now(),
    heardAt: now(),
    frames: 0,
    filling: new Int16Array(frameSamples),
    silence: frameSamples === FRAME_SAMPLES ? SILENCE : new Int16Array(frameSamples),
    filled: 0,
    history: new Int16Array(HISTORY_SAMPLES),
    concealment: createConcealment(),
    last: undefined,
    waiting: [],
  };
  return {
    packet: (packet, decode) => take(state, { packet, decode }),
    frame(pcm) {
      state.heardAt = state.now();
      release(state);
      state.last = undefined;
      append(state, pcm);
    },
    tick() {
      const at = state.now();
      if (at - state.heardAt < QUIET_MS) return;
      release(state);
      if (state.filled > 0) append(state, state.silence.subarray(state.filled));
      while (state.frames * 20 + BEHIND_MS <= at - state.startedAt) emit(state, state.silence);
    },
  };
}

function take(state: State, arrived: Waiting): void {
  const { packet: { ssrc, sequence } } = arrived;
  state.heardAt = state.now();
  const { last, waiting } = state;
  if (last === undefined || last.ssrc !== ssrc) {
    release(state);
    return play(state, arrived);
  }
  if (!isNewerSequence(sequence, last.sequence)) return restarted(state, arrived);
  waiting.push(arrived);
  waiting.sort((a, b) => isNewerSequence(a.packet.sequence, b.packet.sequence) ? 1 : -1);
  playNext(state);
  if (waiting.length <= REORDERED) return;
  const lost = ((waiting[0]!.packet.sequence - state.last!.sequence) & 0xffff) - 1;
  conceal(state, Math.min(lost, CONCEALED));
  play(state, waiting.shift()!);
  playNext(state);
}

/** A late packet is left out, whatever is far behind begins a new count. */
function restarted(state: State, arrived: Waiting): void {
  const behind = (state.last!.sequence - arrived.packet.sequence) & 0xffff;
  if (behind > 100) play(state, arrived);
}

/** Plays what waits as far as nothing is missing; what came twice is left out. */
function playNext(state: State): void {
  const { waiting } = state;
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    const step = (first.packet.sequence - state.last!.sequence) & 0xffff;
    if (step > 1 && step < 0x8000) return;
    waiting.shift();
    if (step === 1) play(state, first);
  }
}

/** Plays all that waits, whatever is missing. */
function release(state: State): void {
  for (const one of state.waiting.splice(0)) play(state, one);
}

function play(state: State, { packet: { ssrc, sequence }, decode }: Waiting): void {
  state.last = { ssrc, sequence };
  const { concealment } = state;
  const pcm = decode();
  append(state, concealment.active ? pcm.map((sample) => concealment.blend(sample)) : pcm);
}

function conceal(state: State, frames: number): void {
  const { concealment, history, filling } = state;
  const samples = frames * filling.length;
  if (filling.length !== FRAME_SAMPLES) return append(state, new Int16Array(samples));
  if (!concealment.active) concealment.begin(history);
  append(state, Int16Array.from({ length: samples }, () => Math.round(concealment.next())));
}

function append(state: State, pcm: Pcm): void {
  for (let at = 0; at < pcm.length;) {
    const part = pcm.subarray(at, at + state.filling.length - state.filled);
    state.filling.set(part, state.filled);
    state.filled += part.length;
    at += part.length;
    if (state.filled < state.filling.length) return;
    state.filled = 0;
    remember(state, state.filling);
    if (!isTooMuch(state, state.filling)) emit(state, state.filling);
  }
}

function remember({ history }: State, frame: Pcm): void {
  if (frame.length !== FRAME_SAMPLES) return;
  history.copyWithin(0, frame.length);
  history.set(frame, history.length - frame.length);
}

/** True where the track is ahead of the time, after a pause of the network that silence stands for. */
function isTooMuch({ frames, startedAt, now }: State, frame: Pcm): boolean {
  const ahead = frames * 20 - (now() - startedAt);
  return ahead > FAR_AHEAD_MS || ahead > AHEAD_MS && levelOf(frame) < QUIET_DB;
}

function emit(state: State, frame: Pcm): void {
  state.frames++;
  state.onFrame(frame);
}
