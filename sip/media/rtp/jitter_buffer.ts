import { createConcealment, HISTORY_SAMPLES } from "./concealment.ts";
import { decodedSamples, type Law } from "../codecs/g711.ts";
import { newFrame } from "../base/new_frame.ts";
import { COMPARED, LONGEST_PERIOD, periodBefore } from "./pitch.ts";
import { createPlayoutDelay } from "./playout_delay.ts";
import { FRAME_SAMPLES, type Pcm, SILENCE } from "../base/port.ts";
import { isNewerSequence, type RtpPacket } from "./rtp.ts";
import { createSampleRing, RING_SAMPLES, type SampleRing } from "./sample_ring.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array,
// and `stream` where a packet of the stream has its place.

/**
 * One peer's stream as an even flow of samples. Packets of any length come in any order; frames are
 * taken at the pace of our own clock, 20 to 200 ms behind, which follows the network's jitter and the
 * drift between the clocks by stretching and shortening the sound by whole periods.
 */
export interface JitterBuffer {
  push(packet: RtpPacket, law: Law): void;
  /** The peer sent a telephone event instead of sound, from a timestamp on: nothing is missing. */
  pushEvent(packet: RtpPacket): void;
  /** The next frame, not to be written to; silence where there is nothing. */
  pull(): Pcm;
  readonly counts: Readonly<JitterCounts>;
}

export interface JitterCounts {
  /** Packets that came too late to be heard, and those that came before. */
  late: number;
  duplicate: number;
  /** Samples made up in place of lost ones. */
  concealed: number;
}

/** A packet longer than any sender's is not sound. */
const LONGEST_PACKET = 1_600;
/** A packet so early, in samples, or frames of nothing but late packets, are of a new count. */
const FAR_AHEAD = 3_200;
const LATE_FRAMES = 10;
/** A packet so late, in samples, tells nothing of the network. */
const FAR_BEHIND = 1_600;
/** Frames between two changes of the pace. */
const PACE_FRAMES = 4;

/** The newest packet of the stream, where it belongs, and where the stream begins. */
interface Stream {
  ssrc: number;
  sequence: number;
  timestamp: number;
  position: number;
  origin: number;
}

interface State {
  ring: SampleRing;
  counts: JitterCounts;
  delay: ReturnType<typeof createPlayoutDelay>;
  concealment: ReturnType<typeof createConcealment>;
  stream: Stream | undefined;
  /** The position that is played next, and the one behind the last true sample played. */
  head: number;
  played: number;
  frames: number;
  /** The frame at which packets began to be late and nothing else. */
  lateSince: number | undefined;
  pacedAt: number;
  inEvent: boolean;
}

export function createJitterBuffer(): JitterBuffer {
  const state: State = {
    ring: createSampleRing(),
    counts: { late: 0, duplicate: 0, concealed: 0 },
    delay: createPlayoutDelay(),
    concealment: createConcealment(),
    stream: undefined,
    head: HISTORY_SAMPLES,
    played: 0,
    frames: 0,
    lateSince: undefined,
    pacedAt: 0,
    inEvent: false,
  };
  return {
    counts: state.counts,
    push: (packet, law) => push(state, packet, decodedSamples(law)),
    pushEvent: (packet) => pushEvent(state, packet),
    pull: () => pull(state),
  };
}

/** Position of a packet's first sample; undefined for another stream. */
function positionOf({ stream }: State, { ssrc, timestamp }: RtpPacket): number | undefined {
  if (stream?.ssrc !== ssrc) return undefined;
  return stream.position + ((timestamp - stream.timestamp) | 0);
}

function push(state: State, packet: RtpPacket, decoded: Pcm): void {
  const { payload: { length } } = packet;
  if (length === 0 || length > LONGEST_PACKET) return;
  state.inEvent = false;
  const position = placeOf(state, packet);
  if (position === undefined) return;
  const { ring, stream } = state;
  if (position + length > ring.end) {
    stream!.position = position;
    stream!.timestamp = packet.timestamp;
    stream!.sequence = packet.sequence;
  }
  ring.fill(position, packet.payload, decoded);
}

/**
 * Position of a packet; undefined when it is of no use. A clock that goes back makes no
 * duplicates.
 */
function placeOf(state: State, packet: RtpPacket): number | undefined {
  const { ring, counts, delay, stream, frames } = state;
  const position = positionOf(state, packet);
  if (position === undefined) return restart(state, packet);
  const isNext = isNewerSequence(packet.sequence, stream!.sequence);
  if (ring.has(position) && !isNext) return void counts.duplicate++;
  const margin = position - state.head;
  const isNew = margin > FAR_AHEAD || (margin < 0 && isAnew(state, packet, margin));
  if (isNew) return restart(state, packet);
  if (margin >= -FAR_BEHIND) delay.note(margin);
  // Nothing after it was played: playing goes back to it, and has waited for it so far.
  if (margin < 0 && position >= state.played) goBack(state, Math.min(-margin, delay.room()));
  const late = position + packet.payload.length <= state.head;
  if (!late) state.lateSince = undefined;
  else {
    state.lateSince ??= frames;
    counts.late++;
  }
  stream!.origin = Math.min(stream!.origin, position);
  return late ? undefined : position;
}

