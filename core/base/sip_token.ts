/**
 * SIP credentials that expire. The user name of digest authentication has the Login of a Client and
 * an instant; the password is a keyed hash of it. They follow from a key of the Client, so nothing
 * is stored. Another Password of the Client, or its removal, ends all of them.
 *
 * A page of a customer need not have the permanent Password of its Client. Stored passwords with an end
 * were refused: records to bound, to remove and to send to companions. One token cannot be withdrawn
 * alone. A binding ends with its password. The clocks of service and companions must agree.
 */
import { createHmac } from "node:crypto";

/** Separates Login and instant; no Login has it. */
const separator = "~";

/** The user name of a token that ends at an instant, in whole seconds since 1970. */
export const tokenUsername = (login: string, expiresS: number): string =>
  `${login}${separator}${expiresS}`;

/** The password of a token, by the key of its Client. */
export const tokenPassword = (key: string, username: string): string =>
  createHmac("sha256", key).update(username).digest("base64url");

/** A user name of digest authentication, read. */
export interface DigestUser {
  login: string;
  /** The end of the token in ms; undefined for the permanent password of the Client. */
  expiresAt?: number;
}

/** Reads a user name, of a token or not. */
export function readUsername(username: string): DigestUser {
  const [, login, expires] = /^([^~]*)~(\d{1,12})$/.exec(username) ?? [];
  if (login === undefined) return { login: username };
  return { login, expiresAt: Number(expires) * 1_000 };
}
