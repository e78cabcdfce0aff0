/** The crypto suites that we speak (RFC 4568 §6.2), with the bytes of an RTP packet's tag. */
export const suites = { AES_CM_128_HMAC_SHA1_80: 10, AES_CM_128_HMAC_SHA1_32: 4 } as const;
export type Suite = keyof typeof suites;

/**
 * Master key identifier (RFC 3711 §3.1): stands in each packet and names the key that it is protected
 * by.
 */
export interface Mki {
  value: bigint;
  /** In bytes, 1 to 128. */
  length: number;
}

/** A master key of a crypto attribute (RFC 4568 §6.1). */
export interface CryptoKey {
  /** Key and salt, in Base64. */
  inline: string;
  mki?: Mki;
}

/** Crypto attribute (RFC 4568 §4). */
export interface CryptoLine {
  tag: string;
  suite: Suite;
  /** Keys of the side that writes it; where there are several, each has an identifier of one length. */
  keys: [CryptoKey, ...CryptoKey[]];
}
