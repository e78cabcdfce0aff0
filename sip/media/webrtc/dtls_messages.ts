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
import {
  assertCommon,
  assertOffered,
  assertSrtpChosen,
  assertSrtpOffered,
  EXTENSION,
  type Extension,
  FIRST,
  OUR_POINT_FORMATS,
  OUR_PROFILE,
  readExtensions,
  readList,
  writeExtensions,
} from "./dtls_extensions.ts";
import { VERSION } from "./dtls_record.ts";

/** The messages of a handshake that we know (RFC 5246 §7.4, RFC 6347 §4.3.2). */
export const HANDSHAKE = {
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
} as const;

/** TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, which every WebRTC peer has (RFC 8827 §6.5). */
export const SUITE = 0xc02b;
/** The same with a certificate of RSA, which a server of theirs may have. */
const SUITE_RSA = 0xc02f;
/** "I know secure renegotiation" in place of its extension (RFC 5746 §3.3). */
const SUITE_RENEGOTIATION = 0x00ff;
/** secp256r1. */
const GROUP = 23;
const NAMED_CURVE = 3;
/** ecdsa_secp256r1_sha256: how we sign. */
export const OUR_SIGNATURE = 0x0403;
/** Signature algorithms that we verify, ECDSA and RSA (RFC 8446 §4.2.3 has the numbers). */
const SIGNATURES = [OUR_SIGNATURE, 0x0503, 0x0603, 0x0401, 0x0501, 0x0601];
/** Kinds of certificates' keys: ecdsa_sign and rsa_sign. */
const ECDSA_SIGN = 64;
const CERTIFICATE_TYPES = Uint8Array.of(ECDSA_SIGN, 1);
/** Null compression, the only method in use; most bytes of a session id (§7.4.1.2). */
const NO_COMPRESSION = 0;
const SESSION_ID_BYTES = 32;
/** Points of P-256 that are not compressed (RFC 8422 §5.4.1): a byte that says so, and two numbers. */
const UNCOMPRESSED_POINT = 4;
const POINT_BYTES = 65;

export const writeClientHello = (random: Uint8Array, cookie: Uint8Array): Bytes =>
  concat(
    number(2, VERSION),
    random,
    vector(1),
    vector(1, cookie),
    numbers(SUITE, SUITE_RSA),
    vector(1, Uint8Array.of(NO_COMPRESSION)),
    writeExtensions([
      [EXTENSION.groups, numbers(GROUP)],
      [EXTENSION.pointFormats, OUR_POINT_FORMATS],
      [EXTENSION.signatures, numbers(...SIGNATURES)],
      [EXTENSION.useSrtp, OUR_PROFILE],
      [EXTENSION.extendedMasterSecret, new Uint8Array()],
      [EXTENSION.renegotiation, FIRST],
    ]),
  );

export interface ClientHello {
  random: Uint8Array;
  /** True where it says which points it takes, so that we say it, too. */
  hasPointFormats: boolean;
}

/** Reads the hello of a client; throws unless it offers what we take. */
export function readClientHello(body: Uint8Array): ClientHello {
  const reader = readerOf(body);
  // Versions count downwards.
  if (reader.number(2) > VERSION) throw noVersion();
  const random = reader.bytes(32);
  readSessionId(reader);
  reader.vector(1);
  const suites = readNumbers(reader.vector(2));
  const compressions = reader.vector(1);
  const extensions = readExtensions(reader);
  if (!compressions.includes(NO_COMPRESSION)) throw illegal("it has nothing but compression");
  if (!suites.includes(SUITE)) {
    throw new HandshakeError("it has no ECDHE_ECDSA with AES-128-GCM");
  }
  if (!readList(extensions, EXTENSION.groups).includes(GROUP)) {
    throw new HandshakeError("it has no curve P-256");
  }
  if (!readList(extensions, EXTENSION.signatures).includes(OUR_SIGNATURE)) {
    throw new HandshakeError("it has no ECDSA with SHA-256");
  }
  assertSrtpOffered(extensions);
  assertCommon(extensions);
  if (!suites.includes(SUITE_RENEGOTIATION) && !extensions.has(EXTENSION.renegotiation)) {
    throw new HandshakeError("it has no secure renegotiation");
  }
  return { random, hasPointFormats: extensions.has(EXTENSION.pointFormats) };
}

const noVersion = () => new HandshakeError("it has no DTLS 1.2", ALERT.protocolVersion);

function readSessionId(reader: ByteReader): void {
  if (reader.vector(1).length > SESSION_ID_BYTES) throw malformed("its session id is too long");
}