/**
 * True where a packet that is too late is of a peer whose clock jumped or stood still, or comes after
 * more than any delay can hold, as when this process stood still: else nothing would be heard until
 * the margins from before are forgotten.
 */
function isAnew(state: State, { marker, sequence }: RtpPacket, margin: number): boolean {
  const { ring, head, frames, lateSince, stream } = state;
  const isEmpty = ring.end <= head;
  if (isEmpty && frames - (lateSince ?? frames) >= LATE_FRAMES) return true;
  if (margin >= -FAR_BEHIND) return false;
  const isNext = isNewerSequence(sequence, stream!.sequence);
  return isNext && ((isEmpty && marker) || margin < -RING_SAMPLES);
}

function goBack(state: State, samples: number): void {
  state.head -= samples;
  state.delay.grew(samples);
}

/** A stream begins, or goes on elsewhere; what is left of the one before fades away. */
function restart(state: State, { ssrc, sequence, timestamp }: RtpPacket): number {
  const { ring, delay, concealment, head, stream } = state;
  if (stream !== undefined && !concealment.active) concealment.begin(history(state));
  delay.restart();
  const position = head + delay.first;
  delay.note(delay.first);
  ring.truncate(head);
  state.stream = { ssrc, sequence, timestamp, position, origin: position };
  state.lateSince = undefined;
  return position;
}

function pushEvent(state: State, packet: RtpPacket): void {
  const position = positionOf(state, packet);
  if (position === undefined || packet.payload.length < 4) return;
  const { ring, head } = state;
  const end = position + ((packet.payload[2]! << 8) | packet.payload[3]!);
  state.inEvent = true;
  if (end > ring.end && end - head <= FAR_AHEAD) ring.silence(Math.max(position, head), end);
}

function pull(state: State): Pcm {
  const { ring, delay, concealment, stream, head } = state;
  if (stream === undefined) return SILENCE;
  state.frames++;
  delay.tick();
  if (ring.end <= head && (concealment.faded || state.inEvent)) {
    for (let i = 0; i < FRAME_SAMPLES; i++) ring.makeUp(head + i, 0);
    state.head += FRAME_SAMPLES;
    return SILENCE;
  }
  return pace(state) ?? frame(state);
}

function frame(state: State): Pcm {
  const { ring, concealment, head } = state;
  const result = newFrame();
  if (!concealment.active && ring.hasAll(head, head + FRAME_SAMPLES)) {
    ring.copy(head, result);
    state.head = state.played = head + FRAME_SAMPLES;
    return result;
  }
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    const position = head + i;
    if (ring.has(position)) {
      const sample = ring.get(position);
      result[i] = concealment.active ? concealment.blend(sample) : sample;
      state.played = position + 1;
    } else result[i] = madeUp(state, position);
  }
  state.head += FRAME_SAMPLES;
  return result;
}

function madeUp(state: State, position: number): number {
  const { ring, concealment, counts, stream, inEvent } = state;
  if (!concealment.active) concealment.begin(history(state, position));
  const sample = inEvent ? 0 : Math.round(concealment.next());
  if (position >= stream!.origin && !concealment.faded && !inEvent) counts.concealed++;
  ring.makeUp(position, sample);
  return sample;
}

function history({ ring, head }: State, end = head): Pcm {
  const samples: Pcm = new Int16Array(HISTORY_SAMPLES);
  ring.copy(end - HISTORY_SAMPLES, samples);
  return samples;
}

/** A frame that stretches or shortens the sound by a period, when that is due and can be done. */
function pace(state: State): Pcm | undefined {
  const { ring, delay, concealment, head, frames } = state;
  if (frames - state.pacedAt < PACE_FRAMES || concealment.active) return undefined;
  const wanted = delay.wanted();
  const needed = FRAME_SAMPLES + (wanted > 0 ? 0 : LONGEST_PERIOD);
  if (wanted === 0 || !ring.hasAll(head, head + needed)) return undefined;
  state.pacedAt = frames;
  // The sound from `middle` on is like that one period before: one passes into the other.
  const middle = wanted > 0 ? head : head + LONGEST_PERIOD;
  const around = new Int16Array(LONGEST_PERIOD + Math.max(COMPARED, FRAME_SAMPLES));
  ring.copy(middle - LONGEST_PERIOD, around);
  const period = periodBefore(around, LONGEST_PERIOD);
  return wanted > 0 ? merge(state, head, -period) : merge(state, head, period);
}

/** A frame that begins as the sound at a position and ends as the sound `shift` samples further. */
function merge(state: State, position: number, shift: number): Pcm {
  const { ring, delay } = state;
  const result = newFrame();
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    const part = (i + 1) / FRAME_SAMPLES;
    result[i] = ring.get(position + i) * (1 - part) + ring.get(position + shift + i) * part;
  }
  state.head += FRAME_SAMPLES + shift;
  state.played = state.head;
  delay.grew(-shift);
  return result;
}
