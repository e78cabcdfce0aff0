import { mediaLimits } from "../base/limits.ts";
import { isNear, type RtpPacket } from "./rtp.ts";

export interface Address {
  address: string;
  port: number;
}

/**
 * Symmetric RTP (RFC 4961): the source that a leg hears, and the address it sends to.
 *
 * - At first the leg sends to the address of the SDP. A packet from there settles the source.
 * - A peer behind a NAT sends from another port, and maybe another address. Only addresses that
 *   signalling knows count: that of the SDP, and those of the SIP flow and of the trunk. Two packets in a
 *   row of one source there settle it too. The address of the SDP takes over by its first packet, however
 *   late that comes. Packets from all other addresses are dropped.
 * - Once settled, packets from elsewhere are dropped, unless they come from a known address and continue
 *   the SSRC and the sequence numbers of the source: a NAT gave it a new port.
 * - When signalling moves the address we send there at once (RFC 3264 §8.3.1), and all begins anew, but
 *   the former source is still heard while it goes on with its stream, and others than the signalled
 *   address are not taken beside it. Who does so for `latchMoveMs` has not moved: it stands behind a NAT,
 *   and is sent to again. It yields to the signalled address whenever that speaks after all.
 */
export interface Latch {
  /** Where to send; undefined as long as signalling named no address. */
  target(): Address | undefined;
  /** Whether a packet is the peer's. */
  admits(from: Address, packet: RtpPacket): boolean;
  /** Whether the peer may send from an address. */
  knows(address: string): boolean;
  /** Signalling gave an address; the one it gave before changes nothing. */
  signal(address: Address): void;
}

export interface LatchOptions {
  /** Monotonic time in ms. */
  now(): number;
  /** Whether signalling knows an address of the peer's, beside that of the SDP. */
  isSource?(address: string): boolean;
  /** Called with the source of each packet that is dropped for its address. */
  onUnknown?(from: Address): void;
}

interface Source extends Address {
  ssrc: number;
  sequence: number;
}

export function createLatch(
  { now, isSource = () => false, onUnknown = () => {} }: LatchOptions,
): Latch {
  let signalled: Address | undefined;
  let settled: Source | undefined;
  let candidate: Source | undefined;
  /** Who was sent to before signalling moved the address, and when that was. */
  let former: Address & Partial<Source> | undefined;
  let movedAt = 0;
  let formerHeardAt = -Infinity;

  const knows = (address: string) =>
    address === signalled?.address || address === settled?.address ||
    address === former?.address || isSource(address);
  const settle = (source: Source) => {
    settled = source;
    candidate = former = undefined;
    return true;
  };
  const admitsAnother = (source: Source) => {
    const isInRow = isSame(candidate, source) && goesOn(candidate, source);
    candidate = source;
    return isInRow && now() - formerHeardAt > mediaLimits.latchPauseMs && settle(source);
  };
  const admitsFormer = (source: Source) => {
    const stays = now() - movedAt > mediaLimits.latchMoveMs;
    if (!goesOn(former, source)) return stays && admitsAnother(source);
    if (stays) return settle(source);
    former = source;
    formerHeardAt = now();
    return true;
  };
  const follow = (settled: Source, source: Source) =>
    (goesOn(settled, source) || isSame(signalled, source)) && settle(source);

  return {
    target: () => settled ?? signalled,
    knows,
    admits({ address, port }, { ssrc, sequence }) {
      // As nearly all packets are, which should cost nothing.
      if (settled?.port === port && settled.address === address) {
        settled.ssrc = ssrc;
        settled.sequence = sequence;
        return true;
      }
      const source = { address, port, ssrc, sequence };
      if (signalled === undefined) return false;
      if (!knows(address)) {
        onUnknown(source);
        return false;
      }
      if (settled !== undefined) return follow(settled, source);
      if (isSame(signalled, source)) return settle(source);
      return isSame(former, source) ? admitsFormer(source) : admitsAnother(source);
    },
    signal(address) {
      if (isSame(signalled, address)) return;
      const before = settled ?? signalled;
      former = isSame(before, address) ? undefined : before;
      movedAt = now();
      formerHeardAt = settled === undefined ? -Infinity : movedAt;
      signalled = { ...address };
      settled = candidate = undefined;
    },
  };
}

const isSame = (one: Address | undefined, other: Address) =>
  one?.address === other.address && one.port === other.port;

const goesOn = (one: Partial<Source> | undefined, other: Source) =>
  one?.sequence !== undefined && one.ssrc === other.ssrc && isNear(one.sequence, other.sequence);
