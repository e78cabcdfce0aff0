/**
 * DTLS 1.2 (RFC 6347). Before the keys, no message is authenticated, and one forged datagram could end a
 * call. So an alert in the clear, or a message out of order, ends the handshake only if the peer does not
 * go on within 2 s; a real alert is reported 2 s later. A message that RFC 5246 §7.4.1.4 forbids ends the
 * handshake at once.
 */
import type { Certificate } from "./certificate.ts";
import { ALERT, FATAL, HandshakeError, WARNING } from "./dtls_alerts.ts";
import type { Bytes } from "./dtls_bytes.ts";
import { type Alert, createFlights, type Flights } from "./dtls_flights.ts";
import { clientHandshake, type Handshake, serverHandshake } from "./dtls_handshake.ts";
import type { Message } from "./dtls_reassembly.ts";
import { mediaLimits } from "../base/limits.ts";
import type { SrtpKeys } from "../srtp/srtp.ts";
import type { Clock } from "../base/ticker.ts";

export interface DtlsOptions {
  /** Ours. The side that is "active" in its SDP is the client (RFC 5763 §5). */
  role: "client" | "server";
  /** Ours. */
  certificate: Certificate;
  /**
   * Of the peer's certificate, from its SDP: the hash function and the bytes in hexadecimal. If the
   * peer may show one of several certificates, the fingerprints of all, separated by commas.
   */
  fingerprint: string;
  send(datagram: Bytes): void;
  clock: Clock;
  /** Called once, when both sides are authenticated, before the next datagram is read. */
  onKeys(keys: { ours: SrtpKeys; theirs: SrtpKeys }): void;
  /** Called once, when the handshake fails or the peer closes the association. */
  onEnd(why: string): void;
}

export interface Dtls {
  /** Takes a datagram from the peer's address; drops malformed and forged ones. */
  receive(datagram: Uint8Array): void;
  /** Sends a close_notify alert; no further callbacks. */
  close(): void;
}

interface State {
  readonly options: DtlsOptions;
  readonly flights: Flights;
  readonly handshake: Handshake;
  ended: boolean;
  /** The types of message that are due. */
  due: readonly number[];
  cancelDoubt: (() => void) | undefined;
}

/**
 * DTLS 1.2 for the keys of SRTP (RFC 5764): ECDHE on P-256 with AES-128-GCM, which every WebRTC peer
 * supports, extended master secret, certificates of both sides. There is no renegotiation, no
 * resumption and no application data. A client begins at once. A server requests no cookie: ICE has
 * verified the address of the peer.
 *
 * Until both sides have keys, an attacker who can send from the peer's address can forge what ends a
 * handshake: an alert, or a message that is not due. Either ends the handshake only if no message that
 * is due follows within `handshakeDoubtMs`.
 */
export function startDtls(options: DtlsOptions): Dtls {
  const { role, clock, certificate, fingerprint, send } = options;
  const flights = createFlights({
    send,
    clock,
    isDue: (message) => isDue(state, message),
    onMessage: (message) => onMessage(state, message),
    onAlert: (alert) => onAlert(state, alert),
  });
  const parts = { flights, certificate, fingerprint };
  const handshake = role === "client" ? clientHandshake(parts) : serverHandshake(parts);
  const state: State = {
    options,
    flights,
    handshake,
    ended: false,
    due: [],
    cancelDoubt: undefined,
  };
  advance(state);
  return {
    receive(datagram) {
      if (!state.ended) flights.receive(datagram);
    },
    close() {
      if (state.ended) return;
      state.ended = true;
      trust(state);
      flights.alert(WARNING, ALERT.closeNotify);
      flights.close();
    },
  };
}

/** Continues the handshake, with the message of the peer that was due. */
function advance(state: State, message?: Message): void {
  const { options, handshake } = state;
  const { done, value } = message === undefined ? handshake.next() : handshake.next(message);
  if (!done) return void (state.due = value);
  state.flights.finish();
  const { client, server } = value;
  const isClient = options.role === "client";
  options.onKeys({ ours: isClient ? client : server, theirs: isClient ? server : client });
}

function isDue(state: State, { type }: Message): boolean {
  if (state.due.includes(type)) return true;
  const why = `it sent message ${type} when ${state.due.join(" or ")} was due`;
  doubt(state, () => fail(state, new HandshakeError(why, ALERT.unexpectedMessage)));
  return false;
}

function onMessage(state: State, message: Message): void {
  trust(state);
  try {
    advance(state, message);
  } catch (error) {
    fail(state, error);
  }
}

function onAlert(state: State, { level, description, sealed }: Alert): void {
  const isClose = description === ALERT.closeNotify;
  if (!isClose && level !== FATAL) return;
  const why = isClose ? "the peer closed it" : `DTLS failed: the peer sent alert ${description}`;
  if (sealed) end(state, why);
  else doubt(state, () => end(state, why));
}

/** Ends the handshake after a while unless a message that is due arrives: the cause may be forged. */
function doubt(state: State, act: () => void): void {
  state.cancelDoubt ??= state.options.clock.after(mediaLimits.handshakeDoubtMs, act);
}

function trust(state: State): void {
  state.cancelDoubt?.();
  state.cancelDoubt = undefined;
}

function fail(state: State, error: unknown): void {
  const isTheirs = error instanceof HandshakeError;
  state.flights.alert(FATAL, isTheirs ? error.alert : ALERT.handshakeFailure);
  end(state, `DTLS failed with the peer: ${error instanceof Error ? error.message : error}`);
}

function end(state: State, why: string): void {
  if (state.ended) return;
  state.ended = true;
  trust(state);
  state.flights.close();
  state.options.onEnd(why);
}
