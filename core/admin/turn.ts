import { createHash, createHmac } from "node:crypto";

/** Sends a STUN message, and resolves with the response to its transaction. */
export type Exchange = (request: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;

export interface TurnCredentials {
  username: string;
  credential: string;
}

/** Methods and classes (RFC 8489, 5; RFC 8656, 18.1). */
const types = { binding: 0x0001, allocate: 0x0003, refresh: 0x0004 } as const;
const successBit = 0x0100;
const errorBits = 0x0110;

const attributes = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  lifetime: 0x000d,
  realm: 0x0014,
  nonce: 0x0015,
  requestedTransport: 0x0019,
} as const;

const headerBytes = 20;
const integrityBytes = 20;
/** The protocol number of UDP, as REQUESTED-TRANSPORT has it. */
const udp = Uint8Array.of(17, 0, 0, 0);
const unauthorized = 401;

type Attribute = [type: number, value: Uint8Array];

/** A Binding request (RFC 8489). */
export const bindingRequest = (): Uint8Array<ArrayBuffer> => message(types.binding, []);

/** True when a message is the response to a request. */
export const isResponseTo = (request: Uint8Array, response: Uint8Array): boolean =>
  String(response.subarray(8, headerBytes)) === String(request.subarray(8, headerBytes));

/**
 * Allocates a relayed address at a TURN server with its credentials (RFC 8656, 7), and gives it back.
 * Throws an Error with the server's reason.
 */
export async function tryAllocation(exchange: Exchange, given: TurnCredentials): Promise<void> {
  const transport: Attribute = [attributes.requestedTransport, udp];
  const challenge = read(await exchange(message(types.allocate, [transport])));
  if (challenge.code !== unauthorized) {
    if (challenge.code === null) throw new Error("it relays for clients without credentials");
    throw refusal(challenge);
  }
  const [realm, nonce] = [challenge.value(attributes.realm), challenge.value(attributes.nonce)];
  if (realm === undefined || nonce === undefined) throw new Error("it sent no realm or nonce");
  const proof = { ...given, realm, nonce };
  const allocated = read(await exchange(signed(types.allocate, [transport], proof)));
  if (allocated.code !== null) throw refusal(allocated);
  const over: Attribute = [attributes.lifetime, new Uint8Array(4)];
  await exchange(signed(types.refresh, [over], proof));
}

const refusal = ({ code, reason }: Response): Error =>
  new Error(
    code === unauthorized ? "it refuses the credentials" : `it answered ${code} ${reason}`,
  );

interface Response {
  /** Of an error response; null for success. */
  code: number | null;
  reason: string;
  value(type: number): Uint8Array | undefined;
}

function read(bytes: Uint8Array): Response {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = new Map<number, Uint8Array>();
  for (let at = headerBytes; at + 4 <= bytes.length;) {
    const length = view.getUint16(at + 2);
    found.set(view.getUint16(at), bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length + padding(length);
  }
  const kind = view.getUint16(0) & errorBits;
  const error = found.get(attributes.errorCode);
  const isError = kind === errorBits;
  if (!isError && kind !== successBit) throw new Error("it sent no response of TURN");
  return {
    code: isError ? ((error?.[2] ?? 0) & 7) * 100 + (error?.[3] ?? 0) : null,
    reason: new TextDecoder().decode(error?.subarray(4)),
    value: (type) => found.get(type),
  };
}

const padding = (length: number): number => -length & 3;

/** A message without MESSAGE-INTEGRITY, of a transaction of its own. */
function message(
  type: number,
  content: Attribute[],
  transaction = crypto.getRandomValues(new Uint8Array(12)),
): Uint8Array<ArrayBuffer> {
  const sizes = content.map(([, { length }]) => 4 + length + padding(length));
  const bytes = new Uint8Array(headerBytes + sizes.reduce((sum, size) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, type);
  view.setUint16(2, bytes.length - headerBytes);
  bytes.set([0x21, 0x12, 0xa4, 0x42], 4); // The magic cookie.
  bytes.set(transaction, 8);
  let at = headerBytes;
  for (const [n, [attribute, value]] of content.entries()) {
    view.setUint16(at, attribute);
    view.setUint16(at + 2, value.length);
    bytes.set(value, at + 4);
    at += sizes[n]!; // One for each attribute.
  }
  return bytes;
}

interface Proof extends TurnCredentials {
  realm: Uint8Array;
  nonce: Uint8Array;
}

/** A message with the long-term credentials (RFC 8489, 9.2.2). */
function signed(
  type: number,
  content: Attribute[],
  { username, credential, realm, nonce }: Proof,
): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(username);
  const all: Attribute[] = [
    ...content,
    [attributes.username, name],
    [attributes.realm, realm],
    [attributes.nonce, nonce],
    [attributes.messageIntegrity, new Uint8Array(integrityBytes)],
  ];
  const bytes = message(type, all);
  const key = createHash("md5").update(name).update(":").update(realm).update(`:${credential}`)
    .digest();
  const covered = bytes.subarray(0, bytes.length - integrityBytes - 4);
  bytes.set(createHmac("sha1", key).update(covered).digest(), bytes.length - integrityBytes);
  return bytes;
}
