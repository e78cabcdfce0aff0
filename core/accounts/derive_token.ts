import { createTenantGate } from "./tenant_gate.ts";
const iterations = 210_000;

/**
 * Derives an account's AuthToken from its password: PBKDF2-HMAC-SHA-256 (RFC 8018), salted with the
 * account's Sid and the server's secret, as 32 hex digits. Slow on purpose, and without the secret
 * passwords cannot be tried against a token.
 */
export function tokenDeriver(secretKey: string) {
  return async (accountSid: string, password: string): Promise<string> => {
    const encoder = new TextEncoder();
    const key = await crypto.subtle.importKey("raw", encoder.encode(password), "PBKDF2", false, [
      "deriveBits",
    ]);
    const salt = encoder.encode(`${accountSid}.${secretKey}`);
    const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 128)).toHex();
  };
}

/**
 * Derivations of AuthTokens that requests of tenants order, one at a time of each: a derivation takes a
 * core for some 50 ms, and the threads that make them are those of files and of the store.
 */
export const derivations = createTenantGate({
  what: "passwords derived",
  most: 2,
  ofTenant: 1,
  waiting: 200,
  waitMs: 15_000,
});
