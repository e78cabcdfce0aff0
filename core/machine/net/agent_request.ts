/**
 * Requests over agents of `node:http`. One by `fetch` took 0.3 to 0.4 ms of CPU time, more than all else
 * of a webhook. Of requests 16 at once, with all threads counted: undici as a package 39 µs, `node:http`
 * with a list of headers 41, with an object of headers 50, `fetch` 72.
 *
 * A POST that may have been taken is not repeated. A server that dies of a request closes the connection
 * as one does whose keep-alive time is over; a POST that was sent again brought the digits of a payment
 * twice. A Delivery's Sid on the repeat is looked at by few applications, and a new connection for each
 * request costs more. So a close that has arrived is read before a POST leaves; one that crosses the POST
 * makes a document come from its FallbackUrl.
 *
 * Connections have the address that was checked when they were made. The agent sets and clears a timer
 * for each request (1 % of the main thread) and copies its options (2 %): to avoid either takes a pool of
 * connections of our own.
 */
import { Buffer } from "node:buffer";
import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import { type Duplex, pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { userAgent } from "../../base/version.ts";
import { awakeTimer } from "../../base/steady_clock.ts";
import { limits } from "../../base/limits.ts";
import { isClosed, takeRepeats } from "./reused_connection.ts";
import { netLimits } from "./limits.ts";
import { lookupBy, type LookupOptions } from "./names.ts";
import type { Answer, SentRequest } from "../../base/outgoing.ts";

/** So many bytes of an answer are waited for before it is given out; longer ones come as a stream. */
const wholeBytes = 64 << 10;

/** Time that an idle connection stays open, in ms; many servers close after 5 s. */
const reusedConnectionMs = 4_000;

/** A connection that was used within this time, in ms, is not idle. */
const steadyUseMs = 200;

/**
 * Sends requests over connections of `node:http` that stay open for a while, at a fraction of the CPU
 * time of `fetch`. A reused connection may be closed by the server at any moment: a GET or HEAD
 * that had no answer by it is sent once more. Any other request is, where nothing of it had left; the
 * server may have taken it otherwise (RFC 9110 §9.2.2).
 */
export function agentRequests(
  looking: Pick<LookupOptions, "by" | "refusalOf"> = {},
): (request: SentRequest) => Promise<Answer> {
  const options = { keepAlive: true, timeout: reusedConnectionMs };
  const [plain, secure] = [new Agent(options), new SecureAgent(options)];
  const afterClose = readingCloses();

  return async function send(request: SentRequest): Promise<Answer> {
    const { url, method, body, signal, tenant } = request;
    signal.throwIfAborted();
    const isSecure = url.protocol === "https:";
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = (isSecure ? httpsRequest : httpRequest)({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port || (isSecure ? 443 : 80),
      path: url.pathname + url.search,
      method,
      agent: isSecure ? secure : plain,
      lookup: lookupBy({ ...looking, tenant }), // For a new connection alone.
      headers: headerList(request),
    });
    const isReused = takeRepeats(sent);
    const abort = () => {
      reject(signal.reason);
      sent.destroy(signal.reason);
    };
    signal.addEventListener("abort", abort);
    let isAnswered = false;
    sent.on("response", (incoming) => {
      isAnswered = true;
      answerIn(incoming, url.href).then(resolve, reject);
    });
    sent.on("error", reject);
    sent.on("close", () => signal.removeEventListener("abort", abort)); // Its answer has ended too.
    if (!isReused) boundConnecting(sent, isSecure ? "secureConnect" : "connect");
    let hasLeft = false;
    const leave = () => {
      hasLeft = true;
      sent.end(body); // A text goes in one piece with the head.
    };
    if (isReused) {
      sent.on("socket", (socket) => afterClose(socket, () => sent.destroyed || leave()));
    } else leave();
    try {
      return await promise;
    } catch (error) {
      const { code } = error as { code?: string };
      const isUntaken = !hasLeft || method === "GET" || method === "HEAD";
      const isStale = isReused && !isAnswered && isUntaken && isClosed(code);
      if (!isStale || signal.aborted) throw signal.aborted ? signal.reason : error;
      return await send(request);
    }
  };
}

/**
 * Calls back when a close of an idle connection that has arrived by now was read: the runtime reads it
 * before a timer, and not before `setImmediate`. Connections that were used lately do without: servers
 * leave theirs open for longer.
 */
function readingCloses(): (socket: Duplex, next: () => void) => void {
  const lastUsed = new WeakMap<Duplex, number>();
  return (socket, next) => {
    const now = performance.now();
    const isIdle = now - (lastUsed.get(socket) ?? 0) > steadyUseMs;
    lastUsed.set(socket, now);
    if (isIdle) setTimeout(next, 0);
    else next();
  };
}

/** Names and values by turns: `node:http` writes those as they are. */
function headerList({ url, headers, body }: SentRequest): string[] {
  const list = ["host", url.host];
  if (!("user-agent" in headers)) list.push("user-agent", userAgent);
  for (const name in headers) list.push(name, headers[name]!); // It is one of them.
  list.push("content-length", String(Buffer.byteLength(body)));
  return list;
}

/** Ends a request whose connection is not there in time; the whole of it has the signal's time. */
function boundConnecting(sent: ClientRequest, connected: "connect" | "secureConnect"): void {
  sent.on("socket", (socket) => {
    if (!socket.connecting) return;
    const seconds = limits.connectTimeoutMs / 1000;
    const late = () => sent.destroy(new Error(`Cannot connect within ${seconds} s`));
    const stop = awakeTimer(limits.connectTimeoutMs, late);
    socket.once(connected, stop);
    sent.on("close", stop);
  });
}

async function answerIn(incoming: IncomingMessage, url: string): Promise<Answer> {
  const status = incoming.statusCode ?? 0;
  if (status < 200 || status > 599) {
    incoming.destroy();
    throw new Error(`Cannot understand the answer: its status is ${status}`);
  }
  if (incoming.rawHeaders.length > 2 * netLimits.headFields) {
    incoming.destroy();
    throw new Error(
      `Cannot understand the answer: it has more than ${netLimits.headFields} header fields`,
    );
  }
  const headers = headersIn(incoming.rawHeaders);
  const coding = incoming.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || !hasBody(incoming)) {
    return { url, status, headers, body: await bodyOf(incoming, incoming) };
  }
  const decoded = decodedBy(coding, incoming);
  const ofDecoded = headers.filter(([name]) => !encodedHeaders.includes(name));
  try {
    return { url, status, headers: ofDecoded, body: await bodyOf(decoded, incoming) };
  } catch (cause) {
    if (!incoming.complete) throw cutOff();
    throw new Error(`Cannot understand the answer: its body is no ${coding}`, { cause });
  }
}

