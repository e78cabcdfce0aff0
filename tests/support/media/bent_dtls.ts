import { newCertificate } from "../../../sip/media/webrtc/certificate.ts";
import { type DtlsOptions, startDtls } from "../../../sip/media/webrtc/dtls.ts";
import { createFlights, type Flights } from "../../../sip/media/webrtc/dtls_flights.ts";
import { clientHandshake, serverHandshake } from "../../../sip/media/webrtc/dtls_handshake.ts";
import { readRecords, writeRecord } from "../../../sip/media/webrtc/dtls_record.ts";
import { type HandClock, handClock } from "../process/hand_clock.ts";

type Side = DtlsOptions["role"];

/** A message of a handshake. */
export interface Written {
  type: number;
  body: Uint8Array;
}

/** Deviations of the test's peer from the protocol. */
export interface Bent {
  /** Sends other messages in place of one; they are in its transcript, so that all else is right. */
  bend?: (message: Written) => Written[];
  /** Sends other datagrams in place of one. */
  alter?: (datagram: Uint8Array) => Uint8Array[];
  /** Shows this certificate in place of its own. */
  certificate?: ReturnType<typeof newCertificate>;
  /** The fingerprint that signalling promised; that of its certificate unless given. */
  fingerprint?: string;
}

/** Our side of the handshake. */
export interface Honest {
  clock: HandClock;
  hasKeys: boolean;
  ended: string | undefined;
  /** Every datagram that it sent. */
  sent: Uint8Array[];
  /** Levels and descriptions of the alerts that it sent in the clear. */
  alerts: number[][];
  /** Brings what is on its way to its end, for some time. */
  run(ms?: number): void;
  give(datagram: Uint8Array): void;
  close(): void;
}

/** Our side, in a role, with a peer that breaks the protocol on purpose. */
export function facing(role: Side, bent: Bent): Honest {
  const clock = handClock();
  const own = newCertificate();
  const theirs = bent.certificate ?? newCertificate();
  const way: { to: "us" | "peer"; datagram: Uint8Array }[] = [];
  const alerts: number[][] = [];
  const datagrams: Uint8Array[] = [];
  const state: Pick<Honest, "hasKeys" | "ended"> = { hasKeys: false, ended: undefined };
  const peer = bentPeer(role === "client" ? "server" : "client", {
    ...bent,
    certificate: theirs,
    fingerprint: own.fingerprint,
    clock,
    send(datagram) {
      const sent = bent.alter?.(datagram) ?? [datagram];
      for (const each of sent) way.push({ to: "us", datagram: each });
    },
  });
  const us = startDtls({
    role,
    certificate: own,
    fingerprint: bent.fingerprint ?? theirs.fingerprint,
    clock,
    send(datagram) {
      datagrams.push(datagram);
      for (const { type, epoch, body } of readRecords(datagram)) {
        if (type === 21 && epoch === 0) alerts.push([...body]);
      }
      way.push({ to: "peer", datagram });
    },
    onKeys: () => void (state.hasKeys = true),
    onEnd: (why) => void (state.ended = why),
  });
  const deliver = () => {
    for (let next = way.shift(); next; next = way.shift()) {
      if (next.to === "us") us.receive(next.datagram);
      else peer.receive(next.datagram);
    }
  };
  return {
    clock,
    alerts,
    sent: datagrams,
    get hasKeys() {
      return state.hasKeys;
    },
    get ended() {
      return state.ended;
    },
    run(ms = 0) {
      deliver();
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50);
        deliver();
      }
    },
    give: us.receive,
    close: us.close,
  };
}

type PeerOptions =
  & Pick<DtlsOptions, "clock" | "certificate" | "fingerprint" | "send">
  & Pick<Bent, "bend">;

/** The other side, which looks at nothing more closely than it has to. */
function bentPeer(role: Side, options: PeerOptions): Pick<Flights, "receive"> {
  const { bend = (message) => [message], certificate, fingerprint } = options;
  const inner = createFlights({
    send: options.send,
    clock: options.clock,
    isDue: () => true,
    onAlert: () => inner.close(),
    onMessage(message) {
      try {
        if (handshake.next(message).done) inner.finish();
      } catch {
        inner.close();
      }
    },
  });
  const flights: Flights = {
    ...inner,
    write(type, body) {
      for (const each of bend({ type, body })) inner.write(each.type, each.body);
    },
  };
  const parts = { flights, certificate, fingerprint };
  const handshake = role === "client" ? clientHandshake(parts) : serverHandshake(parts);
  handshake.next();
  return inner;
}

/** A record in the clear, as anyone can make one. */
export const clear = (type: number, body: Uint8Array, sequence = 900) =>
  writeRecord({ type, epoch: 0, sequence, body });