/** Has no extension that the client's has not (RFC 5246 §7.4.1.4). */
export const writeServerHello = (random: Uint8Array, { hasPointFormats }: ClientHello): Bytes =>
  concat(
    number(2, VERSION),
    random,
    vector(1),
    number(2, SUITE),
    number(1, 0),
    writeExtensions([
      ...hasPointFormats ? [[EXTENSION.pointFormats, OUR_POINT_FORMATS] satisfies Extension] : [],
      [EXTENSION.useSrtp, OUR_PROFILE],
      [EXTENSION.extendedMasterSecret, new Uint8Array()],
      [EXTENSION.renegotiation, FIRST],
    ]),
  );

/** Reads the hello of a server; throws unless it chose what we offered. */
export function readServerHello(body: Uint8Array): { random: Uint8Array; isRsa: boolean } {
  const reader = readerOf(body);
  if (reader.number(2) !== VERSION) throw noVersion();
  const random = reader.bytes(32);
  readSessionId(reader);
  const suite = reader.number(2);
  if (suite !== SUITE && suite !== SUITE_RSA) throw illegal("it chose what was not offered");
  if (reader.number(1) !== NO_COMPRESSION) throw illegal("it chose compression");
  const extensions = readExtensions(reader);
  assertOffered(extensions);
  assertSrtpChosen(extensions);
  assertCommon(extensions);
  return { random, isRsa: suite === SUITE_RSA };
}

/** The cookie that a server wants to have back (RFC 6347 §4.2.1). */
export function readHelloVerifyRequest(body: Uint8Array): Uint8Array {
  const reader = readerOf(body);
  reader.number(2);
  const cookie = reader.vector(1);
  reader.end();
  return cookie;
}

export const writeCertificate = (der: Uint8Array): Bytes => vector(3, vector(3, der));

/** The peer's own certificate, its first one. */
export function readCertificate(body: Uint8Array): Uint8Array {
  const reader = readerOf(body);
  const list = readerOf(reader.vector(3));
  reader.end();
  if (list.isAtEnd()) throw new HandshakeError("it has no certificate");
  const [own] = readAll(list, () => list.vector(3));
  return own!; // The list was not at its end.
}

/** A server's part of the key exchange; the parameters are what it signs (RFC 8422 §5.4). */
export const writeKeyParameters = (point: Uint8Array): Bytes =>
  concat(number(1, NAMED_CURVE), number(2, GROUP), vector(1, point));

export interface Signature {
  algorithm: number;
  bytes: Uint8Array;
}

export const writeSignature = (bytes: Uint8Array): Bytes =>
  concat(number(2, OUR_SIGNATURE), vector(2, bytes));

export function readServerKeyExchange(body: Uint8Array) {
  const reader = readerOf(body);
  if (reader.number(1) !== NAMED_CURVE || reader.number(2) !== GROUP) {
    throw illegal("its key is of another curve than P-256");
  }
  const point = readPoint(reader);
  const signature = readSignatureFrom(reader);
  return { point, parameters: body.subarray(0, 4 + point.length), signature };
}

export const writeCertificateRequest = (): Bytes =>
  concat(vector(1, CERTIFICATE_TYPES), numbers(...SIGNATURES), vector(2));

/** Reads what a server takes of certificates; throws unless ours is one (RFC 5246 §7.4.4, §7.4.8). */
export function readCertificateRequest(body: Uint8Array): void {
  const reader = readerOf(body);
  const types = reader.vector(1);
  const signatures = readNumbers(reader.vector(2));
  const authorities = readerOf(reader.vector(2));
  readAll(authorities, () => authorities.vector(2));
  reader.end();
  if (!types.includes(ECDSA_SIGN) || !signatures.includes(OUR_SIGNATURE)) {
    throw new HandshakeError("it takes no certificate with ECDSA and SHA-256");
  }
}

/** Throws when there is something in a message that has nothing (RFC 5246 §7.4.5). */
export const readServerHelloDone = (body: Uint8Array): void => readerOf(body).end();

export const readSignature = (body: Uint8Array): Signature => readSignatureFrom(readerOf(body));

export const writeClientKeyExchange = (point: Uint8Array): Bytes => vector(1, point);

export function readClientKeyExchange(body: Uint8Array): Uint8Array {
  const reader = readerOf(body);
  const point = readPoint(reader);
  reader.end();
  return point;
}

/** Half of a key exchange, as both sides have it. */
function readPoint(reader: ByteReader): Uint8Array {
  const point = reader.vector(1);
  if (point.length !== POINT_BYTES || point[0] !== UNCOMPRESSED_POINT) {
    throw illegal("its key is no uncompressed point of P-256");
  }
  return point;
}

/** A signature, which is the last thing in its message. */
function readSignatureFrom(reader: ByteReader): Signature {
  const signature = { algorithm: reader.number(2), bytes: reader.vector(2) };
  reader.end();
  return signature;
}

function readAll<T>(reader: ByteReader, read: () => T): T[] {
  const all: T[] = [];
  while (!reader.isAtEnd()) all.push(read());
  return all;
}
