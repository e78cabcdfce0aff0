import { lookup } from "node:dns/promises";
import { connect as connectTls } from "node:tls";
import { type IceServer, udpTowards, withServer } from "./exchange.ts";
import { bindingRequest, tryAllocation, type TurnCredentials } from "./turn.ts";

/** Certificate that a TLS server shows. */
export interface Shown {
  /** Reason for which a client would refuse it; empty where it would not. */
  problem: string;
  /** In ms. */
  validTo: number;
}

/** Checks of the doctor on the network and on this machine. Each rejects with the reason. */
export interface Machine {
  now(): number;
  fetch(url: string): Promise<Response>;
  /** Opens and closes a TCP connection. */
  connect(host: string, port: number): Promise<void>;
  addresses(name: string): Promise<string[]>;
  certificate(host: string, port: number): Promise<Shown>;
  /** Sends a STUN Binding request (RFC 8489) and waits for the response. */
  stun(server: IceServer): Promise<void>;
  /** Allocates a relayed address at a TURN server, and gives it back. */
  turn(server: IceServer, credentials: TurnCredentials): Promise<void>;
  /** Sends OPTIONS by SIP over UDP and waits for a response. */
  options(host: string, port: number): Promise<void>;
  /** Opens and closes a WebSocket for SIP. */
  webSocket(url: string): Promise<void>;
  isOwn(address: string): boolean;
  /** The mode of a file or folder; null where it does not exist. */
  mode(path: string): Promise<number | null>;
}

/** Time limit of one check, in ms. */
const lookMs = 4_000;

export const machine: Machine = {
  now: () => Date.now(),
  fetch: (url) => fetch(url, { signal: AbortSignal.timeout(lookMs), redirect: "error" }),
  async connect(hostname, port) {
    const signal = AbortSignal.timeout(lookMs);
    (await Deno.connect({ hostname, port, signal })).close();
  },
  addresses: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  certificate,
  stun: (server) => withServer(server, lookMs, (exchange) => exchange(bindingRequest())),
  turn: (server, given) => withServer(server, lookMs, (exchange) => tryAllocation(exchange, given)),
  options,
  webSocket,
  isOwn,
  mode: (path) =>
    Deno.stat(path).then(({ mode }) => mode === null ? null : mode & 0o777, (error) => {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }),
};

function certificate(host: string, port: number): Promise<Shown> {
  const { promise, resolve, reject } = Promise.withResolvers<Shown>();
  // It must connect to a server that clients refuse as well: what that one shows is the question.
  const options = { host, port, rejectUnauthorized: false, timeout: lookMs };
  const socket = connectTls({ ...options, ...(/[a-z]/i.test(host) ? { servername: host } : {}) });
  socket.once("secureConnect", () => {
    const validTo = Date.parse(socket.getPeerCertificate().valid_to);
    const problem = socket.authorizationError;
    resolve({ validTo, problem: problem ? String(problem) : "" });
    socket.destroy();
  });
  socket.once("timeout", () => socket.destroy(new Error("timed out")));
  socket.once("error", reject);
  return promise;
}

/** Sends an OPTIONS request from a socket of its own, and waits for any response (RFC 3261, 11). */
async function options(host: string, port: number): Promise<void> {
  const socket = udpTowards(host);
  const { hostname, port: own } = socket.addr as Deno.NetAddr;
  const at = host.includes(":") ? `[${host}]` : host;
  const branch = `z9hG4bK${crypto.randomUUID()}`;
  const request = [
    `OPTIONS sip:${at}:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP ${
      hostname.includes(":") ? `[${hostname}]` : hostname
    }:${own};branch=${branch};rport`,
    "Max-Forwards: 1",
    `From: <sip:doctor@${at}>;tag=${branch.slice(-12)}`,
    `To: <sip:${at}>`,
    `Call-ID: ${branch}`,
    "CSeq: 1 OPTIONS",
    "Content-Length: 0",
    "\r\n",
  ].join("\r\n");
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("timed out")), lookMs);
  const answered = async () => {
    await socket.send(new TextEncoder().encode(request), {
      transport: "udp",
      hostname: host,
      port,
    });
    for await (const [response] of socket) {
      if (/^SIP\/2\.0 \d{3} /.test(new TextDecoder().decode(response))) return;
    }
  };
  try {
    await Promise.race([answered(), late]);
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

/** Opens and closes a WebSocket for SIP (RFC 7118). */
function webSocket(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(url, "sip");
  const timer = setTimeout(() => reject(new Error("timed out")), lookMs);
  socket.onopen = () => resolve();
  socket.onerror = (event) => reject(new Error((event as ErrorEvent).message || "it was refused"));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

/** True when this machine has an address: a socket can be bound to it. */
function isOwn(address: string): boolean {
  try {
    Deno.listenDatagram({ transport: "udp", hostname: address, port: 0 }).close();
    return true;
  } catch {
    return false; // The system refuses an address of another machine.
  }
}
