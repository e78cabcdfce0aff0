import { lookup } from "node:dns/promises";
import { connect as connectTls } from "node:tls";

/** What a TLS server shows. */
export interface Shown {
  /** Why a client would refuse it; empty where it would not. */
  problem: string;
  /** In ms. */
  validTo: number;
}

/** What the doctor does on the network and on this machine. Each rejects with the reason. */
export interface Machine {
  now(): number;
  fetch(url: string): Promise<Response>;
  /** Opens and closes a TCP connection. */
  connect(host: string, port: number): Promise<void>;
  addresses(name: string): Promise<string[]>;
  certificate(host: string, port: number): Promise<Shown>;
  /** Sends a STUN Binding request over UDP (RFC 8489) and waits for the answer. */
  stun(host: string, port: number): Promise<void>;
  /** The mode of a file or folder; null where it does not exist. */
  mode(path: string): Promise<number | null>;
}

/** How long one look may take, in ms. */
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
  stun,
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

async function stun(hostname: string, port: number): Promise<void> {
  const request = new Uint8Array(20);
  crypto.getRandomValues(request.subarray(8));
  request.set([0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42]); // Binding, no attributes, magic cookie.
  const own = hostname.includes(":") ? "::" : "0.0.0.0";
  const socket = Deno.listenDatagram({ transport: "udp", hostname: own, port: 0 });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("timed out")), lookMs);
  const answered = async () => {
    await socket.send(request, { transport: "udp", hostname, port });
    for await (const [answer] of socket) {
      if (String(answer.subarray(8, 20)) === String(request.subarray(8))) return;
    }
  };
  try {
    await Promise.race([answered(), late]);
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}
