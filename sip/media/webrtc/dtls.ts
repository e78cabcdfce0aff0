import type { Certificate } from "./certificate.ts";
import type { Bytes } from "./dtls_bytes.ts";
import { createFlights } from "./dtls_flights.ts";
import { clientHandshake, serverHandshake, WrongFingerprint } from "./dtls_handshake.ts";
import { HANDSHAKE } from "./dtls_messages.ts";
import type { Message } from "./dtls_reassembly.ts";
import type { SrtpKeys } from "./srtp.ts";
import type { Clock } from "../ticker.ts";

export interface DtlsOptions {
  /** Who is "active" in its SDP is the client (RFC 5763 §5). */
  role: "client" | "server";
  /** Ours. */
  certificate: Certificate;
  /** Of the peer's certificate, as its SDP says: its hash function, and bytes in hexadecimal. */
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

const WARNING = 1;
const FATAL = 2;
/** Descriptions of alerts (RFC 5246 §7.2). */
const CLOSE_NOTIFY = 0;
const HANDSHAKE_FAILURE = 40;
const BAD_CERTIFICATE = 42;

/**
 * DTLS 1.2 for the keys of SRTP (RFC 5764): ECDHE on P-256 with AES-128-GCM, which every WebRTC peer
 * has, extended master secret, certificates of both sides. There is no renegotiation, no resumption
 * and no data. A client begins at once. A server asks for no cookie: ICE has shown that the peer is
 * where it says.
 */
export function startDtls(options: DtlsOptions): Dtls {
  let ended = false;
  let expected: readonly number[] = [];

  const end = (why: string) => {
    if (ended) return;
    ended = true;
    flights.close();
    options.onEnd(why);
  };
  const fail = (error: unknown) => {
    flights.alert(FATAL, error instanceof WrongFingerprint ? BAD_CERTIFICATE : HANDSHAKE_FAILURE);
    end(`DTLS failed with the peer: ${error instanceof Error ? error.message : error}`);
  };
  const advance = (message?: Message) => {
    const { done, value } = message === undefined ? handshake.next() : handshake.next(message);
    if (!done) return void (expected = value);
    flights.finish();
    const { client, server } = value;
    const isClient = options.role === "client";
    options.onKeys({ ours: isClient ? client : server, theirs: isClient ? server : client });
  };
  const onMessage = (message: Message) => {
    try {
      const { type, sealed } = message;
      if (!expected.includes(type) || sealed !== (type === HANDSHAKE.finished)) {
        throw new Error(`it sent message ${type} when ${expected.join(" or ")} was due`);
      }
      advance(message);
    } catch (error) {
      fail(error);
    }
  };
  const onAlert = (level: number, description: number) => {
    if (description === CLOSE_NOTIFY) end("the peer closed it");
    else if (level === FATAL) end(`DTLS failed: the peer sent alert ${description}`);
  };

  const { clock, certificate, fingerprint, send } = options;
  const flights = createFlights({ send, clock, onMessage, onAlert });
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
      flights.alert(WARNING, CLOSE_NOTIFY);
      flights.close();
    },
  };
}
