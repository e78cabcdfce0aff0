import { dualTone, type Pressed } from "../base/digits.ts";
import { encodeG711, type Law, transcode } from "../codecs/g711.ts";
import { mediaLimits } from "../base/limits.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";
import { isNear, isNewerSequence, type RtpPacket } from "../rtp/rtp.ts";
import type { Encoding, Formats } from "../sdp/sdp.ts";

const SAMPLES_PER_MS = 8;
/** The last packet of an event is sent so often (RFC 4733 §2.5.1.4). */
const EVENT_ENDS = 3;
/** In dBm0 below zero (§2.3.5). */
const EVENT_VOLUME = 10;

/**
 * The RTP stream to one peer. Our own audio and other legs' packets take turns in it, and the peer
 * sees one source whose sequence numbers and timestamps go on (RFC 3550 §5.1). Lost and reordered
 * packets of another leg stay so, for the peer's jitter buffer to see.
 */
export interface Outgoing {
  /** Sends 20 ms of our own audio. */
  frame(pcm: Pcm): void;
  /** Sends 20 ms of a digit. What is sent in the middle of one ends it. */
  press(pressed: Pressed): void;
  /** Whether the peer takes telephone events; else it gets digits as tones. */
  takesEvents(): boolean;
  /** Sends a packet that another leg received, now unless given, in a codec that this peer takes. */
  forward(packet: RtpPacket, encoding: Encoding, at?: number): void;
  /** The peer wants other payload types from now on. */
  setFormats(formats: Formats): void;
}

export interface OutgoingOptions {
  ssrc: number;
  /** The payload types that the peer wants, the most wanted first. */
  formats: Formats;
  /** Monotonic time in ms. */
  now: () => number;
  /** Takes a packet, whose payload is lent until it returns. */
  send: (packet: RtpPacket, at: number) => void;
}

/** Where the frames of all legs are encoded, one after the other. */
const encoded = new Uint8Array(FRAME_SAMPLES);

/** How a source's numbers are moved to continue the stream. */
interface Source {
  ssrc: number;
  sequenceShift: number;
  timestampShift: number;
  /** Of its newest packet. */
  sequence: number;
  timestamp: number;
}

