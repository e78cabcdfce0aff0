import { dualTone, type Pressed } from "../base/digits.ts";
import { encodeG711, type Law, transcode } from "../codecs/g711.ts";
import { mediaLimits } from "../base/limits.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";
import { isNear, isNewerSequence, type RtpPacket } from "../rtp/rtp.ts";
import { withDurationScaled } from "../rtp/telephone_event.ts";
import type { Encoding, Formats } from "../sdp/sdp.ts";

const SAMPLES_PER_MS = 8;
/** Times that the last packet of an event is sent (RFC 4733 §2.5.1.4). */
const EVENT_ENDS = 3;
/** Volume of events in dBm0 below zero (§2.3.5). */
const EVENT_VOLUME = 10;

/**
 * The RTP stream to one peer. Frames of our own and packets of other legs take turns in it. The peer
 * sees one source with continuous sequence numbers and timestamps (RFC 3550 §5.1). Loss and
 * reordering of a forwarded stream remain visible to the peer's jitter buffer.
 */
export interface Outgoing {
  /** Sends 20 ms of our own audio. */
  frame(pcm: Pcm): void;
  /** Sends 20 ms of a digit. A frame or a forwarded packet sent during a digit ends the digit. */
  press(pressed: Pressed): void;
  /** True where the peer takes telephone events; otherwise digits are sent as tones. */
  takesEvents(): boolean;
  /** Sends a packet that another leg received, by default now. Drops it without a payload type. */
  forward(packet: RtpPacket, encoding: Encoding, at?: number): void;
  /** Changes the payload types that the peer wants, and its units for a duration of an event. */
  setFormats(formats: Formats, eventScale?: number): void;
}

export interface OutgoingOptions {
  ssrc: number;
  /** The payload types that the peer wants, in its order of preference. */
  formats: Formats;
  /** The peer's units of a duration of a telephone event for one of ours; 1 unless given. */
  eventScale?: number;
  /** Monotonic time in ms. */
  now: () => number;
  /** Takes a packet, whose payload is lent until it returns. */
  send: (packet: RtpPacket, at: number) => void;
}

/** Buffer that the frames of all legs are encoded into, one after the other. */
const encoded = new Uint8Array(FRAME_SAMPLES);

/** A forwarded stream, and the shifts that make its numbers continue ours. */
interface Source {
  ssrc: number;
  sequenceShift: number;
  timestampShift: number;
  /** Of its newest packet. */
  sequence: number;
  timestamp: number;
}

/** A telephone event that is being sent. */
interface DigitEvent {
  code: number;
  /** Timestamp of its beginning, which all its packets have (RFC 4733 §2.2.1). */
  timestamp: number;
  duration: number;
}

interface State extends Required<OutgoingOptions> {
  /** Of the newest packet sent. */
  sequence: number;
  timestamp: number;
  sentAt: number;
  /** The forwarded stream; undefined while we send our own audio. */
  source: Source | undefined;
  /** For the encoding of the packet forwarded last. */
  passage: Passage | undefined;
  /** True where no frame or digit of ours has been sent yet. */
  silent: boolean;
  event: DigitEvent | undefined;
}

/** Starts a stream at random numbers (RFC 3550 §5.1). */
export function createOutgoing(
  { ssrc, formats, eventScale = 1, now, send }: OutgoingOptions,
): Outgoing {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const state: State = {
    ssrc,
    formats,
    eventScale,
    now,
    send,
    // In the lower half: a late receiver of SRTP must not take a wrap for the start (RFC 3711 §3.3.1).
    sequence: random & 0x7fff,
    timestamp: random,
    sentAt: now(),
    source: undefined,
    passage: undefined,
    silent: true,
    event: undefined,
  };
  return {
    takesEvents: () => state.formats.has("telephone-event"),
    press: (pressed) => pressDigit(state, pressed),
    frame: (pcm) => sendFrame(state, pcm),
    forward(packet, encoding, at = now()) {
      if (state.passage?.encoding !== encoding) state.passage = passageOf(state.formats, encoding);
      const { crossedFrom, payloadType } = state.passage;
      if (payloadType === undefined) return;
      endEvent(state);
      const continued = continuedSource(state, packet, encoding);
      const source = continued ?? (state.source = newSource(state, packet, at));
      if (isNewerSequence(packet.sequence, source.sequence)) {
        source.sequence = packet.sequence;
        source.timestamp = packet.timestamp;
      }
      emit(state, {
        payloadType,
        payload: passed(state, packet, crossedFrom),
        marker: packet.marker || continued === undefined,
        ssrc,
        sequence: (packet.sequence + source.sequenceShift) & 0xffff,
        timestamp: (packet.timestamp + source.timestampShift) >>> 0,
      }, at);
    },
    setFormats(formats, eventScale = 1) {
      endEvent(state);
      state.formats = formats;
      state.eventScale = eventScale;
      state.passage = undefined;
    },
  };
}

function emit(state: State, packet: RtpPacket, at: number): void {
  if (isNewerSequence(packet.sequence, state.sequence)) {
    state.sequence = packet.sequence;
    state.timestamp = packet.timestamp;
    state.sentAt = at;
  }
  state.send(packet, at);
}