/** Codings of bodies that are read (RFC 9110 §8.4.1), as Accept-Encoding names them. */
export const readCodings = "gzip, br";

/** Headers that are about a body as it is on the way. */
const encodedHeaders = ["content-encoding", "content-length"];

const hasBody = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode !== 204 && statusCode !== 304 && headers["content-length"] !== "0";

/** The body without its coding. Throws for one that was not requested. */
function decodedBy(coding: string, incoming: IncomingMessage): Readable {
  const decoder = coding === "br"
    ? createBrotliDecompress()
    : coding === "gzip" || coding === "x-gzip"
    ? createGunzip()
    : undefined;
  if (decoder === undefined) {
    incoming.destroy();
    throw new Error(`Cannot understand the answer: its Content-Encoding is ${coding}`);
  }
  pipeline(incoming, decoder, () => {}); // Its errors are those of the decoder.
  return decoder;
}

const cutOff = () => new Error("the connection was closed before the response was complete");

type Streamed = Exclude<Answer["body"], Uint8Array>;

/** The whole of a short body, else a stream of it. */
function bodyOf(answer: Readable, incoming: IncomingMessage): Promise<Answer["body"]> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer["body"]>();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const take = (chunk: Uint8Array<ArrayBuffer>) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= wholeBytes) return;
    answer.off("data", take);
    answer.off("error", reject);
    answer.off("close", end);
    answer.pause();
    const whole = Readable.from(follow(chunks, answer));
    whole.once("close", () => answer.destroy()); // Also where its reader did not come so far.
    // Node's types and those of the web differ for the same stream.
    resolve(Readable.toWeb(whole) as unknown as Streamed);
  };
  const end = () => {
    if (!incoming.complete) {
      return reject(cutOff());
    }
    const [only = new Uint8Array(), ...others] = chunks;
    resolve(others.length === 0 ? only : new Uint8Array(Buffer.concat(chunks)));
  };
  answer.on("data", take);
  answer.on("error", reject);
  answer.on("close", end); // After the end of the body too.
  return promise;
}

async function* follow(chunks: Uint8Array[], answer: Readable): AsyncGenerator<Uint8Array> {
  yield* chunks;
  yield* answer;
}

function headersIn(raw: string[]): [string, string][] {
  const headers: [string, string][] = [];
  // Names and values alternate; the loop stays below the length.
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push([raw[i]!.toLowerCase(), raw[i + 1]!]);
  return headers;
}
