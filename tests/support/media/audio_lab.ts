import { type AudioLeg, createAudioLeg } from "../../../sip/media/engine/audio_leg.ts";
import { decodeG711 } from "../../../sip/media/codecs/g711.ts";
import type { RtpPacket } from "../../../sip/media/rtp/rtp.ts";
import type { Encoding } from "../../../sip/media/sdp/sdp.ts";
import { createTicker } from "../../../sip/media/base/ticker.ts";
import { type HandClock, handClock } from "../process/hand_clock.ts";

/** A leg without a network: it records the sent packets, and the test writes the received ones. */
export interface LabLeg {
  leg: AudioLeg;
  sent: RtpPacket[];
  digits: string[];
  /** The audio sent, decoded. */
  heard(): Int16Array;
  /** The peer sends a packet; its numbers follow the last one's unless given. */
  deliver(packet: Partial<RtpPacket>): void;
}

export interface AudioLab {
  clock: HandClock;
  /** A leg that was connected with these payload types. */
  connect(formats: [Encoding, number][]): LabLeg;
}

export function audioLab(onError?: (error: unknown) => void): AudioLab {
  const clock = handClock();
  const ticker = createTicker(clock, onError);
  let ssrc = 100;
  const connect = (formats: [Encoding, number][]): LabLeg => {
    const sent: RtpPacket[] = [];
    const digits: string[] = [];
    const leg = createAudioLeg({
      turn: ticker.turn(),
      ssrc: ssrc++,
      now: clock.now,
      send: (packet) => sent.push({ ...packet, payload: packet.payload.slice() }),
    });
    leg.onDigits((digit) => digits.push(digit));
    leg.start({
      incoming: new Map(formats.map(([encoding, type]) => [type, encoding])),
      outgoing: new Map(formats),
    });
    let last = { ...packet, ssrc: ssrc++ };
    return {
      leg,
      sent,
      digits,
      heard: () => decoded(sent, new Map(formats.map(([encoding, type]) => [type, encoding]))),
      deliver(changes) {
        const { sequence, timestamp } = last;
        last = { ...last, sequence: sequence + 1 & 0xffff, timestamp: timestamp + 160, ...changes };
        leg.receive(last);
      },
    };
  };
  return { clock, connect };
}

const packet: RtpPacket = {
  payloadType: 0,
  marker: false,
  sequence: 1_000,
  timestamp: 50_000,
  ssrc: 0,
  payload: new Uint8Array(160),
};

/** The samples of the packets that are audio. */
function decoded(packets: RtpPacket[], encodings: Map<number, Encoding>): Int16Array {
  const frames = packets.flatMap(({ payloadType, payload }) => {
    const encoding = encodings.get(payloadType);
    return encoding === "PCMU" || encoding === "PCMA" ? [...decodeG711(encoding, payload)] : [];
  });
  return Int16Array.from(frames);
}
