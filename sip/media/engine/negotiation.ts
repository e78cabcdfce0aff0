import type { Agreed } from "./audio_leg_state.ts";
import { ofKind, parseSdp } from "../sdp/parse_sdp.ts";
import {
  type AudioSection,
  codingOf,
  type Direction,
  type Formats,
  isIceRestart,
  type Session,
} from "../sdp/sdp.ts";
import { answerTo, type Stream, writeSdp } from "../sdp/write_sdp.ts";

/** Offer and answer of one leg (RFC 3264): what was said, and what follows from it. */
export interface Negotiation {
  /** Our offer or first answer. */
  readonly localSdp: string;
  /** The codecs; undefined until our offer is answered. */
  agreed(): Agreed | undefined;
  /** Takes the answer to our offer. */
  accept(answer: Session): void;
  /**
   * Answers a later offer. A WebRTC peer may change the direction and restart ICE, and one of plain RTP
   * change its address and its codecs too; rejects, and nothing has changed, when it changes more.
   */
  reanswer(sdp: string): Promise<{ sdp: string; offer: Session }>;
  /** Our later offer: all as it is, but whether we hold the peer, where that is told. */
  reoffer(isHolding?: boolean): string;
  /** Takes the answer to that; rejects when it changes more than a later offer may, or restarts ICE. */
  reaccept(answer: Session): Promise<void>;
}

export interface NegotiationOptions {
  /** Our transport's side, whose formats are those we said. */
  local: Session;
  stream: Stream;
  /** The peer's offer; without it ours goes first. */
  offer: Session | undefined;
  /** The transport takes what was said later, and tells its side; when it throws, nothing has changed. */
  change(offer: Session): Session | Promise<Session>;
}

/** What we answer who holds nobody, while we hold it: it is sent sound, and its own is not wanted. */
const whileHolding: Record<Direction, Direction> = {
  sendrecv: "sendonly",
  recvonly: "inactive",
  sendonly: "sendonly",
  inactive: "inactive",
};

/** Whether the peer that says this direction takes audio from us. */
export const listens = ({ direction }: AudioSection): boolean =>
  direction === "sendrecv" || direction === "recvonly";

export function negotiate({ local, stream, offer, change }: NegotiationOptions): Negotiation {
  const { id, version } = local;
  let ours = local.audio;
  const first = offer === undefined
    ? local
    : answerTo(offer, { ...local, audio: { ...local.audio, ...codingOf(offer.audio) } });
  const write = (version: number, session: Session) => writeSdp({ ...session, version }, stream);
  const localSdp = write(local.version, first);
  let remote = offer?.audio;
  let answer: AudioSection | undefined;
  let last = { session: first, version: local.version };
  let holding = false;

  /** The version counts changes of what we say (RFC 3264 §8). */
  const say = (session: Session): string => {
    const changed = write(0, session) !== write(0, last.session);
    last = { session, version: last.version + (changed ? 1 : 0) };
    return write(last.version, session);
  };

  return {
    localSdp,
    agreed() {
      return remote && agreement(local.audio.formats, remote.formats);
    },
    accept({ audio }) {
      remote = answer = audio;
    },
    async reanswer(sdp) {
      if (remote === undefined) throw new Error("Cannot answer the offer: ours is not answered");
      const next = ofKind(remote.kind, parseSdp(sdp));
      assertSameMedia(remote, next.audio);
      assertSameRole(inRole(ours, answer), next.audio);
      ours = (await change(next)).audio;
      const audio = { ...inRole(ours, answer), ...codingOf(next.audio) };
      const session = answerTo(next, { id, version, audio });
      if (holding) session.audio.direction = whileHolding[session.audio.direction];
      remote = next.audio;
      return { sdp: say(session), offer: next };
    },
    reoffer(isHolding = holding) {
      holding = isHolding;
      const { session } = last;
      const direction = holding ? "sendonly" : "sendrecv";
      const audio = { ...session.audio, direction } as const;
      // Whoever answers keeps the role that it has (RFC 8842 §5.5).
      return say({
        ...session,
        audio: audio.kind === "rtp" ? audio : { ...audio, setup: "actpass" },
      });
    },
    async reaccept(answer) {
      if (remote === undefined) throw new Error("Cannot take the answer: there was no offer");
      const next = ofKind(remote.kind, answer);
      assertSameMedia(remote, next.audio);
      assertSameIce(remote, next.audio);
      await change(next);
      remote = next.audio;
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

/** Another role would be another association of DTLS (RFC 8842 §5.5), which we do not begin. */
function assertSameRole(ours: AudioSection, theirs: AudioSection): void {
  if (ours.kind !== "webrtc" || theirs.kind !== "webrtc") return;
  if (theirs.setup === ours.setup) throw new Error("Cannot change the media: new DTLS role");
}

/** Only an offer may begin ICE anew (RFC 8839 §4.4.1.1.1). */
function assertSameIce(before: AudioSection, now: AudioSection): void {
  if (before.kind !== "webrtc" || now.kind !== "webrtc" || !isIceRestart(before, now)) return;
  throw new Error("Cannot change the media: new ICE credentials in an answer");
}

function assertSameMedia(before: AudioSection, now: AudioSection): void {
  if (before.opus !== now.opus) {
    throw new Error("Cannot change the media: it changes between Opus and G.711");
  }
  if (before.kind !== "webrtc" || now.kind !== "webrtc") return;
  const changes = [
    before.fingerprint.toUpperCase() !== now.fingerprint.toUpperCase() ? "fingerprint" : "",
    [...before.formats].some(([encoding, type]) => now.formats.get(encoding) !== type)
      ? "codecs"
      : "",
  ].filter(Boolean);
  if (changes.length > 0) throw new Error(`Cannot change the media: new ${changes.join(", ")}`);
}
