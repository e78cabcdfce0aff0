import {
  createECDH,
  createHash,
  sign,
  timingSafeEqual,
  verify,
  X509Certificate,
} from "node:crypto";
import type { Certificate } from "./certificate.ts";
import { ALERT, HandshakeError, illegal } from "./dtls_alerts.ts";
import { type Bytes, concat } from "./dtls_bytes.ts";
import type { Flights } from "./dtls_flights.ts";
import {
  type BothSides,
  finishedOf,
  masterSecretOf,
  type Randoms,
  recordKeysOf,
  srtpKeysOf,
} from "./dtls_keys.ts";
import * as messages from "./dtls_messages.ts";
import type { Message } from "./dtls_reassembly.ts";
import type { SrtpKeys } from "../srtp/srtp.ts";

const { HANDSHAKE } = messages;

/** One side of a handshake. */
export interface HandshakeOptions {
  flights: Flights;
  certificate: Certificate;
  /** The fingerprint of the peer's certificate in its SDP (RFC 8122 §5). */
  fingerprint: string;
}

/** Asks for message after message by their types, and returns the keys of SRTP. */
export type Handshake = Generator<readonly number[], BothSides<SrtpKeys>, Message>;

/** The server side of the handshake (RFC 6347 §4.2.4, figure 1, without a cookie). */
export function* serverHandshake(options: HandshakeOptions): Handshake {
  const { flights, certificate } = options;
  const hello = messages.readClientHello((yield [HANDSHAKE.clientHello]).body);
  const randoms = { client: hello.random, server: newRandom() };
  const exchange = newExchange();
  const parameters = messages.writeKeyParameters(exchange.point);
  const signature = sign("sha256", signedParameters(randoms, parameters), certificate.key);
  flights.write(HANDSHAKE.serverHello, messages.writeServerHello(randoms.server, hello));
  flights.write(HANDSHAKE.certificate, messages.writeCertificate(certificate.der));
  flights.write(
    HANDSHAKE.serverKeyExchange,
    concat(parameters, messages.writeSignature(signature)),
  );
  flights.write(HANDSHAKE.certificateRequest, messages.writeCertificateRequest());
  flights.write(HANDSHAKE.serverHelloDone, new Uint8Array());
  flights.launch();

  const peer = readPeer((yield [HANDSHAKE.certificate]).body, options.fingerprint);
  const point = messages.readClientKeyExchange((yield [HANDSHAKE.clientKeyExchange]).body);
  const master = masterSecretOf(exchange.sharedWith(point), flights.transcript());
  const keys = recordKeysOf(master, randoms);
  flights.secure({ ours: keys.server, theirs: keys.client });
  const proof = messages.readSignature((yield [HANDSHAKE.certificateVerify]).body);
  assertSigned(peer, proof, flights.transcript("before"));
  yield* theirFinished(flights, "client", master);

  writeFinished(flights, "server", master);
  flights.launch(true);
  return srtpKeysOf(master, randoms);
}

/** The client side of the handshake. */
export function* clientHandshake(options: HandshakeOptions): Handshake {
  const { flights, certificate } = options;
  const random = newRandom();
  const begin = (cookie: Uint8Array) => {
    flights.write(HANDSHAKE.clientHello, messages.writeClientHello(random, cookie));
    flights.launch();
  };
  begin(new Uint8Array());
  let answer = yield [HANDSHAKE.serverHello, HANDSHAKE.helloVerifyRequest];
  if (answer.type === HANDSHAKE.helloVerifyRequest) {
    flights.forget();
    begin(messages.readHelloVerifyRequest(answer.body));
    answer = yield [HANDSHAKE.serverHello];
  }
  const hello = messages.readServerHello(answer.body);
  const randoms = { client: random, server: hello.random };
  const peer = readPeer((yield [HANDSHAKE.certificate]).body, options.fingerprint);
  if ((peer.asymmetricKeyType === "rsa") !== hello.isRsa) {
    throw illegal("its certificate does not fit the cipher it chose");
  }
  const theirs = messages.readServerKeyExchange((yield [HANDSHAKE.serverKeyExchange]).body);
  assertSigned(peer, theirs.signature, signedParameters(randoms, theirs.parameters));
  messages.readCertificateRequest((yield [HANDSHAKE.certificateRequest]).body);
  messages.readServerHelloDone((yield [HANDSHAKE.serverHelloDone]).body);

  const exchange = newExchange();
  flights.write(HANDSHAKE.certificate, messages.writeCertificate(certificate.der));
  flights.write(HANDSHAKE.clientKeyExchange, messages.writeClientKeyExchange(exchange.point));
  const master = masterSecretOf(exchange.sharedWith(theirs.point), flights.transcript());
  const keys = recordKeysOf(master, randoms);
  flights.secure({ ours: keys.client, theirs: keys.server });
  const proof = sign("sha256", flights.transcript(), certificate.key);
  flights.write(HANDSHAKE.certificateVerify, messages.writeSignature(proof));
  writeFinished(flights, "client", master);
  flights.launch();
  yield* theirFinished(flights, "server", master);
  return srtpKeysOf(master, randoms);
}

