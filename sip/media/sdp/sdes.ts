/**
 * SDES keys (RFC 4568). A crypto attribute may have up to 16 keys with an MKI. Our answer has one key,
 * with the MKI of the peer's first key, and our packets carry it: session border controllers such as those
 * of Lync expect it of both sides. Our offers have none. All keys of a peer share rollover counter and
 * replay window (RFC 3711 §8.1).
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { mediaLimits } from "../base/limits.ts";
import {
  type CryptoKey,
  type CryptoLine,
  type Mki,
  type Suite,
  suites,
} from "../srtp/crypto_suites.ts";
import { refusal } from "./sdp.ts";
import type { SrtpKeys } from "../srtp/srtp_keys.ts";

const KEY_BYTES = 16;
const SALT_BYTES = 14;
/** A shorter life of a key than 2^20 packets, nearly six hours of audio, is not kept track of. */
const LIFETIME_BITS = 20;

/** Lifetime that our keys have beside an identifier: as long as SRTCP allows (RFC 3711 §9.2). */
const LIFETIME = "2^31";

/**
 * The crypto attributes that we can follow; those with an unknown suite, unknown session parameters or
 * malformed keys count as invalid (RFC 4568 §6.3.7).
 */
export const readCrypto = (values: readonly string[]): CryptoLine[] =>
  values.flatMap((value) => {
    const [tag = "", suite = "", keyParams = "", ...parameters] = value.trim().split(/[ \t]+/);
    const isKnown = /^\d{1,9}$/.test(tag) && Object.hasOwn(suites, suite);
    const isPlain = parameters.every((each) => /^(?:-|WSH=\d+$)/.test(each));
    const keys = isKnown && isPlain ? readKeys(keyParams) : undefined;
    return keys === undefined ? [] : [{ tag, suite: suite as Suite, keys }];
  });

/** The keys of an attribute; undefined where one is malformed, or they cannot be told apart (§6.1). */
function readKeys(text: string): CryptoLine["keys"] | undefined {
  const params = text.split(";", mediaLimits.srtpKeys + 1);
  const [first, ...more] = params.map(readKey).filter((key) => key !== undefined);
  if (first === undefined || params.length !== 1 + more.length) return undefined;
  if (params.length > mediaLimits.srtpKeys) return undefined;
  const isApart = more.length === 0 ||
    [first, ...more].every(({ mki }) => mki !== undefined && mki.length === first.mki?.length) &&
      new Set([first, ...more].map(({ mki }) => mki?.value)).size === params.length;
  return isApart ? [first, ...more] : undefined;
}

/** A key with its lifetime and its identifier, both of which may be left out. */
function readKey(param: string): CryptoKey | undefined {
  const [, inline, lifetime = "", value, length] =
    /^inline:([A-Za-z0-9+/]{40})(?:\|([\d^]{1,30}))?(?:\|(\d{1,309}):(\d{1,3}))?$/.exec(param) ??
      [];
  if (inline === undefined || !livesLong(lifetime)) return undefined;
  if (value === undefined) return { inline };
  const mki = { value: BigInt(value), length: Number(length) };
  const isPossible = mki.length >= 1 && mki.length <= 128 &&
    mki.value < 1n << BigInt(8 * mki.length);
  return isPossible ? { inline, mki } : undefined;
}

const livesLong = (lifetime: string): boolean =>
  lifetime === "" ||
  (lifetime.startsWith("2^")
    ? Number(lifetime.slice(2)) >= LIFETIME_BITS
    : Number(lifetime) >= 2 ** LIFETIME_BITS);

export const writeCrypto = ({ tag, suite, keys }: CryptoLine): string =>
  `a=crypto:${tag} ${suite} ${keys.map(writeKey).join(";")}`;

const writeKey = ({ inline, mki }: CryptoKey): string =>
  `inline:${inline}` + (mki === undefined ? "" : `|${LIFETIME}|${mki.value}:${mki.length}`);

/** A line with a new key of ours, which has an identifier where one is given. */
export const newCrypto = (tag: string, suite: Suite, mki?: Mki): CryptoLine => ({
  tag,
  suite,
  keys: [{
    inline: randomBytes(KEY_BYTES + SALT_BYTES).toString("base64"),
    ...(mki && { mki }),
  }],
});

/** Suites of our offers: the longer tag first. */
export const offeredCrypto = (): CryptoLine[] =>
  (Object.keys(suites) as Suite[]).map((suite, i) => newCrypto(String(i + 1), suite));

/** The keys of a line, each with the bytes of its identifier. */
export const keysOf = ({ keys }: CryptoLine): [SrtpKeys, ...SrtpKeys[]] => {
  const [first, ...more] = keys;
  return [keyOf(first), ...more.map(keyOf)];
};

function keyOf({ inline, mki }: CryptoKey): SrtpKeys {
  const bytes = Buffer.from(inline, "base64");
  const keys = { key: bytes.subarray(0, KEY_BYTES), salt: bytes.subarray(KEY_BYTES) };
  return mki === undefined ? keys : { ...keys, mki: bytesOf(mki) };
}

const bytesOf = ({ value, length }: Mki): Uint8Array =>
  Uint8Array.fromHex(value.toString(16).padStart(2 * length, "0"));

/** Returns whether two identifiers are the same, or both missing. */
export const isSameMki = (one: Mki | undefined, other: Mki | undefined): boolean =>
  one?.value === other?.value && one?.length === other?.length;

/** Returns whether two lines say the same of their keys, whatever their tags. */
export const hasSameKeys = (one: CryptoLine, other: CryptoLine): boolean =>
  writeCrypto({ ...one, tag: "" }) === writeCrypto({ ...other, tag: "" });

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
