/**
 * Source and target of plain RTP. A phone behind a NAT may name an unreachable address in a re-INVITE.
 * Packets go to the signalled address at once; the former source is still heard while its stream goes on,
 * and no third one. After 1 s without a packet from the new address, packets go to the former one again,
 * until one comes. A phone that moved behind a NAT is heard once the former source has been silent for 0.2
 * s.
 */
import { mediaLimits } from "../base/limits.ts";
import { isNear, type RtpPacket } from "./rtp.ts";

export interface Address {
  address: string;
  port: number;
}

/**
 * Symmetric RTP (RFC 4961): the source that a leg accepts packets from, and the address it sends to.
 *
 * - At first the leg sends to the address of the SDP. A packet from that address settles the source.
 * - A peer behind a NAT sends from another port, and maybe another address. Only known addresses count:
 *   that of the SDP, and those of the SIP flow and of the trunk. Two consecutive packets of one source at
 *   a known address settle it too. The address of the SDP takes over with its first packet, however late
 *   that arrives. Packets from all other addresses are dropped.
 * - Once settled, packets from elsewhere are dropped, unless they come from a known address and continue
 *   the SSRC and the sequence numbers of the source: a NAT gave it a new port.
 * - When signalling changes the address, the leg sends there at once (RFC 3264 §8.3.1) and settles anew.
 *   While the former source continues its stream, its packets are accepted, and those of no source but
 *   the signalled address. A former source that continues for `latchMoveMs` has not moved: it is behind
 *   a NAT, and the leg sends to it again. It yields to the first packet of the signalled address.
 */
export interface Latch {
  /** The address to send to; undefined until signalling gives one. */
  target(): Address | undefined;
  /** True where a packet is the peer's. */
  admits(from: Address, packet: RtpPacket): boolean;
  /** True where the peer may send from an address. */
  knows(address: string): boolean;
  /** Takes an address from signalling; the address that it gave last changes nothing. */
  signal(address: Address): void;
}

export interface LatchOptions {
  /** Monotonic time in ms. */
  now(): number;
  /** True where signalling knows an address of the peer, beside that of the SDP. */
  isSource?(address: string): boolean;
  /** Called with the source of each packet that is dropped for its address. */
  onUnknown?(from: Address): void;
}

interface Source extends Address {
  ssrc: number;
  sequence: number;
}

interface State extends Required<LatchOptions> {
  signalled: Address | undefined;
  settled: Source | undefined;
  /** The newest packet's source that is neither settled nor signalled. */
  candidate: Source | undefined;
  /** The target before signalling moved the address, and when it did. */
  former: Address & Partial<Source> | undefined;
  movedAt: number;
  formerHeardAt: number;
}

/** A latch without an address: it drops all packets until signalling gives one. */
export function createLatch(
  { now, isSource = () => false, onUnknown = () => {} }: LatchOptions,
): Latch {
  const state: State = {
    now,
    isSource,
    onUnknown,
    signalled: undefined,
    settled: undefined,
    candidate: undefined,
    former: undefined,
    movedAt: 0,
    formerHeardAt: -Infinity,
  };
  return {
    target: () => state.settled ?? state.signalled,
    knows: (address) => knows(state, address),
    admits({ address, port }, { ssrc, sequence }) {
      const { settled } = state;
      // Fast path: nearly all packets come from the settled source.
      if (settled?.port === port && settled.address === address) {
        settled.ssrc = ssrc;
        settled.sequence = sequence;
        return true;
      }
      return admitsFromElsewhere(state, { address, port, ssrc, sequence });
    },
    signal: (address) => signal(state, address),
  };
}

function admitsFromElsewhere(state: State, source: Source): boolean {
  const { signalled, settled, former } = state;
  if (signalled === undefined) return false;
  if (!knows(state, source.address)) {
    state.onUnknown(source);
    return false;
  }
  if (settled !== undefined) {
    return (goesOn(settled, source) || isSame(signalled, source)) && settle(state, source);
  }
  if (isSame(signalled, source)) return settle(state, source);
  return isSame(former, source) ? admitsFormer(state, source) : admitsAnother(state, source);
}

function admitsFormer(state: State, source: Source): boolean {
  const stays = state.now() - state.movedAt > mediaLimits.latchMoveMs;
  if (!goesOn(state.former, source)) return stays && admitsAnother(state, source);
  if (stays) return settle(state, source);
  state.former = source;
  state.formerHeardAt = state.now();
  return true;
}

function admitsAnother(state: State, source: Source): boolean {
  const isInRow = isSame(state.candidate, source) && goesOn(state.candidate, source);
  state.candidate = source;
  const isFormerSilent = state.now() - state.formerHeardAt > mediaLimits.latchPauseMs;
  return isInRow && isFormerSilent && settle(state, source);
}

function settle(state: State, source: Source): true {
  state.settled = source;
  state.candidate = state.former = undefined;
  return true;
}

function signal(state: State, address: Address): void {
  const { settled, signalled } = state;
  if (isSame(signalled, address)) return;
  const before = settled ?? signalled;
  state.former = isSame(before, address) ? undefined : before;
  state.movedAt = state.now();
  state.formerHeardAt = settled === undefined ? -Infinity : state.movedAt;
  state.signalled = { ...address };
  state.settled = state.candidate = undefined;
}

const knows = ({ signalled, settled, former, isSource }: State, address: string) =>
  address === signalled?.address || address === settled?.address ||
  address === former?.address || isSource(address);

const isSame = (one: Address | undefined, other: Address) =>
  one?.address === other.address && one.port === other.port;

const goesOn = (one: Partial<Source> | undefined, other: Source) =>
  one?.sequence !== undefined && one.ssrc === other.ssrc && isNear(one.sequence, other.sequence);
