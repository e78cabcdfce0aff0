import { createHash, randomBytes } from "node:crypto";
import { branchOf, readSip, type SipText, valueOf, valuesOf, writeSip } from "./sip_text.ts";

/** Identity and Contact of a softphone. */
export interface Phone {
  readonly login: string;
  readonly domain: string;
  readonly contact: string;
}

/** The parts of a softphone that its calls use. */
export interface Line {
  readonly phone: Phone;
  send(text: string): void;
  /** Sends a request and hears its responses until the final one. */
  transact(request: string, onProvisional?: (response: SipText) => void): Promise<SipText>;
  /** Requests of these calls come here until it is undone. */
  own(callId: string, onRequest: (request: SipText) => void): void;
  disown(callId: string): void;
  /** The header that answers a challenge. */
  authorize(challenged: SipText, method: string, uri: string): string;
}

export interface RequestOptions {
  target?: string;
  headers?: string[];
  /** Headers that the phone would write itself: via, from, to, call-id, cseq, max-forwards. */
  replace?: Record<string, string | undefined>;
  sdp?: string;
  /** A body of another type than SDP. */
  body?: { type: string; content: string };
}

export const randomToken = (): string => randomBytes(8).toString("hex");
export const newBranch = (): string => `z9hG4bK${randomToken()}`;

/** The socket as calls and requests use it; `take` delivers a message to its owner, if any. */
export function openLine(
  socket: WebSocket,
  phone: Phone,
  { username = phone.login, password }: { username?: string; password: string },
): { line: Line; take(message: SipText): boolean } {
  const responses = new Map<string, (response: SipText) => void>();
  const owners = new Map<string, (request: SipText) => void>();
  const line: Line = {
    phone,
    send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text),
    transact(request, onProvisional) {
      const { promise, resolve } = Promise.withResolvers<SipText>();
      const transaction = transactionOf(readSip(request));
      responses.set(transaction, (response) => {
        if ((response.status ?? 0) < 200) return onProvisional?.(response);
        responses.delete(transaction);
        resolve(response);
      });
      line.send(request);
      return promise;
    },
    own: (callId, onRequest) => void owners.set(callId, onRequest),
    disown: (callId) => void owners.delete(callId),
    authorize: (challenged, method, uri) =>
      authorization({ login: username, password }, { challenged, method, uri }),
  };
  const take = (message: SipText): boolean => {
    const owner = message.method === undefined
      ? responses.get(transactionOf(message))
      : owners.get(valueOf(message, "call-id"));
    owner?.(message);
    return owner !== undefined;
  };
  return { line, take };
}

/** A request of ours outside any dialog, as text. */
export function plainRequest(
  { login, domain, contact }: Phone,
  method: string,
  { target = `sip:${domain}`, headers = [], replace = {}, sdp = "", body }: RequestOptions,
): string {
  const own: Record<string, string | undefined> = {
    "via": `SIP/2.0/WS phone.invalid;branch=${newBranch()};rport`,
    "from": `<sip:${login}@${domain}>;tag=${randomToken()}`,
    "to": `<${target}>`,
    "call-id": randomToken(),
    "cseq": `1 ${method}`,
    "max-forwards": "70",
    ...replace,
  };
  const lines = Object.entries(own).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  const needsContact = method === "INVITE" && !headers.some((line) => /^contact:/i.test(line));
  if (needsContact) lines.push(`Contact: <${contact}>`);
  if (body !== undefined) lines.push(`Content-Type: ${body.type}`);
  const isSdp = body === undefined;
  return writeSip(
    `${method} ${target} SIP/2.0`,
    [...lines, ...headers],
    body?.content ?? sdp,
    isSdp,
  );
}

/**
 * Key of a transaction, which a response shares with its request: a CANCEL has the branch of its
 * INVITE.
 */
const transactionOf = (message: SipText): string =>
  `${branchOf(message)} ${valueOf(message, "cseq")}`;

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** Answers the MD5 challenge, as most softphones do (RFC 7616 §3.4). */
export function authorization(
  { login, password }: { login: string; password: string },
  { challenged, method, uri }: { challenged: SipText; method: string; uri: string },
): string {
  const proxy = challenged.status === 407;
  const challenge = valuesOf(challenged, proxy ? "proxy-authenticate" : "www-authenticate")
    .find((value) => /algorithm=MD5/.test(value)) ?? "";
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const [realm, nonce] = [field("realm"), field("nonce")];
  const [cnonce, nc] = [randomToken(), "00000001"];
  const ha1 = md5(`${login}:${realm}:${password}`);
  const response = md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${md5(`${method}:${uri}`)}`);
  return `${proxy ? "Proxy-" : ""}Authorization: Digest username="${login}", realm="${realm}", ` +
    `nonce="${nonce}", uri="${uri}", response="${response}", algorithm=MD5, qop=auth, ` +
    `cnonce="${cnonce}", nc=${nc}`;
}