/** The time since the newest packet in whole frames, at least one. */
const elapsedSamples = (state: State, at: number) =>
  Math.max(1, Math.round((at - state.sentAt) * SAMPLES_PER_MS / FRAME_SAMPLES)) * FRAME_SAMPLES;

/** Continues with our own audio. The marker says that it begins (RFC 3551 §4.1). */
function ownTiming(state: State): { marker: boolean; timestamp: number } {
  const at = state.now();
  const marker = state.silent || state.source !== undefined ||
    at - state.sentAt > mediaLimits.talkspurtGapMs;
  state.silent = false;
  state.source = undefined;
  const elapsed = marker ? elapsedSamples(state, at) : FRAME_SAMPLES;
  return { marker, timestamp: (state.timestamp + elapsed) >>> 0 };
}

function sendFrame(state: State, pcm: Pcm): void {
  endEvent(state);
  const law = preferredLaw(state.formats);
  const { marker, timestamp } = ownTiming(state);
  emit(state, {
    payloadType: state.formats.get(law)!, // One of its keys.
    marker,
    timestamp,
    sequence: (state.sequence + 1) & 0xffff,
    ssrc: state.ssrc,
    payload: encodeG711(law, pcm, encoded),
  }, state.now());
}

function pressDigit(state: State, pressed: Pressed): void {
  const { code, part } = pressed;
  if (!state.formats.has("telephone-event")) return sendFrame(state, dualTone(pressed));
  if (part === "first") endEvent(state);
  const begins = state.event === undefined;
  const event = state.event ??= { code, duration: 0, timestamp: ownTiming(state).timestamp };
  event.duration += FRAME_SAMPLES;
  if (part === "last") endEvent(state);
  else sendEvent(state, event, begins ? "start" : "middle");
}

/** Sends the last packet of the event under way, if any. */
function endEvent(state: State): void {
  const { event } = state;
  if (event === undefined) return;
  for (let i = 0; i < EVENT_ENDS; i++) sendEvent(state, event, "end");
  state.event = undefined;
}

function sendEvent(state: State, event: DigitEvent, place: "start" | "middle" | "end"): void {
  const { code, duration, timestamp } = event;
  const flags = (place === "end" ? 0x80 : 0) | EVENT_VOLUME;
  emit(state, {
    payloadType: state.formats.get("telephone-event") ?? 0,
    marker: place === "start",
    sequence: (state.sequence + 1) & 0xffff,
    timestamp,
    ssrc: state.ssrc,
    payload: withDurationScaled(
      Uint8Array.of(code, flags, duration >> 8, duration & 0xff),
      state.eventScale,
    ),
  }, state.now());
  // All packets of an event carry the time it began; the audio after it continues from its end.
  state.timestamp = (timestamp + duration - FRAME_SAMPLES) >>> 0;
}

/** The payload of a packet of another leg as the peer takes it. */
function passed(
  { passage, eventScale }: State,
  { payload }: RtpPacket,
  crossedFrom: Law | undefined,
): Uint8Array {
  if (passage?.encoding === "telephone-event") return withDurationScaled(payload, eventScale);
  return crossedFrom ? transcode(crossedFrom, payload) : payload;
}

/** Sending of packets of an encoding to the peer. Without a payload type they are dropped. */
interface Passage {
  encoding: Encoding;
  payloadType: number | undefined;
  /** The law of the packets when the peer takes only the other law. */
  crossedFrom: Law | undefined;
}

function passageOf(formats: Formats, encoding: Encoding): Passage {
  const crossedFrom = encoding === "telephone-event" || formats.has(encoding)
    ? undefined
    : encoding;
  const payloadType = formats.get(crossedFrom ? preferredLaw(formats) : encoding);
  return { encoding, payloadType, crossedFrom };
}

/** The source that a packet continues; undefined when the packet begins a new one. */
function continuedSource(state: State, packet: RtpPacket, encoding: Encoding): Source | undefined {
  const { source } = state;
  if (source === undefined || !continues(source, packet)) return undefined;
  return encoding !== "telephone-event" && wentBack(source, packet) ? undefined : source;
}

const newSource = (state: State, packet: RtpPacket, at: number): Source => ({
  ssrc: packet.ssrc,
  sequence: packet.sequence,
  timestamp: packet.timestamp,
  sequenceShift: state.sequence + 1 - packet.sequence,
  timestampShift: state.timestamp + elapsedSamples(state, at) - packet.timestamp,
});

/** True where a packet is of the source and near its newest one; after a jump the source is new. */
const continues = (source: Source, packet: RtpPacket) =>
  source.ssrc === packet.ssrc && isNear(source.sequence, packet.sequence) &&
  Math.abs((packet.timestamp - source.timestamp) | 0) <= mediaLimits.maxTimestampJump;

/** True where a later audio packet has an earlier timestamp: the sender restarted its clock. */
const wentBack = (source: Source, { sequence, timestamp }: RtpPacket) =>
  isNewerSequence(sequence, source.sequence) && ((timestamp - source.timestamp) | 0) < 0;

const preferredLaw = (formats: Formats): Law => {
  for (const encoding of formats.keys()) if (encoding !== "telephone-event") return encoding;
  throw new Error("Cannot send audio: no codec was agreed");
};
