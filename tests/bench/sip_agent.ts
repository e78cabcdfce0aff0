import { createHash, randomBytes } from "node:crypto";
import { readSip, type SipText, tagOf, uriIn, valueOf, valuesOf } from "../support/sip/sip_text.ts";
import type { Wire } from "./sip_wires.ts";

/** A user agent that does little and that little quickly, so that the server is what is measured. */
export interface Agent {
  readonly login: string;
  /** REGISTER, answering the challenge: two transactions. Resolves with the last status. */
  register(): Promise<number>;
  options(): Promise<number>;
  /** INVITE to BYE; the other agent answers at once. Resolves with the status of the BYE. */
  call(callee: string): Promise<number>;
  close(): void;
}

const token = () => randomBytes(8).toString("hex");
const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const answerWithinMs = 8_000;
/** T1 (RFC 3261 §17.1.1.1): a datagram can be lost. */
const repeatMs = 500;

/** The status of a request that got no final response in time. */
export const noAnswer = 0;

/**
 * Offers and answers of agents; over WebSocket they are browsers, so that neither server touches
 * it.
 */
const bodies = {
  UDP: body("RTP/AVP", []),
  WS: body("UDP/TLS/RTP/SAVPF", [
    "a=ice-ufrag:bench",
    `a=ice-pwd:${token()}${token()}`,
    `a=fingerprint:sha-256 ${
      Array.from(randomBytes(32), (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(
        ":",
      )
    }`,
    "a=setup:actpass",
    "a=rtcp-mux",
  ]),
};

function body(profile: string, lines: string[]): string {
  return [
    "v=0",
    "o=- 1 1 IN IP4 127.0.0.1",
    "s=-",
    "c=IN IP4 127.0.0.1",
    "t=0 0",
    `m=audio 40000 ${profile} 0 101`,
    "a=rtpmap:0 PCMU/8000",
    "a=rtpmap:101 telephone-event/8000",
    ...lines,
    "",
  ].join("\r\n");
}

/** A request's addresses and counters; a call keeps them. */
interface Exchange {
  method: string;
  target: string;
  callId: string;
  from: string;
  to: string;
  cseq: number;
  headers?: string[];
  body?: string;
}

export interface AgentOptions {
  login: string;
  domain: string;
  password: string;
  /** Expiry of its registration, in seconds; 600 unless given. */
  expires?: number;
  /** Answer to an offer; the same for every offer unless given. */
  answer?(offer: string): string;
  /** Hears the method of each request that comes, before it is answered. */
  heard?(method: string): void;
}

