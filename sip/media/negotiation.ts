import type { Agreed } from "./audio_leg.ts";
import { type AudioSection, type Formats, parseSdp, type Session, type Setup } from "./sdp.ts";
import { answerTo, writeSdp } from "./write_sdp.ts";

/** Offer and answer of one leg (RFC 3264): what was said, and what follows from it. */
export interface Negotiation {
  /** Our offer or first answer. */
  readonly localSdp: string;
  /** The codecs; undefined until our offer is answered. */
  agreed(): Agreed | undefined;
  /** Takes the answer to our offer. */
  accept(answer: Session): void;
  /** Answers an offer that changes at most the direction; throws when it changes more. */
  reanswer(sdp: string): { sdp: string; listening: boolean };
}

export interface NegotiationOptions {
  /** Our transport's side, whose formats are those we said. */
  local: Session;
  ssrc: number;
  /** The peer's offer; without it ours goes first. */
  offer: Session | undefined;
}

/** Whether the peer that says this direction takes audio from us. */
export const listens = ({ direction }: AudioSection): boolean =>
  direction === "sendrecv" || direction === "recvonly";

export function negotiate({ local, ssrc, offer }: NegotiationOptions): Negotiation {
  const first = offer === undefined
    ? { ...local, bundled: true }
    : answerTo(offer, { ...local, audio: { ...local.audio, formats: offer.audio.formats } });
  const write = (version: number, session: Session) => writeSdp({ ...session, version }, ssrc);
  const localSdp = write(local.version, first);
  let remote = offer?.audio;
  let last = { session: first, version: local.version };

  return {
    localSdp,
    agreed() {
      return remote && agreement(local.audio.formats, remote.formats);
    },
    accept(answer) {
      remote = answer.audio;
    },
    reanswer(sdp) {
      const next = parseSdp(sdp);
      if (remote === undefined) throw new Error("Cannot answer the offer: ours is not answered");
      assertSameMedia(remote, next.audio);
      const setup = offer === undefined ? opposite(remote.setup) : local.audio.setup;
      const audio = { ...local.audio, setup, formats: remote.formats };
      const session = answerTo(next, { id: local.id, version: local.version, audio });
      // The version counts changes of what we say (RFC 3264 §8).
      const changed = write(0, session) !== write(0, last.session);
      last = { session, version: last.version + (changed ? 1 : 0) };
      return { sdp: write(last.version, session), listening: listens(next.audio) };
    },
  };
}

/** A peer may send by our payload types, or by its own where its answer has others. */
const agreement = (ours: Formats, theirs: Formats): Agreed => ({
  incoming: new Map([...ours, ...theirs].map(([encoding, type]) => [type, encoding])),
  outgoing: theirs,
});

const opposite = (setup: Setup): Setup => setup === "active" ? "passive" : "active";

function assertSameMedia(before: AudioSection, now: AudioSection): void {
  const changes = [
    before.ufrag !== now.ufrag || before.password !== now.password ? "ICE credentials" : "",
    before.fingerprint.toUpperCase() !== now.fingerprint.toUpperCase() ? "fingerprint" : "",
    [...before.formats].some(([encoding, type]) => now.formats.get(encoding) !== type)
      ? "codecs"
      : "",
  ].filter(Boolean);
  if (changes.length > 0) throw new Error(`Cannot answer the offer: new ${changes.join(", ")}`);
}
