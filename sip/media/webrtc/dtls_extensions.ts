import { ALERT, HandshakeError, illegal, malformed } from "./dtls_alerts.ts";
import {
  type ByteReader,
  type Bytes,
  concat,
  number,
  numbers,
  readerOf,
  readNumbers,
  vector,
} from "./dtls_bytes.ts";

/** The extensions of hellos that we know (RFC 5246 §7.4.1.4). */
export const EXTENSION = {
  groups: 10,
  pointFormats: 11,
  signatures: 13,
  useSrtp: 14,
  extendedMasterSecret: 23,
  renegotiation: 0xff01,
} as const;

export type Extension = [type: number, content: Uint8Array];

export type Extensions = ReadonlyMap<number, Uint8Array>;

/** SRTP_AES128_CM_HMAC_SHA1_80 (RFC 5764 §4.1.2). */
const PROFILE = 0x0001;
/** Code of uncompressed points (RFC 8422 §5.1.2). */
const UNCOMPRESSED = 0;

/** The contents of extensions that are the same in both hellos. */
export const OUR_POINT_FORMATS = vector(1, Uint8Array.of(UNCOMPRESSED));
/** One profile, and no MKI. */
export const OUR_PROFILE = concat(numbers(PROFILE), vector(1));
/** The first handshake renegotiates none (RFC 5746 §3.4). */
export const FIRST = vector(1);

export const writeExtensions = (extensions: Extension[]): Bytes =>
  vector(2, ...extensions.map(([type, content]) => concat(number(2, type), vector(2, content))));

/** The extensions at the end of a hello, which may have none; throws when one is there twice. */
export function readExtensions(hello: ByteReader): Extensions {
  const extensions = new Map<number, Uint8Array>();
  if (hello.isAtEnd()) return extensions;
  const reader = readerOf(hello.vector(2));
  hello.end();
  while (!reader.isAtEnd()) {
    const type = reader.number(2);
    if (extensions.has(type)) throw illegal(`it has extension ${type} twice`);
    extensions.set(type, reader.vector(2));
  }
  return extensions;
}

/** Extensions that a server may answer with: those of our hello that are not a client's alone. */
const ANSWERS: ReadonlySet<number> = new Set([
  // Servers that send it are known, and it says nothing.
  EXTENSION.groups,
  EXTENSION.pointFormats,
  EXTENSION.useSrtp,
  EXTENSION.extendedMasterSecret,
  EXTENSION.renegotiation,
]);

/** Throws when a server answered what was not offered (RFC 5246 §7.4.1.4). */
export function assertOffered(extensions: Extensions): void {
  for (const type of extensions.keys()) {
    if (ANSWERS.has(type)) continue;
    throw new HandshakeError(
      `it answered extension ${type}, which was not offered`,
      ALERT.unsupportedExtension,
    );
  }
}

/**
 * Throws unless the extensions that both hellos have say what they may: the first handshake
 * renegotiates nothing (RFC 5746 §3.4, §3.6), points may come uncompressed (RFC 8422 §5.1.2), and the
 * extended master secret is wanted (RFC 7627 §5).
 */
export function assertCommon(extensions: Extensions): void {
  const renegotiation = extensions.get(EXTENSION.renegotiation);
  if (renegotiation !== undefined && whole(renegotiation, (from) => from.vector(1)).length > 0) {
    throw new HandshakeError("its first handshake would renegotiate another one");
  }
  const formats = extensions.get(EXTENSION.pointFormats);
  if (formats !== undefined && !whole(formats, (from) => from.vector(1)).includes(UNCOMPRESSED)) {
    throw illegal("it has no uncompressed points");
  }
  const master = extensions.get(EXTENSION.extendedMasterSecret);
  if (master === undefined) throw new HandshakeError("it has no extended master secret");
  if (master.length > 0) throw malformed("its extended master secret is not empty");
}

/** A list of numbers of two bytes that is all of an extension; empty without the extension. */
export function readList(extensions: Extensions, type: number): number[] {
  const content = extensions.get(type);
  return content === undefined ? [] : readNumbers(whole(content, (from) => from.vector(2)));
}

/** Throws unless a client offers our profile of SRTP; an MKI it may offer, and we answer none. */
export function assertSrtpOffered(extensions: Extensions): void {
  if (!readUseSrtp(extensions).profiles.includes(PROFILE)) throw noSrtp();
}

/** Throws unless a server chose our profile alone, without an MKI (RFC 5764 §4.1.1, §4.1.3). */
export function assertSrtpChosen(extensions: Extensions): void {
  const { profiles, mki } = readUseSrtp(extensions);
  if (profiles.length !== 1 || profiles[0] !== PROFILE) throw noSrtp();
  if (mki.length > 0) throw illegal("it chose an MKI, which was not offered");
}

function readUseSrtp(extensions: Extensions) {
  const content = extensions.get(EXTENSION.useSrtp);
  if (content === undefined) throw noSrtp();
  return whole(content, (from) => ({ profiles: readNumbers(from.vector(2)), mki: from.vector(1) }));
}

/** Reads a value that takes all of the bytes. */
function whole<T>(content: Uint8Array, read: (from: ByteReader) => T): T {
  const reader = readerOf(content);
  const value = read(reader);
  reader.end();
  return value;
}

const noSrtp = () => new HandshakeError("it has no SRTP with AES128_CM_HMAC_SHA1_80");
