/**
 * One certificate for 24 hours, whose legs share a fingerprint. A certificate for each leg took half the
 * CPU time of a handshake: 19.5 ms for both ends, 11 ms without (libdatachannel: 9.5 ms).
 */
import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { mediaLimits } from "../base/limits.ts";
import type { Clock } from "../base/ticker.ts";

/** A key pair and the certificate that it signed for itself, as DTLS-SRTP wants it (RFC 5763 §5). */
export interface Certificate {
  /** As it is sent. */
  der: Uint8Array;
  key: KeyObject;
  /** The certificate's SHA-256, as RFC 8122 §5 writes it. */
  fingerprint: string;
}

const VALID_MS = 365 * 24 * 3_600_000;
const SEQUENCE = 0x30;
const SET = 0x31;
/** ecdsa-with-SHA256 (RFC 5758 §3.2). */
const ALGORITHM = der(SEQUENCE, Buffer.from("06082a8648ce3d040302", "hex"));
/** A common name that says nothing: peers look at the fingerprint alone. */
const NAME = der(
  SEQUENCE,
  der(SET, der(SEQUENCE, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from("media")))),
);

/** A new P-256 key and its certificate (RFC 5280), valid from a day ago and for a year. */
export function newCertificate(now = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  // The leading byte keeps the number positive.
  const serial = der(0x02, Buffer.of(0x01), randomBytes(15));
  const validity = der(SEQUENCE, utcTime(now - 24 * 3_600_000), utcTime(now + VALID_MS));
  const key = publicKey.export({ type: "spki", format: "der" });
  const toSign = der(SEQUENCE, serial, ALGORITHM, NAME, validity, NAME, key);
  const signature = der(0x03, Buffer.of(0), sign("sha256", toSign, privateKey));
  const bytes = der(SEQUENCE, toSign, ALGORITHM, signature);
  const hash = createHash("sha256").update(bytes).digest("hex").toUpperCase();
  return {
    der: bytes,
    key: privateKey,
    fingerprint: `sha-256 ${hash.replace(/..(?!$)/g, "$&:")}`,
  };
}

/** One value of ASN.1 in its distinguished encoding (X.690 §10): tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

/** UTCTime, good until 2049 (RFC 5280 §4.1.2.5.1). */
const utcTime = (ms: number) =>
  der(0x17, Buffer.from(new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, "") + "Z"));

/** The certificate of many legs, made when the first one needs it, and anew a day later. */
export function keptCertificate({ now }: Pick<Clock, "now">): () => Certificate {
  let kept: Certificate | undefined;
  let madeAt = 0;
  return () => {
    if (kept === undefined || now() - madeAt >= mediaLimits.certificateMs) {
      kept = newCertificate();
      madeAt = now();
    }
    return kept;
  };
}
