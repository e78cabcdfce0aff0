import { decodeG711, encodeG711 } from "../codecs/g711.ts";
import type { OpusCodec } from "../codecs/opus.ts";
import { FRAME_SAMPLES, type Pcm } from "../base/port.ts";
import { createListeners } from "../base/listeners.ts";
import type { RtpPacket } from "../rtp/rtp.ts";
import type { Formats } from "../sdp/sdp.ts";

/**
 * The edge of a leg whose peer has Opus alone: within, it is a leg of PCMU at 8 kHz as every other,
 * with the peer's payload types.
 */
export interface OpusEdge {
  /** Takes a packet of the peer. */
  receive(packet: RtpPacket): void;
  /** Sends the peer a packet of ours. */
  send(packet: RtpPacket): void;
  /** Hands on each packet of the peer's audio as it came; the result ends it. */
  onAudio(listener: (packet: RtpPacket) => void): () => void;
  /** Sends this in place of the next packet of audio. */
  replaceNext(payload: Uint8Array): void;
  /** Changes the peer's payload types. */
  setFormats(formats: Formats): void;
}

export interface OpusEdgeOptions {
  codec: OpusCodec;
  formats: Formats;
  /** Called with each packet of the peer that makes sense, as we speak. */
  onPacket: (packet: RtpPacket) => void;
  /** Called with each packet as the peer speaks. */
  send: (packet: RtpPacket) => void;
}

/** RTP counts Opus at 48 kHz, whatever the sound is (RFC 7587 §4.1), and events beside it too. */
const RATIO = 6;
/** Most of our samples in one packet of Opus. */
const LENGTHS = [20, 40, 80, FRAME_SAMPLES];

export function opusEdge(options: OpusEdgeOptions): OpusEdge {
  const { codec, onPacket, send } = options;
  const typesOf = (formats: Formats) => [formats.get("PCMU"), formats.get("telephone-event")];
  let [audioType, eventType] = typesOf(options.formats);
  const inward = timeScale(1 / RATIO);
  const outward = timeScale(RATIO);
  // In the lower half, as `createOutgoing` has it.
  let sequence = crypto.getRandomValues(new Uint16Array(1))[0]! & 0x7fff;
  let newest: number | undefined;

  const audioListeners = createListeners<RtpPacket>();
  let replacement: Uint8Array | undefined;

  const emit = (packet: RtpPacket, from: number, payload: Uint8Array) => {
    sequence = (sequence + 1) & 0xffff;
    const marker = packet.marker && from === 0;
    send({ ...packet, marker, sequence, timestamp: outward(packet.timestamp + from), payload });
  };
  return {
    onAudio: audioListeners.add,
    setFormats(formats) {
      [audioType, eventType] = typesOf(formats);
    },
    replaceNext(payload) {
      replacement = payload;
    },
    receive(packet) {
      const { payloadType, payload } = packet;
      const timestamp = inward(packet.timestamp);
      if (payloadType === eventType) onPacket({ ...packet, timestamp });
      else if (payloadType === audioType) {
        audioListeners.call(packet);
        const bytes = heard(codec, payload);
        if (bytes !== undefined) onPacket({ ...packet, timestamp, payload: bytes });
      }
    },
    send(packet) {
      if (packet.payloadType === eventType) return emit(packet, 0, packet.payload);
      // The encoder goes on with time: what another leg got out of order stays out.
      if (newest !== undefined && ((packet.timestamp - newest) | 0) <= 0) return;
      newest = packet.timestamp;
      if (replacement !== undefined) {
        emit(packet, 0, replacement);
        replacement = undefined;
        return;
      }
      const pcm = decodeG711("PCMU", packet.payload);
      for (let from = 0; from < pcm.length; from += FRAME_SAMPLES) {
        emit(packet, from, codec.encode(filled(pcm.subarray(from, from + FRAME_SAMPLES))));
      }
    },
  };
}

function heard(codec: OpusCodec, payload: Uint8Array): Uint8Array | undefined {
  try {
    return encodeG711("PCMU", codec.decode(payload));
  } catch {
    // No packet of Opus: lost, as one that the network damaged.
    return undefined;
  }
}

/** Samples with silence behind them, up to a length that Opus has. */
function filled(pcm: Pcm): Pcm {
  const result: Pcm = new Int16Array(LENGTHS.find((length) => length >= pcm.length)!);
  result.set(pcm);
  return result;
}

/** Timestamps at another clock; they wrap at 2^32 on both sides, which their ratio does not divide. */
function timeScale(ratio: number): (timestamp: number) => number {
  let last = 0;
  let whole = 0;
  return (timestamp) => {
    whole += (timestamp - last) | 0;
    last = timestamp;
    const result = Math.floor(whole * ratio) % 2 ** 32;
    return result >>> 0;
  };
}
