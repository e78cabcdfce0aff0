import { counter, expandKey, xorKeystream } from "./aes_ctr.ts";

// `!` follows indexes that a loop, a mask or a check of lengths keeps within their array.

/**
 * Agreement of DTLS (RFC 5764 §4.2) or SDES for one direction: a master key of 16 and a salt of 14
 * bytes.
 */
export interface SrtpKeys {
  key: Uint8Array;
  salt: Uint8Array;
  /** Identifier that stands in each packet (RFC 3711 §3.1); none with DTLS. */
  mki?: Uint8Array;
}

/** Session keys of one direction; the salt has two zeros at its end. */
export interface SessionKeys {
  cipherKey: Uint8Array;
  authenticationKey: Uint8Array;
  salt: Uint8Array<ArrayBuffer>;
}

/** The first of three labels each, for the cipher, authentication and the salt (RFC 3711 §4.3.2). */
export const RTP_KEYS = 0;
export const RTCP_KEYS = 3;

const SALT_BYTES = 14;
/** Place of the label: one byte before an index of 48 bits. */
const LABEL_AT = SALT_BYTES - 7;

/** The session keys (RFC 3711 §4.3), derived once: the rate of derivation is zero. */
export function sessionKeys({ key, salt }: SrtpKeys, labels: number): SessionKeys {
  if (salt.length !== SALT_BYTES) {
    throw new Error(`Cannot take an SRTP salt: it has ${salt.length} bytes`);
  }
  const words = expandKey(key);
  const derived = (label: number, length: number) => {
    const block = new Uint8Array(16);
    block.set(salt);
    block[LABEL_AT]! ^= label;
    const view = new DataView(block.buffer);
    for (let i = 0; i < 4; i++) counter[i] = view.getInt32(i * 4);
    const stream = new Uint8Array(32);
    xorKeystream(words, new DataView(stream.buffer), 0, length);
    return stream.slice(0, length);
  };
  const padded = new Uint8Array(16);
  padded.set(derived(labels + 2, SALT_BYTES));
  return {
    cipherKey: derived(labels, 16),
    authenticationKey: derived(labels + 1, 20),
    salt: padded,
  };
}
