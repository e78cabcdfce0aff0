import type { Certificate } from "./certificate.ts";
import { ALERT, FATAL, HandshakeError, WARNING } from "./dtls_alerts.ts";
import type { Bytes } from "./dtls_bytes.ts";
import { type Alert, createFlights } from "./dtls_flights.ts";
import { clientHandshake, serverHandshake } from "./dtls_handshake.ts";
import type { Message } from "./dtls_reassembly.ts";
import { mediaLimits } from "../base/limits.ts";
import type { SrtpKeys } from "../srtp/srtp.ts";
import type { Clock } from "../base/ticker.ts";

export interface DtlsOptions {
  /** Who is "active" in its SDP is the client (RFC 5763 §5). */
  role: "client" | "server";
  /** Ours. */
  certificate: Certificate;
  /**
   * Of the peer's certificate, as its SDP says: the hash function, and bytes in hexadecimal; where it
   * may show one of several certificates, those of each, with commas.
   */
  fingerprint: string;
  send(datagram: Bytes): void;
  clock: Clock;
  /** Called once both sides have proven who they are, before the next datagram is looked at. */
  onKeys(keys: { ours: SrtpKeys; theirs: SrtpKeys }): void;
  /** Called once, when the handshake failed, or the peer ended what it made. */
  onEnd(why: string): void;
}

export interface Dtls {
  /** A datagram from the peer's address; what is malformed or forged is dropped. */
  receive(datagram: Uint8Array): void;
  /** Tells the peer; calls nothing back any more. */
  close(): void;
}

/**
 * DTLS 1.2 for the keys of SRTP (RFC 5764): ECDHE on P-256 with AES-128-GCM, which every WebRTC peer
 * has, extended master secret, certificates of both sides. There is no renegotiation, no resumption
 * and no data. A client begins at once. A server asks for no cookie: ICE has shown that the peer is
 * where it says.
 *
 * Until both sides have keys, anyone who can send by the peer's address could have sent what ends the
 * handshake: an alert, or a message that is not due. The handshake ends by it only where the peer does
 * not go on soon after.
 */
export function startDtls(options: DtlsOptions): Dtls {
  let ended = false;
  let expected: readonly number[] = [];
  let cancelDoubt: (() => void) | undefined;

  const end = (why: string) => {
    if (ended) return;
    ended = true;
    trust();
    flights.close();
    options.onEnd(why);
  };
  const fail = (error: unknown) => {
    const isTheirs = error instanceof HandshakeError;
    flights.alert(FATAL, isTheirs ? error.alert : ALERT.handshakeFailure);
    end(`DTLS failed with the peer: ${error instanceof Error ? error.message : error}`);
  };
  /** The peer may have ended, or have to be ended, and a forger may have made it look so. */
  const doubt = (act: () => void) => {
    cancelDoubt ??= options.clock.after(mediaLimits.handshakeDoubtMs, act);
  };
  const trust = () => {
    cancelDoubt?.();
    cancelDoubt = undefined;
  };
  const advance = (message?: Message) => {
    const { done, value } = message === undefined ? handshake.next() : handshake.next(message);
    if (!done) return void (expected = value);
    flights.finish();
    const { client, server } = value;
    const isClient = options.role === "client";
    options.onKeys({ ours: isClient ? client : server, theirs: isClient ? server : client });
  };
  const isDue = ({ type }: Message) => {
    if (expected.includes(type)) return true;
    const why = `it sent message ${type} when ${expected.join(" or ")} was due`;
    doubt(() => fail(new HandshakeError(why, ALERT.unexpectedMessage)));
    return false;
  };
  const onMessage = (message: Message) => {
    trust();
    try {
      advance(message);
    } catch (error) {
      fail(error);
    }
  };
  const onAlert = ({ level, description, sealed }: Alert) => {
    const isClose = description === ALERT.closeNotify;
    if (!isClose && level !== FATAL) return;
    const why = isClose ? "the peer closed it" : `DTLS failed: the peer sent alert ${description}`;
    if (sealed) end(why);
    else doubt(() => end(why));
  };

  const { clock, certificate, fingerprint, send } = options;
  const flights = createFlights({ send, clock, isDue, onMessage, onAlert });
  const parts = { flights, certificate, fingerprint };
  const handshake = options.role === "client" ? clientHandshake(parts) : serverHandshake(parts);
  advance();
  return {
    receive(datagram) {
      if (!ended) flights.receive(datagram);
    },
    close() {
      if (ended) return;
      ended = true;
      trust();
      flights.alert(WARNING, ALERT.closeNotify);
      flights.close();
    },
  };
}