export function createAgent(
  wire: Wire,
  { login, domain, password, expires = 600, answer: answerTo, heard }: AgentOptions,
): Agent {
  const sdp = bodies[wire.transport];
  const waiting = new Map<string, (response: SipText) => void>();
  /** By Call-ID: the ACK of a call that was answered, and what ends the repeats of an answer of ours. */
  const acks = new Map<string, string>();
  const answers = new Map<string, () => void>();
  const contact = `<sip:${login}@${wire.sentBy};transport=${wire.transport.toLowerCase()}>`;

  const text = (
    { method, target, callId, from, to, cseq, headers = [], body = "" }: Exchange,
    branch: string,
  ) =>
    [
      `${method} ${target} SIP/2.0`,
      `Via: SIP/2.0/${wire.transport} ${wire.sentBy};branch=${branch};rport`,
      "Max-Forwards: 70",
      `From: ${from}`,
      `To: ${to}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} ${method}`,
      ...headers,
      ...body === "" ? [] : ["Content-Type: application/sdp"],
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n");

  /** Sends a request and resolves with its final response, undefined when none comes. */
  function transact(exchange: Exchange): Promise<SipText | undefined> {
    const { promise, resolve } = Promise.withResolvers<SipText | undefined>();
    const key = `${exchange.callId} ${exchange.cseq} ${exchange.method}`;
    const branch = `z9hG4bK${token()}`;
    const request = text(exchange, branch);
    const done = (response?: SipText) => {
      clearTimeout(timer);
      clearInterval(repeats);
      waiting.delete(key);
      resolve(response);
    };
    const timer = setTimeout(done, answerWithinMs);
    const repeats = wire.transport === "UDP"
      ? setInterval(() => wire.send(request), repeatMs)
      : undefined;
    waiting.set(key, (response) => {
      const status = response.status ?? 0;
      if (status < 200) return;
      if (exchange.method === "INVITE") {
        const to = valueOf(response, "to");
        const refused = { ...exchange, method: "ACK", to, headers: [], body: "" };
        if (status >= 300) wire.send(text(refused, branch));
      }
      done(response);
    });
    wire.send(request);
    return promise;
  }

  /** The same, answering a challenge. */
  async function authorized(exchange: Exchange): Promise<SipText | undefined> {
    const first = await transact(exchange);
    if (first?.status !== 401 && first?.status !== 407) return first;
    const isProxy = first.status === 407;
    const challenge = valuesOf(first, isProxy ? "proxy-authenticate" : "www-authenticate")
      .find((value) => !/algorithm=SHA/i.test(value)) ?? "";
    const answer = digest(challenge, { login, password, ...exchange });
    const header = `${isProxy ? "Proxy-" : ""}Authorization: ${answer}`;
    exchange.cseq++;
    return await transact({ ...exchange, headers: [...exchange.headers ?? [], header] });
  }

  const exchange = (method: string, user: string | null): Exchange => ({
    method,
    target: user === null ? `sip:${domain}` : `sip:${user}@${domain}`,
    callId: token(),
    from: `<sip:${login}@${domain}>;tag=${token()}`,
    to: user === null ? `<sip:${login}@${domain}>` : `<sip:${user}@${domain}>`,
    cseq: 1,
  });

  wire.onText = (received) => {
    const message = readSip(received);
    const cseq = valueOf(message, "cseq");
    const callId = valueOf(message, "call-id");
    if (message.method !== undefined) heard?.(message.method);
    if (message.method === "ACK") return answers.get(callId)?.();
    if (message.method !== undefined) return answer(message);
    const response = waiting.get(`${callId} ${cseq}`);
    if (response !== undefined) return response(message);
    // An answer that is repeated has not seen its ACK (RFC 3261 §13.2.2.4).
    const ack = acks.get(callId);
    if (ack !== undefined && cseq.endsWith(" INVITE") && message.status === 200) wire.send(ack);
  };

  /**
   * Repeats an answer until its ACK: after a 180, the caller repeats nothing (RFC 3261 §13.3.1.4).
   */
  function answerCall(callId: string, response: string): void {
    wire.send(response);
    if (wire.transport !== "UDP" || answers.has(callId)) return;
    const repeats = setInterval(() => wire.send(response), repeatMs);
    const done = () => {
      clearInterval(repeats);
      clearTimeout(timer);
      answers.delete(callId);
    };
    const timer = setTimeout(done, answerWithinMs);
    answers.set(callId, done);
  }

  function answer(request: SipText): void {
    const isInvite = request.method === "INVITE";
    const to = valueOf(request, "to");
    const tagged = tagOf(to) === "" ? `${to};tag=${login}` : to;
    for (const status of isInvite ? ["180 Ringing", "200 OK"] : ["200 OK"]) {
      const body = isInvite && status === "200 OK" ? answerTo?.(request.body) ?? sdp : "";
      const send = body === "" ? wire.send : answerCall.bind(null, valueOf(request, "call-id"));
      send(
        [
          `SIP/2.0 ${status}`,
          ...valuesOf(request, "via").map((via) => `Via: ${via}`),
          ...valuesOf(request, "record-route").map((route) => `Record-Route: ${route}`),
          `From: ${valueOf(request, "from")}`,
          `To: ${tagged}`,
          `Call-ID: ${valueOf(request, "call-id")}`,
          `CSeq: ${valueOf(request, "cseq")}`,
          `Contact: ${contact}`,
          ...body === "" ? [] : ["Content-Type: application/sdp"],
          `Content-Length: ${body.length}`,
          "",
          body,
        ].join("\r\n"),
      );
    }
  }

  const statusOf = (response: SipText | undefined) => response?.status ?? noAnswer;

  return {
    login,
    async register() {
      const headers = [`Contact: ${contact}`, `Expires: ${expires}`];
      return statusOf(await authorized({ ...exchange("REGISTER", null), headers }));
    },
    options: async () => statusOf(await transact(exchange("OPTIONS", null))),
    async call(callee) {
      const invite = { ...exchange("INVITE", callee), headers: [`Contact: ${contact}`], body: sdp };
      const answered = await authorized(invite);
      if (answered?.status !== 200) return statusOf(answered);
      const route = valuesOf(answered, "record-route").toReversed().map((one) => `Route: ${one}`);
      const inside: Exchange = {
        ...invite,
        target: uriIn(valueOf(answered, "contact")),
        to: valueOf(answered, "to"),
        headers: route,
        body: "",
      };
      const ack = text({ ...inside, method: "ACK" }, `z9hG4bK${token()}`);
      acks.set(invite.callId, ack);
      wire.send(ack);
      const ended = await transact({ ...inside, method: "BYE", cseq: inside.cseq + 1 });
      acks.delete(invite.callId);
      return statusOf(ended);
    },
    close: wire.close,
  };
}

/** Answers a challenge with MD5 (RFC 7616 §3.4), with or without qop. */
function digest(
  challenge: string,
  { login, password, method, target }: {
    login: string;
    password: string;
    method: string;
    target: string;
  },
): string {
  const field = (name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(challenge)?.[1] ?? "";
  const [realm, nonce] = [field("realm"), field("nonce")];
  const [ha1, ha2] = [md5(`${login}:${realm}:${password}`), md5(`${method}:${target}`)];
  const known =
    `Digest username="${login}", realm="${realm}", nonce="${nonce}", uri="${target}", ` +
    "algorithm=MD5";
  if (field("qop") === "") return `${known}, response="${md5(`${ha1}:${nonce}:${ha2}`)}"`;
  const [cnonce, nc] = [token(), "00000001"];
  const response = md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`);
  return `${known}, response="${response}", qop=auth, nc=${nc}, cnonce="${cnonce}"`;
}
