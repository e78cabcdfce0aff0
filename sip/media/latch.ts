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
 * - When signalling moves the address all begins anew, and the former source is heard no more.
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
  let settledAt = 0;
  let candidate: Source | undefined;
  let former: Address | undefined;

  const settle = (source: Source) => {
    settled = source;
    settledAt = now();
    candidate = undefined;
    return true;
  };
  const admitsStranger = (source: Source) => {
    const known = candidate !== undefined && isSame(candidate, source) &&
      candidate.ssrc === source.ssrc && isNear(candidate.sequence, source.sequence);
    if (known) return settle(source);
    candidate = source;
    return false;
  };
  const follow = (settled: Source, source: Source) => {
    const movedOn = settled.ssrc === source.ssrc && isNear(settled.sequence, source.sequence);
    const signalledWins = isSame(signalled, source) && now() - settledAt <= mediaLimits.latchMs;
    return (movedOn || signalledWins) && settle(source);
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
      if (signalled === undefined || isSame(former, source)) return false;
      if (settled !== undefined) return follow(settled, source);
      return isSame(signalled, source) ? settle(source) : admitsStranger(source);
    },
    signal(address) {
      if (isSame(signalled, address)) return;
      const before = settled ?? signalled;
      former = isSame(before, address) ? undefined : before;
      signalled = { ...address };
      settled = candidate = undefined;
    },
  };
}

const isSame = (one: Address | undefined, other: Address) =>
  one?.address === other.address && one.port === other.port;
