/**
 * Verifier of a password: a SHA-256 of what the slow function derives from it. Without a verifier,
 * the AuthToken is derived from the password and serves as one, as for accounts of former versions.
 * A promotion of another AuthToken writes the verifier: else no password would be right after it.
 * The same password set again brings back the token that is derived from it.
 */
import { createHash } from "node:crypto";
import type { Account } from "../model/resources/accounts.ts";
import { isSameSecret } from "./access.ts";

type Verified = Pick<Account, "authToken" | "passwordVerifier">;

const hashOf = (derived: string): string =>
  createHash("sha256").update(`password ${derived}`).digest("hex");

/**
 * Verifier of an account's password, compared with the token that is derived from it. An account whose
 * AuthToken never changed without its password has no verifier: that token is derived from it.
 */
export const verifierOf = ({ authToken, passwordVerifier }: Verified): string =>
  passwordVerifier ?? hashOf(authToken);

/** True when a token is the one that is derived from the password of an account. */
export const isOfPassword = (account: Verified, derived: string): boolean =>
  isSameSecret(hashOf(derived), verifierOf(account));

/** The verifier of a password from what is derived from it, for an account with another AuthToken. */
export const verifierFrom = hashOf;