const newRandom = (): Bytes => crypto.getRandomValues(new Uint8Array(32));

/** Our half of a key that is used once. */
function newExchange() {
  const ecdh = createECDH("prime256v1");
  return {
    point: ecdh.generateKeys(),
    /** Throws when the peer's half is no point of the curve (RFC 8422 §5.11). */
    sharedWith(point: Uint8Array): Uint8Array {
      try {
        return ecdh.computeSecret(point);
      } catch {
        throw illegal("its key is no point of P-256");
      }
    },
  };
}

const signedParameters = ({ client, server }: Randoms, parameters: Uint8Array): Bytes =>
  concat(client, server, parameters);

type PeerKey = X509Certificate["publicKey"];

/** The key of the peer's certificate, which has to be the one of a fingerprint of its (RFC 8122 §5). */
function readPeer(body: Uint8Array, fingerprint: string): PeerKey {
  const der = messages.readCertificate(body);
  const [hash = "", expected = ""] = fingerprint.split(" ");
  const digest = createHash(hash.toLowerCase().replace("-", "")).update(der).digest("hex");
  if (!expected.replaceAll(":", "").toLowerCase().split(",").includes(digest)) {
    throw badCertificate("its certificate is not the one of its fingerprint");
  }
  try {
    return new X509Certificate(der).publicKey;
  } catch {
    throw badCertificate("its certificate cannot be read");
  }
}

const badCertificate = (why: string) => new HandshakeError(why, ALERT.badCertificate);

/** Hashes, and the kinds of key that go with them, by the upper and lower byte of an algorithm. */
const HASHES = new Map([[4, "sha256"], [5, "sha384"], [6, "sha512"]]);
const KEY_TYPES = new Map([[1, "rsa"], [3, "ec"]]);

/** Throws unless the holder of a key signed something, by one of the ways that we offer. */
function assertSigned(key: PeerKey, { algorithm, bytes }: messages.Signature, what: Uint8Array) {
  const hash = HASHES.get(algorithm >> 8);
  const isFit = KEY_TYPES.get(algorithm & 0xff) === key.asymmetricKeyType;
  if (hash === undefined || !isFit || !verify(hash, what, key, bytes)) {
    throw new HandshakeError(
      "its signature is not the one of its certificate",
      ALERT.decryptError,
    );
  }
}

function writeFinished(flights: Flights, side: keyof Randoms, master: Uint8Array): void {
  flights.changeCipher();
  flights.write(HANDSHAKE.finished, finishedOf(side, master, flights.transcript()));
}

function* theirFinished(
  flights: Flights,
  side: keyof Randoms,
  master: Uint8Array,
): Generator<readonly number[], void, Message> {
  const { body } = yield [HANDSHAKE.finished];
  const expected = finishedOf(side, master, flights.transcript("before"));
  if (body.length !== expected.length || !timingSafeEqual(body, expected)) {
    throw new HandshakeError("its messages came otherwise than it sent them", ALERT.decryptError);
  }
}
