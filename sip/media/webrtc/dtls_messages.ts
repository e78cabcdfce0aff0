import {
  type Bytes,
  concat,
  number,
  numbers,
  readerOf,
  readNumbers,
  vector,
} from "./dtls_bytes.ts";
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
/** What we verify, ECDSA and RSA (RFC 8446 §4.2.3 has the numbers). */
const SIGNATURES = [OUR_SIGNATURE, 0x0503, 0x0603, 0x0401, 0x0501, 0x0601];
/** Kinds of certificates' keys: ecdsa_sign and rsa_sign. */
const CERTIFICATE_TYPES = Uint8Array.of(64, 1);
/** SRTP_AES128_CM_HMAC_SHA1_80 (RFC 5764 §4.1.2). */
const PROFILE = 0x0001;

const EXTENSION = {
  groups: 10,
  pointFormats: 11,
  signatures: 13,
  useSrtp: 14,
  extendedMasterSecret: 23,
  renegotiation: 0xff01,
} as const;

type Extensions = Map<number, Uint8Array>;

const writeExtensions = (extensions: [type: number, content: Uint8Array][]): Bytes =>
  vector(2, ...extensions.map(([type, content]) => concat(number(2, type), vector(2, content))));

function readExtensions(source: Uint8Array): Extensions {
  const extensions: Extensions = new Map();
  const reader = readerOf(source);
  while (!reader.isAtEnd()) extensions.set(reader.number(2), reader.vector(2));
  return extensions;
}

/** No compression and uncompressed points, the only ones that there are still. */
const NONE = vector(1, Uint8Array.of(0));
const OUR_PROFILE = concat(numbers(PROFILE), vector(1));
/** This is the first handshake: it renews none (RFC 5746 §3.4). */
const FIRST = vector(1);

export const writeClientHello = (random: Uint8Array, cookie: Uint8Array): Bytes =>
  concat(
    number(2, VERSION),
    random,
    vector(1),
    vector(1, cookie),
    numbers(SUITE, SUITE_RSA),
    NONE,
    writeExtensions([
      [EXTENSION.groups, numbers(GROUP)],
      [EXTENSION.pointFormats, NONE],
      [EXTENSION.signatures, numbers(...SIGNATURES)],
      [EXTENSION.useSrtp, OUR_PROFILE],
      [EXTENSION.extendedMasterSecret, new Uint8Array()],
      [EXTENSION.renegotiation, FIRST],
    ]),
  );

/** Reads the hello of a client; throws unless it offers what we take. */
export function readClientHello(body: Uint8Array): { random: Uint8Array } {
  const reader = readerOf(body);
  // Versions count downwards.
  if (reader.number(2) > VERSION) throw new Error("it has no DTLS 1.2");
  const random = reader.bytes(32);
  reader.vector(1);
  reader.vector(1);
  const suites = readNumbers(reader.vector(2));
  reader.vector(1);
  const extensions = readExtensions(reader.isAtEnd() ? new Uint8Array() : reader.vector(2));
  const list = (type: number) => {
    const content = extensions.get(type);
    return content === undefined ? [] : readNumbers(readerOf(content).vector(2));
  };
  if (!suites.includes(SUITE)) throw new Error("it has no ECDHE_ECDSA with AES-128-GCM");
  if (!list(EXTENSION.groups).includes(GROUP)) throw new Error("it has no curve P-256");
  if (!list(EXTENSION.signatures).includes(OUR_SIGNATURE)) {
    throw new Error("it has no ECDSA with SHA-256");
  }
  if (!list(EXTENSION.useSrtp).includes(PROFILE)) throw noSrtp();
  if (!extensions.has(EXTENSION.extendedMasterSecret)) throw noExtendedMaster();
  const renews = extensions.get(EXTENSION.renegotiation);
  if (!suites.includes(SUITE_RENEGOTIATION) && renews === undefined) {
    throw new Error("it has no secure renegotiation");
  }
  return { random };
}

const noSrtp = () => new Error("it has no SRTP with AES128_CM_HMAC_SHA1_80");
const noExtendedMaster = () => new Error("it has no extended master secret");

export const writeServerHello = (random: Uint8Array): Bytes =>
  concat(
    number(2, VERSION),
    random,
    vector(1),
    number(2, SUITE),
    number(1, 0),
    writeExtensions([
      [EXTENSION.pointFormats, NONE],
      [EXTENSION.useSrtp, OUR_PROFILE],
      [EXTENSION.extendedMasterSecret, new Uint8Array()],
      [EXTENSION.renegotiation, FIRST],
    ]),
  );

/** Reads the hello of a server; throws unless it chose what we offered. */
export function readServerHello(body: Uint8Array): { random: Uint8Array; isRsa: boolean } {
  const reader = readerOf(body);
  if (reader.number(2) !== VERSION) throw new Error("it has no DTLS 1.2");
  const random = reader.bytes(32);
  reader.vector(1);
  const suite = reader.number(2);
  if (suite !== SUITE && suite !== SUITE_RSA) throw new Error("it chose what was not offered");
  reader.number(1);
  const extensions = readExtensions(reader.isAtEnd() ? new Uint8Array() : reader.vector(2));
  const srtp = extensions.get(EXTENSION.useSrtp);
  if (srtp === undefined) throw noSrtp();
  const profiles = readNumbers(readerOf(srtp).vector(2));
  if (profiles.length !== 1 || profiles[0] !== PROFILE) throw noSrtp();
  if (!extensions.has(EXTENSION.extendedMasterSecret)) throw noExtendedMaster();
  return { random, isRsa: suite === SUITE_RSA };
}

/** The cookie that a server wants to have back (RFC 6347 §4.2.1). */
export function readHelloVerifyRequest(body: Uint8Array): Uint8Array {
  const reader = readerOf(body);
  reader.number(2);
  return reader.vector(1);
}

export const writeCertificate = (der: Uint8Array): Bytes => vector(3, vector(3, der));

/** The peer's own certificate, its first one. */
export function readCertificate(body: Uint8Array): Uint8Array {
  const list = readerOf(readerOf(body).vector(3));
  if (list.isAtEnd()) throw new Error("it has no certificate");
  return list.vector(3);
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
    throw new Error("its key is of another curve than P-256");
  }
  const point = reader.vector(1);
  const signature: Signature = { algorithm: reader.number(2), bytes: reader.vector(2) };
  return { point, parameters: body.subarray(0, 4 + point.length), signature };
}

export const writeCertificateRequest = (): Bytes =>
  concat(vector(1, CERTIFICATE_TYPES), numbers(...SIGNATURES), vector(2));

export function readSignature(body: Uint8Array): Signature {
  const reader = readerOf(body);
  return { algorithm: reader.number(2), bytes: reader.vector(2) };
}

export const writeClientKeyExchange = (point: Uint8Array): Bytes => vector(1, point);
export const readClientKeyExchange = (body: Uint8Array): Uint8Array => readerOf(body).vector(1);
