import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { type CryptoLine, type Suite, suites } from "../srtp/crypto_suites.ts";
import { refusal } from "./sdp.ts";
import type { SrtpKeys } from "../srtp/srtp_keys.ts";

const KEY_BYTES = 16;
const SALT_BYTES = 14;
/** A shorter life of a key than 2^20 packets, nearly six hours of audio, is not kept track of. */
const LIFETIME_BITS = 20;

/**
 * The crypto attributes that we can follow; those with an MKI, several keys, an unknown suite or
 * unknown session parameters count as invalid (RFC 4568 §6.3.7).
 */
export const readCrypto = (values: readonly string[]): CryptoLine[] =>
  values.flatMap((value) => {
    const [, tag = "", suite = "", inline = "", lifetime = "", more = ""] =
      /^(\d{1,9}) +(\w+) +inline:([A-Za-z0-9+/]{40})(?:\|([^|: ;]+))?((?: +\S+)*) *$/.exec(value) ??
        [];
    const isKnown = Object.hasOwn(suites, suite) && livesLong(lifetime);
    const parameters = more.split(" ").filter((each) => each !== "");
    const isPlain = parameters.every((each) => /^(?:-|WSH=\d+$)/.test(each));
    return isKnown && isPlain ? [{ tag, suite: suite as Suite, inline }] : [];
  });

const livesLong = (lifetime: string): boolean =>
  lifetime === "" ||
  (lifetime.startsWith("2^")
    ? Number(lifetime.slice(2)) >= LIFETIME_BITS
    : Number(lifetime) >= 2 ** LIFETIME_BITS);

export const writeCrypto = ({ tag, suite, inline }: CryptoLine): string =>
  `a=crypto:${tag} ${suite} inline:${inline}`;

/** A line with a new key of ours. */
export const newCrypto = (tag: string, suite: Suite): CryptoLine => ({
  tag,
  suite,
  inline: randomBytes(KEY_BYTES + SALT_BYTES).toString("base64"),
});

/** What we offer: the longer tag first. */
export const offeredCrypto = (): CryptoLine[] =>
  (Object.keys(suites) as Suite[]).map((suite, i) => newCrypto(String(i + 1), suite));

export function keysOf({ inline }: CryptoLine): SrtpKeys {
  const bytes = Buffer.from(inline, "base64");
  return { key: bytes.subarray(0, KEY_BYTES), salt: bytes.subarray(KEY_BYTES) };
}

/** The one of our lines that an answer takes up (RFC 4568 §5.1.3). */
export function acceptedCrypto(
  ours: readonly CryptoLine[],
  [answer]: readonly CryptoLine[],
): CryptoLine {
  const taken = ours.find(({ tag, suite }) => tag === answer?.tag && suite === answer.suite);
  if (taken === undefined) {
    throw refusal("its crypto is none of those that were offered", "transport");
  }
  return taken;
}
