/** Alerts of TLS (RFC 5246 §7.2), and the error that ends a handshake with one. */

/** Levels. */
export const WARNING = 1;
export const FATAL = 2;

/** Descriptions. */
export const ALERT = {
  closeNotify: 0,
  unexpectedMessage: 10,
  handshakeFailure: 40,
  badCertificate: 42,
  illegalParameter: 47,
  decodeError: 50,
  decryptError: 51,
  protocolVersion: 70,
  unsupportedExtension: 110,
} as const;

export type AlertDescription = typeof ALERT[keyof typeof ALERT];

/** A message of the peer cannot be taken; the alert says why to the peer. */
export class HandshakeError extends Error {
  readonly alert: AlertDescription;

  constructor(message: string, alert: AlertDescription = ALERT.handshakeFailure) {
    super(message);
    this.alert = alert;
  }
}

/** The message has another form than RFC 5246 §4 gives it. */
export const malformed = (what: string) => new HandshakeError(what, ALERT.decodeError);

/** The message is well formed, and one of its values may not be there. */
export const illegal = (what: string) => new HandshakeError(what, ALERT.illegalParameter);
