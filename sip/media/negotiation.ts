import type { Agreed } from "./audio_leg_state.ts";
import { ofKind, parseSdp } from "./parse_sdp.ts";
import { type AudioSection, codingOf, type Formats, type Session } from "./sdp.ts";
import { answerTo, type Stream, writeSdp } from "./write_sdp.ts";

/** Offer and answer of one leg (RFC 3264): what was said, and what follows from it. */
export interface Negotiation {
  /** Our offer or first answer. */
  readonly localSdp: string;
  /** The codecs; undefined until our offer is answered. */
  agreed(): Agreed | undefined;
  /** Takes the answer to our offer. */
  accept(answer: Session): void;
  /**
   * Answers a later offer. A WebRTC peer may change the direction, and one of plain RTP also its
   * address and its codecs; throws when it changes more.
   */
  reanswer(sdp: string): { sdp: string; offer: Session };
}

export interface NegotiationOptions {
  /** Our transport's side, whose formats are those we said. */
  local: Session;
  stream: Stream;
  /** The peer's offer; without it ours goes first. */
  offer: Session | undefined;
  /** The transport takes a later offer; when it throws, nothing has changed. */
  change(offer: Session): void;
}

/** Whether the peer that says this direction takes audio from us. */
export const listens = ({ direction }: AudioSection): boolean =>
  direction === "sendrecv" || direction === "recvonly";

export function negotiate({ local, stream, offer, change }: NegotiationOptions): Negotiation {
  const first = offer === undefined
    ? local
    : answerTo(offer, { ...local, audio: { ...local.audio, ...codingOf(offer.audio) } });
  const write = (version: number, session: Session) => writeSdp({ ...session, version }, stream);
  const localSdp = write(local.version, first);
  let remote = offer?.audio;
  let answer: AudioSection | undefined;
  let last = { session: first, version: local.version };

  return {
    localSdp,
    agreed() {
      return remote && agreement(local.audio.formats, remote.formats);
    },
    accept({ audio }) {
      remote = answer = audio;
    },
    reanswer(sdp) {
      if (remote === undefined) throw new Error("Cannot answer the offer: ours is not answered");
      const next = ofKind(remote.kind, parseSdp(sdp));
      assertSameMedia(remote, next.audio);
      change(next);
      const audio = { ...inRole(local.audio, answer), ...codingOf(next.audio) };
      const session = answerTo(next, { id: local.id, version: local.version, audio });
      // The version counts changes of what we say (RFC 3264 §8).
      const changed = write(0, session) !== write(0, last.session);
      last = { session, version: last.version + (changed ? 1 : 0) };
      remote = next.audio;
      return { sdp: write(last.version, session), offer: next };
    },
  };
}

/** A peer may send by our payload types, or by its own where its answer has others. */
const agreement = (ours: Formats, theirs: Formats): Agreed => ({
  incoming: new Map([...ours, ...theirs].map(([encoding, type]) => [type, encoding])),
  outgoing: theirs,
});

/** Our audio, in the DTLS role that the peer's first answer left to us, as it stays (RFC 8842 §5). */
function inRole(local: AudioSection, answer: AudioSection | undefined): AudioSection {
  if (local.kind !== "webrtc" || answer?.kind !== "webrtc") return local;
  return { ...local, setup: answer.setup === "active" ? "passive" : "active" };
}

function assertSameMedia(before: AudioSection, now: AudioSection): void {
  if (before.opus !== now.opus) {
    throw new Error("Cannot answer the offer: it changes between Opus and G.711");
  }
  if (before.kind !== "webrtc" || now.kind !== "webrtc") return;
  const changes = [
    before.ufrag !== now.ufrag || before.password !== now.password ? "ICE credentials" : "",
    before.fingerprint.toUpperCase() !== now.fingerprint.toUpperCase() ? "fingerprint" : "",
    [...before.formats].some(([encoding, type]) => now.formats.get(encoding) !== type)
      ? "codecs"
      : "",
  ].filter(Boolean);
  if (changes.length > 0) throw new Error(`Cannot answer the offer: new ${changes.join(", ")}`);
}
