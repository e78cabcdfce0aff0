import { type Certificate, newCertificate } from "../../../sip/media/webrtc/certificate.ts";
import { type DtlsOptions, startDtls } from "../../../sip/media/webrtc/dtls.ts";
import { type HandClock, handClock } from "../process/hand_clock.ts";

type Side = DtlsOptions["role"];
type Keys = Parameters<DtlsOptions["onKeys"]>[0];

/** A client and a server, and the network between them, which a test moves by hand. */
export interface DtlsPair {
  clock: HandClock;
  keys: Partial<Record<Side, Keys>>;
  ends: Partial<Record<Side, string>>;
  /** Datagrams in transit. */
  onTheWay: { to: Side; datagram: Uint8Array<ArrayBuffer> }[];
  /** Brings everything on the way, and what is sent for it, to its end. */
  deliver(): void;
  give(to: Side, datagram: Uint8Array): void;
  close(side: Side): void;
}

export interface DtlsPairOptions {
  certificates?: Partial<Record<Side, Certificate>>;
  /** Fingerprints that replace those of the certificates. */
  fingerprints?: Partial<Record<Side, string>>;
  /** Replaces a datagram in transit by none, another, or several. */
  alter?: (datagram: Uint8Array<ArrayBuffer>, to: Side) => Uint8Array<ArrayBuffer>[];
}

const usual = { client: newCertificate(), server: newCertificate() };

export function dtlsPair(options: DtlsPairOptions = {}): DtlsPair {
  const { alter = (datagram) => [datagram] } = options;
  const certificates = { ...usual, ...options.certificates };
  const clock = handClock();
  const pair: Pick<DtlsPair, "keys" | "ends" | "onTheWay"> = { keys: {}, ends: {}, onTheWay: [] };
  const start = (role: Side, other: Side) =>
    startDtls({
      role,
      certificate: certificates[role],
      fingerprint: options.fingerprints?.[other] ?? certificates[other].fingerprint,
      clock,
      send(datagram) {
        for (const each of alter(datagram, other)) {
          pair.onTheWay.push({ to: other, datagram: each });
        }
      },
      onKeys: (keys) => void (pair.keys[role] = keys),
      onEnd: (why) => void (pair.ends[role] = why),
    });
  const sides = { server: start("server", "client"), client: start("client", "server") };
  return {
    clock,
    ...pair,
    deliver() {
      for (let next = pair.onTheWay.shift(); next; next = pair.onTheWay.shift()) {
        sides[next.to].receive(next.datagram);
      }
    },
    give: (to, datagram) => sides[to].receive(datagram),
    close: (side) => sides[side].close(),
  };
}
