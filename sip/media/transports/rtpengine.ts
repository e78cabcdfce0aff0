import type { MediaEngineOptions } from "../engine/engine.ts";
import { mediaLimits } from "../base/limits.ts";
import { askNg, type NgAddress, type NgAnswer, NgUnanswered } from "./ng.ts";
import { ofKind, parseSdp } from "../sdp/parse_sdp.ts";
import { type RelayWatch, watchRelay } from "./relay_watch.ts";
import {
  codingOf,
  isIceRestart,
  isSamePeer,
  OUR_FORMATS,
  OUR_MID,
  type Session,
  type WebrtcAudio,
} from "../sdp/sdp.ts";
import { type Clock, systemClock } from "../base/ticker.ts";
import type { Peer, Transport } from "../sdp/transport.ts";
import { writeSdp, writeWebrtcAudio } from "../sdp/write_sdp.ts";

export interface RtpengineOptions {
  /** Those that share the legs. */
  servers: readonly NgAddress[];
  /** Plain RTP, on one port a leg, at an address that they reach. */
  plain: Transport;
  log: MediaEngineOptions["log"];
  /** The time of the machine unless given. */
  clock?: Clock;
  /** How long ICE and DTLS may take, in ms; half a minute unless given. */
  connectMs?: number;
}

/** How rtpengine is asked to describe a call to the peer, and to us. */
const OUTSIDE = {
  "transport-protocol": "UDP/TLS/RTP/SAVPF",
  ICE: "force",
  SDES: ["off"],
  "rtcp-mux": ["offer", "require"],
};
const INSIDE = {
  "transport-protocol": "RTP/AVP",
  ICE: "remove",
  "rtcp-mux": ["offer", "require"],
};

const [PEER, US] = ["peer", "switchboard"];

/**
 * WebRTC by rtpengine, which does ICE, DTLS and SRTP with the peer and hands us plain RTP, steered by
 * its NG protocol. Legs go to the servers in turn; one that does not answer is passed over.
 */
export function rtpengineTransport(options: RtpengineOptions): Transport {
  const { servers, plain, log, clock = systemClock, connectMs = mediaLimits.relayConnectMs } =
    options;
  const turns = inTurn(servers, clock.now);
  return {
    kind: "webrtc",
    async open(offer) {
      const inside = await plain.open();
      let why = "there is no rtpengine";
      for (const server of turns.next()) {
        const call = callAt(server, log);
        try {
          const local = await (offer ? answerTo(offer, call, inside) : offerBy(call, inside));
          const watch = watchRelay({ query: () => call.ask("query"), clock, connectMs });
          if (offer !== undefined) watch.start();
          const remote = offer && ofKind("webrtc", offer).audio;
          return relayed({ call, inside, local, remote, watch });
        } catch (error) {
          why = messageOf(error);
          log("Cannot use an rtpengine for a leg", { why });
          if (error instanceof NgUnanswered) turns.rest(server);
          else await call.end();
        }
      }
      await inside.close();
      throw new Error(`Cannot open a WebRTC leg: ${why}`);
    },
    async close() {
      await plain.close?.();
    },
  };
}

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** Each server comes first for one leg after the other, those that rest last. */
function inTurn(servers: readonly NgAddress[], now: () => number) {
  const restUntil = new Map<NgAddress, number>();
  const rests = (server: NgAddress) => (restUntil.get(server) ?? -Infinity) > now();
  let turn = 0;
  return {
    next(): NgAddress[] {
      const first = turn++ % servers.length;
      const order = [...servers.slice(first), ...servers.slice(0, first)];
      return [...order.filter((server) => !rests(server)), ...order.filter(rests)];
    },
    rest: (server: NgAddress) => void restUntil.set(server, now() + mediaLimits.ngRestMs),
  };
}

/** A call of rtpengine, of which the peer is one side and we are the other. */
interface Call {
  ask(command: string, args?: Record<string, unknown>): Promise<NgAnswer>;
  /** Resolves when rtpengine has none any more, or cannot be told so. */
  end(): Promise<void>;
}