export function createOutgoing({ ssrc, now, send, ...options }: OutgoingOptions): Outgoing {
  let { formats } = options;
  const [random] = crypto.getRandomValues(new Uint32Array(1)) as unknown as [number];
  // In the lower half: who hears SRTP late must not take a wrap for the beginning (RFC 3711 §3.3.1).
  let sequence = random & 0x7fff;
  let timestamp = random;
  let sentAt = now();
  /** The other leg's source; none while the audio is ours. */
  let source: Source | undefined;
  /** Of the packet that was forwarded last. */
  let passed: Passage | undefined;
  let silent = true;
  let event: { code: number; timestamp: number; duration: number } | undefined;

  const elapsedSamples = (at = now()) =>
    Math.max(1, Math.round((at - sentAt) * SAMPLES_PER_MS / FRAME_SAMPLES)) * FRAME_SAMPLES;

  const emit = (packet: RtpPacket, at = now()) => {
    if (isNewerSequence(packet.sequence, sequence)) {
      ({ sequence, timestamp } = packet);
      sentAt = at;
    }
    send(packet, at);
  };

  /** Our own sound goes on; the result says whether it begins, and when. */
  const own = () => {
    const begins = silent || source !== undefined || now() - sentAt > mediaLimits.talkspurtGapMs;
    silent = false;
    source = undefined;
    const passed = begins ? elapsedSamples() : FRAME_SAMPLES;
    return { marker: begins, timestamp: (timestamp + passed) >>> 0 };
  };
  const emitEvent = (marker: boolean, ended: boolean) => {
    const { code, duration, timestamp: start } = event!;
    const flags = (ended ? 0x80 : 0) | EVENT_VOLUME;
    emit({
      payloadType: formats.get("telephone-event") ?? 0,
      marker,
      sequence: (sequence + 1) & 0xffff,
      timestamp: start,
      ssrc,
      payload: Uint8Array.of(code, flags, duration >> 8, duration & 0xff),
    });
    // What follows comes after it, though all its packets have its beginning as their time.
    timestamp = (start + duration - FRAME_SAMPLES) >>> 0;
  };
  const endEvent = () => {
    if (event === undefined) return;
    for (let i = 0; i < EVENT_ENDS; i++) emitEvent(false, true);
    event = undefined;
  };

  const frame = (pcm: Pcm) => {
    endEvent();
    const law: Law = preferredLaw(formats);
    emit({
      payloadType: formats.get(law)!,
      ...own(),
      sequence: (sequence + 1) & 0xffff,
      ssrc,
      payload: encodeG711(law, pcm, encoded),
    });
  };

  return {
    takesEvents: () => formats.has("telephone-event"),
    press(pressed) {
      const { code, part } = pressed;
      if (!formats.has("telephone-event")) return frame(dualTone(pressed));
      if (part === "first") endEvent();
      const begins = event === undefined;
      event ??= { code, duration: 0, timestamp: own().timestamp };
      event.duration += FRAME_SAMPLES;
      if (part === "last") endEvent();
      else emitEvent(begins, false);
    },
    frame,
    forward(packet, encoding, at = now()) {
      if (passed?.encoding !== encoding) passed = passageOf(formats, encoding);
      const { crossedFrom, payloadType } = passed;
      if (payloadType === undefined) return;
      endEvent();
      const begins = source === undefined || !continues(source, packet) ||
        (encoding !== "telephone-event" && wentBack(source, packet));
      if (begins) {
        source = {
          ssrc: packet.ssrc,
          sequence: packet.sequence,
          timestamp: packet.timestamp,
          sequenceShift: sequence + 1 - packet.sequence,
          timestampShift: timestamp + elapsedSamples(at) - packet.timestamp,
        };
      }
      if (isNewerSequence(packet.sequence, source!.sequence)) {
        source!.sequence = packet.sequence;
        source!.timestamp = packet.timestamp;
      }
      emit({
        payloadType,
        payload: crossedFrom ? transcode(crossedFrom, packet.payload) : packet.payload,
        marker: packet.marker || begins,
        ssrc,
        sequence: (packet.sequence + source!.sequenceShift) & 0xffff,
        timestamp: (packet.timestamp + source!.timestampShift) >>> 0,
      }, at);
    },
    setFormats(next) {
      endEvent();
      formats = next;
      passed = undefined;
    },
  };
}

/** How packets of an encoding reach the peer; not at all without a payload type. */
interface Passage {
  encoding: Encoding;
  payloadType: number | undefined;
  /** The law that they are in, where the peer takes the other one. */
  crossedFrom: Law | undefined;
}

function passageOf(formats: Formats, encoding: Encoding): Passage {
  const crossedFrom = encoding === "telephone-event" || formats.has(encoding)
    ? undefined
    : encoding;
  const payloadType = formats.get(crossedFrom ? preferredLaw(formats) : encoding);
  return { encoding, payloadType, crossedFrom };
}

/** Whether a packet goes on where its source was; one that jumps has begun anew. */
const continues = (source: Source, packet: RtpPacket) =>
  source.ssrc === packet.ssrc && isNear(source.sequence, packet.sequence) &&
  Math.abs((packet.timestamp - source.timestamp) | 0) <= mediaLimits.maxTimestampJump;

/** Whether a later packet of sound is of an earlier time: its clock began anew. */
const wentBack = (source: Source, { sequence, timestamp }: RtpPacket) =>
  isNewerSequence(sequence, source.sequence) && ((timestamp - source.timestamp) | 0) < 0;

const preferredLaw = (formats: Formats): Law => {
  for (const encoding of formats.keys()) if (encoding !== "telephone-event") return encoding;
  throw new Error("Cannot send audio: no codec was agreed");
};
