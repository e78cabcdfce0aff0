import type { Agreed } from "./audio_leg_state.ts";
import { ofKind, parseSdp } from "../sdp/parse_sdp.ts";
import {
  type AudioSection,
  codingOf,
  type Direction,
  eventRateOf,
  type Formats,
  isIceRestart,
  OUR_EVENT_RATE,
  type Session,
} from "../sdp/sdp.ts";
import { answerTo, type Stream, writeSdp } from "../sdp/write_sdp.ts";

/** Offers and answers of one leg (RFC 3264), and the codecs that result. */
export interface Negotiation {
  /** Our offer or first answer. */
  readonly localSdp: string;
  /** The codecs; undefined until our offer is answered. */
  agreed(): Agreed | undefined;
  /** Takes the answer to our offer. */
  accept(answer: Session): void;
  /**
   * Answers a later offer. A WebRTC peer may change the direction and restart ICE. A plain RTP peer may
   * also change its address and its codecs. Rejects all other changes, without any effect.
   */
  reanswer(sdp: string): Promise<{ sdp: string; offer: Session }>;
  /** Our later offer: the present session, with call hold switched where `isHolding` is given. */
  reoffer(isHolding?: boolean): string;
  /** Takes the answer to `reoffer`; rejects an ICE restart, and what a later offer may not change. */
  reaccept(answer: Session): Promise<void>;
}

export interface NegotiationOptions {
  /** The transport's session, whose formats are those of our first SDP. */
  local: Session;
  stream: Stream;
  /** The peer's offer; without it we send the offer. */
  offer: Session | undefined;
  /** Passes a later session of the peer to the transport, for its own; throws without any change. */
  change(offer: Session): Session | Promise<Session>;
}

/** The direction of our answers while we hold the peer: we send audio and want none. */
const whileHolding: Record<Direction, Direction> = {
  sendrecv: "sendonly",
  recvonly: "inactive",
  sendonly: "sendonly",
  inactive: "inactive",
};

/** True where a peer with this direction takes audio from us. */
export const listens = ({ direction }: AudioSection): boolean =>
  direction === "sendrecv" || direction === "recvonly";

interface State extends NegotiationOptions {
  /** Our audio section, without the DTLS role that an answer chose. */
  ours: AudioSection;
  /** The newest audio section of the peer. */
  remote: AudioSection | undefined;
  /** Of the peer's answer to our first offer. */
  answer: AudioSection | undefined;
  /** Our newest SDP. */
  last: { session: Session; version: number };
  holding: boolean;
}

/** Starts with our offer, or with our answer to the peer's offer. */
export function negotiate(options: NegotiationOptions): Negotiation {
  const { local, stream, offer } = options;
  const first = offer === undefined
    ? local
    : answerTo(offer, { ...local, audio: { ...local.audio, ...codingOf(offer.audio) } });
  const state: State = {
    ...options,
    ours: local.audio,
    remote: offer?.audio,
    answer: undefined,
    last: { session: first, version: local.version },
    holding: false,
  };
  return {
    localSdp: writeSdp({ ...first, version: local.version }, stream),
    agreed: () => state.remote && agreement(local.audio.formats, state.remote),
    accept({ audio }) {
      state.remote = state.answer = audio;
    },
    reanswer: (sdp) => reanswer(state, sdp),
    reoffer: (isHolding = state.holding) => reoffer(state, isHolding),
    reaccept: (answer) => reaccept(state, answer),
  };
}

async function reanswer(state: State, sdp: string): Promise<{ sdp: string; offer: Session }> {
  const { remote, local, change } = state;
  if (remote === undefined) throw new Error("Cannot answer the offer: ours is not answered");
  const next = ofKind(remote.kind, parseSdp(sdp));
  assertSameMedia(remote, next.audio);
  assertSameRole(inRole(state.ours, state.answer), next.audio);
  state.ours = (await change(next)).audio;
  const audio = { ...inRole(state.ours, state.answer), ...codingOf(next.audio) };
  const session = answerTo(next, { id: local.id, version: local.version, audio });
  if (state.holding) session.audio.direction = whileHolding[session.audio.direction];
  state.remote = next.audio;
  return { sdp: writeNext(state, session), offer: next };
}

function reoffer(state: State, isHolding: boolean): string {
  state.holding = isHolding;
  const { session } = state.last;
  const direction = isHolding ? "sendonly" : "sendrecv";
  const audio = { ...session.audio, direction } as const;
  // With "actpass" the answerer keeps its DTLS role (RFC 8842 §5.5).
  return writeNext(state, {
    ...session,
    audio: audio.kind === "rtp" ? audio : { ...audio, setup: "actpass" },
  });
}

async function reaccept(state: State, answer: Session): Promise<void> {
  const { remote, change } = state;
  if (remote === undefined) throw new Error("Cannot take the answer: there was no offer");
  const next = ofKind(remote.kind, answer);
  assertSameMedia(remote, next.audio);
  assertSameIce(remote, next.audio);
  await change(next);
  state.remote = next.audio;
}

/** Our next SDP. Its version is one higher when the session differs from the last (RFC 3264 §8). */
function writeNext(state: State, session: Session): string {
  const { last, stream } = state;
  const write = (version: number, session: Session) => writeSdp({ ...session, version }, stream);
  const isChanged = write(0, session) !== write(0, last.session);
  const version = last.version + (isChanged ? 1 : 0);
  state.last = { session, version };
  return write(version, session);
}

/** A peer may send our payload types, or its own where they differ. */
const agreement = (ours: Formats, theirs: AudioSection): Agreed => ({
  incoming: new Map([...ours, ...theirs.formats].map(([encoding, type]) => [type, encoding])),
  outgoing: theirs.formats,
  eventScale: eventRateOf(theirs) / OUR_EVENT_RATE,
});

/** Our audio, in the DTLS role that the peer's first answer left to us (RFC 8842 §5). */
function inRole(local: AudioSection, answer: AudioSection | undefined): AudioSection {
  if (local.kind !== "webrtc" || answer?.kind !== "webrtc") return local;
  return { ...local, setup: answer.setup === "active" ? "passive" : "active" };
}

/** A new role would need a new DTLS association (RFC 8842 §5.5), which is not supported. */
function assertSameRole(ours: AudioSection, theirs: AudioSection): void {
  if (ours.kind !== "webrtc" || theirs.kind !== "webrtc") return;
  if (theirs.setup === ours.setup) throw new Error("Cannot change the media: new DTLS role");
}

/** Only an offer may restart ICE (RFC 8839 §4.4.1.1.1). */
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
    before.eventRate !== now.eventRate ||
      [...before.formats].some(([encoding, type]) => now.formats.get(encoding) !== type)
      ? "codecs"
      : "",
  ].filter(Boolean);
  if (changes.length > 0) throw new Error(`Cannot change the media: new ${changes.join(", ")}`);
}
