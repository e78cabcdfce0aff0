import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { identifiedFetch, userAgent } from "../base/identified_fetch.ts";
import { limits } from "../base/limits.ts";

/** A request whose body is at hand. */
export interface Outgoing {
  url: URL;
  method: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
}

/** `lookup` of `node:net`: resolves a name, and may refuse it. */
export type Lookup = (
  host: string,
  options: { all?: boolean },
  done: (error: Error | null, ...found: never[]) => void,
) => void;

/** Reads the body of a request, which is used up. */
export async function outgoing(request: Request): Promise<Outgoing> {
  const { url, method, headers, signal } = request;
  const body = request.body === null ? new Uint8Array() : await request.bytes();
  return { url: new URL(url), method, headers, body, signal };
}

/** So many bytes of an answer are waited for before it is given out; longer ones come as a stream. */
const wholeBytes = 64 << 10;

/** How long a connection is kept without use, in ms; many servers close after 5 s. */
const reusedConnectionMs = 4_000;

/**
 * Sends requests over connections of `node:http` that stay open for a while, at a fraction of the CPU
 * time of `fetch`. A request that met a connection which the server had just closed is sent once more.
 */
export function agentRequests(lookup?: Lookup): (request: Outgoing) => Promise<Response> {
  const options = { keepAlive: true, timeout: reusedConnectionMs };
  const [plain, secure] = [new Agent(options), new SecureAgent(options)];

  return async function send(request: Outgoing): Promise<Response> {
    const { url, method, headers, body, signal } = request;
    signal.throwIfAborted();
    const isSecure = url.protocol === "https:";
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const all = { "user-agent": userAgent, ...Object.fromEntries(headers) };
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      agent: isSecure ? secure : plain,
      headers: { ...all, "content-length": body.length },
      ...lookup && { lookup: lookup as never },
    });
    const abort = () => sent.destroy(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    let isAnswered = false;
    sent.on("response", (answer) => {
      isAnswered = true;
      const over = () => signal.removeEventListener("abort", abort);
      answer.on("end", over).on("close", over);
      responseOf(answer).then(resolve, reject);
    });
    sent.on("error", reject);
    boundConnecting(sent, isSecure ? "secureConnect" : "connect");
    sent.end(body);
    try {
      return await promise;
    } catch (error) {
      signal.removeEventListener("abort", abort);
      const { code } = error as { code?: string };
      const isStale = sent.reusedSocket && !isAnswered && code === "ECONNRESET";
      if (!isStale || signal.aborted) throw signal.aborted ? signal.reason : error;
      return await send(request);
    }
  };
}

/** `fetch` by such connections; those with TLS are of `fetch`, which trusts Deno's authorities. */
export function agentFetch(): (request: Request) => Promise<Response> {
  const send = agentRequests();
  return async (request) =>
    request.url.startsWith("https:") ? identifiedFetch(request) : send(await outgoing(request));
}

/** Ends a request whose connection is not there in time; the whole of it has the signal's time. */
function boundConnecting(sent: ClientRequest, connected: "connect" | "secureConnect"): void {
  sent.on("socket", (socket) => {
    if (!socket.connecting) return;
    const seconds = limits.connectTimeoutMs / 1000;
    const late = () => sent.destroy(new Error(`Cannot connect within ${seconds} s`));
    const timer = setTimeout(late, limits.connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    socket.once(connected, stop);
    sent.on("close", stop);
  });
}

async function responseOf(answer: IncomingMessage): Promise<Response> {
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) {
    answer.destroy();
    throw new Error(`Cannot understand the answer: its status is ${status}`);
  }
  const headers = headersOf(answer.rawHeaders);
  if ([204, 205, 304].includes(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(await bodyOf(answer), { status, headers });
}

/** The whole of a short body, else a stream of it. */
function bodyOf(answer: IncomingMessage): Promise<BodyInit> {
  const { promise, resolve, reject } = Promise.withResolvers<BodyInit>();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const leave = () => {
    answer.off("data", take);
    answer.off("end", end);
    answer.off("error", reject);
    answer.off("close", cut);
  };
  const take = (chunk: Uint8Array<ArrayBuffer>) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= wholeBytes) return;
    leave();
    answer.pause();
    // Node's types and those of the web differ for the same stream.
    resolve(Readable.toWeb(Readable.from(follow(chunks, answer))) as unknown as ReadableStream);
  };
  const end = () => {
    leave();
    const [only = new Uint8Array(), ...others] = chunks;
    resolve(others.length === 0 ? only : new Blob(chunks));
  };
  const cut = () => reject(new Error("the connection was closed before the response was complete"));
  answer.on("data", take);
  answer.on("end", end);
  answer.on("error", reject);
  answer.on("close", cut);
  return promise;
}

async function* follow(chunks: Uint8Array[], answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  yield* chunks;
  yield* answer;
}

function headersOf(raw: string[]): Headers {
  const headers = new Headers();
  // Names and values alternate; the loop stays below the length.
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  return headers;
}
