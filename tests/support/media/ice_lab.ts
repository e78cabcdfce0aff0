import { type IceAgent, type IceOptions, newIceAgent } from "../../../sip/media/webrtc/ice.ts";
import type { IceCredentials } from "../../../sip/media/webrtc/ice_credentials.ts";
import type { Address } from "../../../sip/media/rtp/latch.ts";
import {
  parseStun,
  type ReadStun,
  stunKey,
  type StunMessage,
  writeStun,
} from "../../../sip/media/webrtc/stun.ts";
import { type HandClock, handClock } from "../process/hand_clock.ts";

/** A message on its way. */
export interface Sent {
  at: number;
  from: Address;
  to: Address;
  bytes: Uint8Array<ArrayBuffer>;
  message: ReadStun;
}

/** A network without sockets: sent datagrams arrive as the clock moves. */
export interface IceLab {
  clock: HandClock;
  /** All that was sent, lost or not. */
  sent: Sent[];
  /** Returns whether a datagram is lost. Default: none is. */
  isLost(sent: Sent): boolean;
  /** Receivers by the text of their address; datagrams to other addresses are lost. */
  at: Map<string, (bytes: Uint8Array, from: Address) => void>;
  send(bytes: Uint8Array<ArrayBuffer>, from: Address, to: Address): void;
  advance(ms: number): void;
}

export const textOf = ({ address, port }: Address) => `${address}:${port}`;

export function iceLab(): IceLab {
  const clock = handClock();
  let under: Sent[] = [];
  const deliver = () => {
    while (under.length > 0) {
      const arriving = under;
      under = [];
      for (const each of arriving) {
        if (!lab.isLost(each)) lab.at.get(textOf(each.to))?.(each.bytes, each.from);
      }
    }
  };
  const lab: IceLab = {
    clock,
    sent: [],
    isLost: () => false,
    at: new Map(),
    send(bytes, from, to) {
      const sent = { at: clock.now(), from, to, bytes: bytes.slice(), message: parseStun(bytes)! };
      lab.sent.push(sent);
      under.push(sent);
    },
    advance(ms) {
      for (let passed = 0; passed < ms; passed += 10) {
        clock.advance(10);
        deliver();
      }
    },
  };
  return lab;
}

export const alice: IceCredentials = { ufrag: "alice", password: "alice-0123456789-alice" };
export const bob: IceCredentials = { ufrag: "bob1", password: "bob-0123456789-bob-bob" };
export const aliceAt: Address = { address: "192.0.2.1", port: 5_000 };
export const bobAt: Address = { address: "192.0.2.2", port: 6_000 };

export const candidate = ({ address, port }: Address, priority = 2_130_706_431) =>
  `1 1 UDP ${priority} ${address} ${port} typ host`;

type Side = Partial<Pick<IceOptions, "controlling">> & {
  candidates?: string[];
  lite?: boolean;
};

/** Alice's agent, by default the controlling one; the candidates are Bob's. */
export const aliceAgent = (
  lab: IceLab,
  { controlling = true, candidates = [candidate(bobAt)], lite = false }: Side = {},
): IceAgent =>
  place(lab, aliceAt, { local: alice, remote: { ...bob, candidates, lite }, controlling });

export const bobAgent = (
  lab: IceLab,
  { controlling = false, candidates = [candidate(aliceAt)], lite = false }: Side = {},
): IceAgent =>
  place(lab, bobAt, { local: bob, remote: { ...alice, candidates, lite }, controlling });

function place(lab: IceLab, where: Address, options: Omit<IceOptions, "send" | "clock">): IceAgent {
  const agent = newIceAgent({
    ...options,
    clock: lab.clock,
    send: (bytes, to) => lab.send(bytes, where, to),
  });
  lab.at.set(textOf(where), agent.onMessage);
  return agent;
}

/** A check of Bob's to Alice, written by hand. */
export const bobsCheck = (
  content: Partial<StunMessage> = {},
  { username = "alice:bob1", password = alice.password } = {},
) =>
  writeStun({
    type: "request",
    transaction: crypto.getRandomValues(new Uint8Array(12)).toHex(),
    username,
    priority: 1_862_270_975,
    role: { controlling: false, tieBreaker: 1n },
    ...content,
  }, stunKey(password));

/** Answers checks as a peer that sends none: a lite peer, or one that a test moves. */
export function answering(lab: IceLab, where: Address, { password }: IceCredentials): void {
  lab.at.set(textOf(where), (bytes, from) => {
    const { type, transaction } = parseStun(bytes)!;
    if (type !== "request") return;
    const answer = writeStun({ type: "success", transaction, mapped: from }, stunKey(password));
    lab.send(answer, where, from);
  });
}
