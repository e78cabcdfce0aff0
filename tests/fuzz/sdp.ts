import assert from "node:assert/strict";
import { parseSdp } from "../../sip/media/sdp/parse_sdp.ts";
import { NoCommonCodec } from "../../sip/media/base/port.ts";
import { type AudioSection, codingOf, type Session } from "../../sip/media/sdp/sdp.ts";
import { newStream } from "../../sip/media/sdp/transport.ts";
import { answerTo, writeSdp } from "../../sip/media/sdp/write_sdp.ts";
import { BROWSER_OFFER, OUR_SIDE, TRUNK_OFFER } from "../support/media/sdp_samples.ts";
import { mutate } from "../support/sip/sip_mutations.ts";
import { pick } from "./generator.ts";
import type { Target } from "./target.ts";

/** Offers that are read are answered by SDP of ours, in which no line is the peer's. */

const samples = [BROWSER_OFFER, TRUNK_OFFER, writeSdp(OUR_SIDE)];

/** The offer, unless it is refused. */
function readOffer(text: string): Session | undefined {
  try {
    return parseSdp(text);
  } catch (error) {
    assert.ok(error instanceof NoCommonCodec, `it throws ${error}`);
    return undefined;
  }
}

/** Of plain RTP an offer's own side will do, but for the certificate, of which we have one. */
function ourSideOf(audio: AudioSection): AudioSection {
  const { audio: ours } = OUR_SIDE;
  if (audio.kind === "webrtc") return ours;
  if (audio.security?.kind !== "dtls") return audio;
  return { ...audio, security: { ...audio.security, fingerprint: ours.fingerprint } };
}

const OUR_LINES =
  /^(?:v=0|o=\S+ \S+ \d+ IN IP[46] \S+|s=\S+|t=0 0|c=IN IP[46] \S+|m=\S+ \d+ .+|a=.+)$/;

export const target: Target = {
  run(random) {
    for (let i = 0; i < 10; i++) {
      const text = mutate(pick(random, samples), random);
      const offer = readOffer(text);
      if (offer === undefined) continue;
      const ours = ourSideOf(offer.audio);
      const audio = { ...ours, ...codingOf(offer.audio) };
      const answer = writeSdp(answerTo(offer, { ...OUR_SIDE, audio }), newStream());
      for (const line of answer.split("\r\n").slice(0, -1)) {
        assert.match(line, OUR_LINES, JSON.stringify({ text, answer }));
      }
      const sections = answer.match(/^m=/gm)!.length;
      assert.equal(sections, offer.before.length + 1 + offer.after.length);
      const read = parseSdp(answer);
      assert.equal(read.audio.kind, offer.audio.kind, JSON.stringify({ text, answer }));
    }
  },
};