function callAt(server: NgAddress, log: RtpengineOptions["log"]): Call {
  const id = crypto.randomUUID();
  const ask: Call["ask"] = (command, args) => askNg(server, command, { "call-id": id, ...args });
  return {
    ask,
    async end() {
      try {
        await ask("delete", { "delete-delay": 0 });
      } catch (error) {
        log("Cannot end a leg at its rtpengine", { why: messageOf(error) });
      }
    },
  };
}

/** Has rtpengine answer an offer of the peer; the result is our side as the peer sees it. */
async function answerTo(offer: Session, { ask }: Call, inside: Peer): Promise<Session> {
  const theirs = { "from-tag": PEER, sdp: sdpOfPeer(offer) };
  const { sdp: towardsUs } = await ask("offer", { ...theirs, ...INSIDE });
  const ours = { "from-tag": PEER, "to-tag": US, sdp: ourSdp(inside, codingOf(offer.audio)) };
  const { sdp: towardsPeer } = await ask("answer", { ...ours, ...OUTSIDE });
  await inside.accept(parseSdp(towardsUs));
  return ofKind("webrtc", { ...parseSdp(towardsPeer), bundled: true });
}

async function offerBy({ ask }: Call, inside: Peer): Promise<Session> {
  const ours = { "from-tag": US, sdp: ourSdp(inside, { formats: OUR_FORMATS }) };
  const { sdp } = await ask("offer", { ...ours, ...OUTSIDE });
  return ofKind("webrtc", { ...parseSdp(sdp), bundled: true });
}

async function takeAnswer(answer: Session, { ask }: Call, inside: Peer): Promise<void> {
  const theirs = { "from-tag": US, "to-tag": PEER, sdp: sdpOfPeer(answer) };
  const { sdp } = await ask("answer", { ...theirs, ...INSIDE });
  await inside.accept(parseSdp(sdp));
}

/** Coded as with the peer: rtpengine translates nothing. */
const ourSdp = ({ local }: Peer, coding: ReturnType<typeof codingOf>): string =>
  writeSdp({ ...local, audio: { ...local.audio, mid: OUR_MID, ...coding } });

/** Without candidates the peer has no address; rtpengine would take 0.0.0.0 for a hold. */
const sdpOfPeer = (session: Session): string =>
  writeWebrtcAudio(session).replace("c=IN IP4 0.0.0.0", "c=IN IP4 127.0.0.1");

interface Relayed {
  call: Call;
  inside: Peer;
  local: Session;
  /** The peer's side, where it has offered. */
  remote: WebrtcAudio | undefined;
  watch: RelayWatch;
}

function relayed({ call, inside, watch, ...sides }: Relayed): Peer {
  let { local, remote } = sides;
  let accepting: Promise<void> | undefined;
  let isFinal = remote !== undefined;
  let closed: Promise<void> | undefined;
  const close = async () => {
    watch.close();
    // What was sent last is to be passed on first.
    await inside.close();
    await call.end();
  };
  const peer: Peer = {
    local,
    stream: inside.stream,
    connected: watch.connected,
    lost: watch.lost,
    vanishesSilently: true,
    onPacket: undefined,
    async accept(answer, isEarly = false) {
      const { audio } = ofKind("webrtc", answer);
      // Its side of an offer ends with the first answer: another peer would not be let in.
      if (isFinal || remote !== undefined && !isSamePeer(remote, audio)) {
        throw new Error("Cannot take the answer: there was one before");
      }
      isFinal = !isEarly;
      remote = audio;
      accepting ??= takeAnswer(answer, call, inside).then(watch.start);
      await accepting;
    },
    // The directions are ours to keep; rtpengine passes on what comes, and restarts ICE.
    async change(next) {
      const { audio } = ofKind("webrtc", next);
      if (remote !== undefined && isIceRestart(remote, audio)) {
        local = await answerTo(next, call, inside);
      }
      remote = audio;
      return local;
    },
    send: inside.send,
    close: () => closed ??= close(),
  };
  // Before that, rtpengine may forward packets of an unverified source.
  inside.onPacket = (packet, rtp) => {
    if (closed === undefined && watch.isConnected) peer.onPacket?.(packet, rtp);
  };
  return peer;
}
