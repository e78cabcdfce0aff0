import { encodeG711, type Law, transcode } from "./g711.ts";
import { mediaLimits } from "./limits.ts";
import type { Pcm } from "./port.ts";
import { isNear, isNewerSequence, type RtpPacket } from "./rtp.ts";
import type { Encoding, Formats } from "./sdp.ts";

/** Samples in one frame, and in one ms. */
export const FRAME_SAMPLES = 160;
const SAMPLES_PER_MS = 8;

/**
 * The RTP stream to one peer. Our own audio and other legs' packets take turns in it, and the peer
 * sees one source whose sequence numbers and timestamps go on (RFC 3550 §5.1). Lost and reordered
 * packets of another leg stay so, for the peer's jitter buffer to see.
 */
export interface Outgoing {
  /** Sends 20 ms of our own audio. */
  frame(pcm: Pcm): void;
  /** Sends a packet that another leg received, in a codec that this peer takes. */
  forward(packet: RtpPacket, encoding: Encoding): void;
  /** The peer wants other payload types from now on. */
  setFormats(formats: Formats): void;
}

export interface OutgoingOptions {
  ssrc: number;
  /** The payload types that the peer wants, the most wanted first. */
  formats: Formats;
  /** Monotonic time in ms. */
  now: () => number;
  send: (packet: RtpPacket) => void;
}

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
  let sequence = random & 0xffff;
  let timestamp = random;
  let sentAt = now();
  /** The other leg's source; none while the audio is ours. */
  let source: Source | undefined;
  let silent = true;

  const elapsedSamples = () =>
    Math.max(1, Math.round((now() - sentAt) * SAMPLES_PER_MS / FRAME_SAMPLES)) * FRAME_SAMPLES;

  const emit = (packet: Omit<RtpPacket, "ssrc">) => {
    if (isNewerSequence(packet.sequence, sequence)) {
      ({ sequence, timestamp } = packet);
      sentAt = now();
    }
    send({ ...packet, ssrc });
  };

  return {
    frame(pcm) {
      const begins = silent || source !== undefined || now() - sentAt > mediaLimits.talkspurtGapMs;
      silent = false;
      source = undefined;
      const law: Law = preferredLaw(formats);
      emit({
        payloadType: formats.get(law)!,
        marker: begins,
        sequence: (sequence + 1) & 0xffff,
        timestamp: (timestamp + (begins ? elapsedSamples() : FRAME_SAMPLES)) >>> 0,
        payload: encodeG711(law, pcm),
      });
    },
    forward(packet, encoding) {
      const translated = translate(packet, encoding, formats);
      if (translated === undefined) return;
      const begins = source === undefined || !continues(source, packet);
      if (begins) {
        source = {
          ...packet,
          sequenceShift: sequence + 1 - packet.sequence,
          timestampShift: timestamp + elapsedSamples() - packet.timestamp,
        };
      }
      if (isNewerSequence(packet.sequence, source!.sequence)) {
        source!.sequence = packet.sequence;
        source!.timestamp = packet.timestamp;
      }
      emit({
        ...translated,
        marker: packet.marker || begins,
        sequence: (packet.sequence + source!.sequenceShift) & 0xffff,
        timestamp: (packet.timestamp + source!.timestampShift) >>> 0,
      });
    },
    setFormats(next) {
      formats = next;
    },
  };
}

/** Whether a packet goes on where its source was; one that jumps has begun anew. */
const continues = (source: Source, packet: RtpPacket) =>
  source.ssrc === packet.ssrc && isNear(source.sequence, packet.sequence) &&
  Math.abs((packet.timestamp - source.timestamp) | 0) <= mediaLimits.maxTimestampJump;

const preferredLaw = (formats: Formats): Law => {
  for (const encoding of formats.keys()) if (encoding !== "telephone-event") return encoding;
  throw new Error("Cannot send audio: no codec was agreed");
};

/** Payload and payload type for a peer; undefined when it takes no such packets. */
function translate({ payload }: RtpPacket, encoding: Encoding, formats: Formats) {
  const payloadType = formats.get(encoding);
  if (payloadType !== undefined) return { payload, payloadType };
  if (encoding === "telephone-event") return undefined;
  const law = preferredLaw(formats);
  return { payload: transcode(encoding, payload), payloadType: formats.get(law)! };
}
