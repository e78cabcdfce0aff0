import { decodedSamples, type Law } from "../codecs/g711.ts";
import { isNewerSequence, type RtpPacket } from "../rtp/rtp.ts";
import { createToneDetector } from "../audio/tone_digits.ts";

/**
 * Takes the sound of a peer that has no telephone events, and calls back once for each digit that it
 * presses as tones. Packets that come late are left out, as the digits would not be in order. The
 * result returns whether a digit sounds at the end of a packet.
 */
export function createToneReceiver(
  onDigit: (digit: string) => void,
): (packet: RtpPacket, law: Law) => boolean {
  const detector = createToneDetector(onDigit);
  let last: Pick<RtpPacket, "ssrc" | "sequence"> | undefined;
  return ({ ssrc, sequence, payload }, law) => {
    if (last?.ssrc === ssrc && !isNewerSequence(sequence, last.sequence)) return detector.sounds();
    last = { ssrc, sequence };
    detector.take(payload, decodedSamples(law));
    return detector.sounds();
  };
}
