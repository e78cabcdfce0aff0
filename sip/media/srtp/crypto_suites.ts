/** The crypto suites that we speak (RFC 4568 §6.2), with the bytes of an RTP packet's tag. */
export const suites = { AES_CM_128_HMAC_SHA1_80: 10, AES_CM_128_HMAC_SHA1_32: 4 } as const;
export type Suite = keyof typeof suites;

/** What a crypto attribute says (RFC 4568 §4): the key of the side that writes it. */
export interface CryptoLine {
  tag: string;
  suite: Suite;
  /** Key and salt, in Base64. */
  inline: string;
}
