import { mediaLimits } from "./limits.ts";
import { isNear, type RtpPacket } from "./rtp.ts";

export interface Address {
  address: string;
  port: number;
}

/**
 * Symmetric RTP (RFC 4961): whom a leg hears, and where it sends.
 *
 * - At first it sends to the address that signalling gave. A packet from there settles the source.
 * - A peer behind a NAT comes from elsewhere: two packets in a row of one source settle it too. For
 *   `latchMs` after that a packet from the signalled address still wins, so that whoever sprays our
 *   ports before the peer speaks does not keep the call.
 * - Once settled, packets from elsewhere are dropped, unless they go on with the SSRC and the
 *   sequence numbers of the source: a NAT gave it a new port.
 * - When signalling moves the address we send there at once (RFC 3264 §8.3.1), and all begins anew, but
 *   the former source is still heard while it goes on with its stream, and others than the signalled
 *   address are not taken beside it. Who does so for `latchMoveMs` has not moved: it stands behind a NAT,
 *   and is sent to again. It yields to the signalled address whenever that speaks after all.
 */
export interface Latch {
  /** Where to send; undefined as long as signalling named nobody. */
  target(): Address | undefined;
  /** Whether a packet is the peer's. */
  admits(from: Address, packet: RtpPacket): boolean;
  /** Signalling gave an address; the one it gave before changes nothing. */
  signal(address: Address): void;
}

interface Source extends Address {
  ssrc: number;
  sequence: number;
}

export function createLatch(now: () => number): Latch {
  let signalled: Address | undefined;
  let settled: Source | undefined;
  /** Until when it gives way to the signalled address. */
  let yieldsUntil = 0;
  let candidate: Source | undefined;
  /** Who was sent to before signalling moved the address, and when that was. */
  let former: Address & Partial<Source> | undefined;
  let movedAt = 0;
  let formerHeardAt = -Infinity;

  const settle = (source: Source, yieldsMs: number = mediaLimits.latchMs) => {
    settled = source;
    yieldsUntil = now() + yieldsMs;
    candidate = former = undefined;
    return true;
  };
  const admitsStranger = (source: Source) => {
    const isInRow = isSame(candidate, source) && goesOn(candidate, source);
    candidate = source;
    return isInRow && now() - formerHeardAt > mediaLimits.latchPauseMs && settle(source);
  };
  const admitsFormer = (source: Source) => {
    const stays = now() - movedAt > mediaLimits.latchMoveMs;
    if (!goesOn(former, source)) return stays && admitsStranger(source);
    if (stays) return settle(source, Infinity);
    former = source;
    formerHeardAt = now();
    return true;
  };
  const follow = (settled: Source, source: Source) => {
    const signalledWins = isSame(signalled, source) && now() <= yieldsUntil;
    return (goesOn(settled, source) || signalledWins) && settle(source);
  };

  return {
    target: () => settled ?? signalled,
    admits({ address, port }, { ssrc, sequence }) {
      // As nearly all packets are, which should cost nothing.
      if (settled?.port === port && settled.address === address) {
        settled.ssrc = ssrc;
        settled.sequence = sequence;
        return true;
      }
      const source = { address, port, ssrc, sequence };
      if (signalled === undefined) return false;
      if (settled !== undefined) return follow(settled, source);
      if (isSame(signalled, source)) return settle(source);
      return isSame(former, source) ? admitsFormer(source) : admitsStranger(source);
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
