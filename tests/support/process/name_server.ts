import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Response of a name server; null: none. */
export type Reply = null | {
  /** Of the answer: A and AAAA records, or the name that a CNAME leads to. */
  records?: readonly { name?: string; address?: string; cname?: string; ttl?: number }[];
  /** RCODE (RFC 1035 §4.1.1). */
  code?: number;
  isTruncated?: boolean;
  /** The response has an ID that no query had. */
  hasWrongId?: boolean;
  afterMs?: number;
};

export interface Question {
  name: string;
  type: "A" | "AAAA";
  by: "udp" | "tcp";
}

export interface NameServer {
  /** As `address:port`. */
  readonly address: string;
  /** The questions in order. */
  readonly asked: Question[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** A name server on the loopback, over UDP and TCP, that says what the script says. */
export async function startNameServer(
  script: (question: Question) => Reply,
  { port = 0, hostname = "127.0.0.1" }: { port?: number; hostname?: string } = {},
): Promise<NameServer> {
  const asked: Question[] = [];
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const answer = (query: Uint8Array, by: Question["by"], send: (bytes: Uint8Array) => void) => {
    const question = { ...read(query), by };
    asked.push(question);
    const reply = script(question);
    if (reply === null) return;
    const bytes = write(query, question, reply);
    const timer = setTimeout(() => {
      timers.delete(timer);
      send(bytes);
    }, reply.afterMs ?? 0);
    timers.add(timer);
  };
  const tcp = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      answer(new Uint8Array(data).subarray(2), "tcp", (bytes) => {
        socket.end(Uint8Array.of(bytes.length >> 8, bytes.length & 255, ...bytes));
      });
    });
  });
  const udp = await boundTogether(tcp, { port, hostname });
  udp.on("message", (query, { address, port }) => {
    answer(new Uint8Array(query), "udp", (bytes) => udp.send(bytes, port, address));
  });
  return {
    address: `${hostname}:${udp.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      timers.forEach(clearTimeout);
      const closed = Promise.withResolvers<void>();
      tcp.close(() => closed.resolve());
      udp.close();
      await closed.promise;
    },
  };
}

/** Tries for a port that is free for TCP and for UDP. */
const portTries = 20;

/** Listens at a port, and makes a UDP socket of the same one; 0: any. */
async function boundTogether(
  tcp: Server,
  { port, hostname }: { port: number; hostname: string },
): Promise<Socket> {
  for (let left = portTries;; left--) {
    tcp.listen(port, hostname);
    await once(tcp, "listening");
    const udp = createSocket("udp4");
    try {
      udp.bind((tcp.address() as AddressInfo).port, hostname);
      await once(udp, "listening");
      return udp;
    } catch (error) {
      udp.close();
      tcp.close();
      if (port !== 0 || left === 0) throw error;
      await once(tcp, "close");
    }
  }
}

function read(query: Uint8Array): Pick<Question, "name" | "type"> {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query[at + 2] === 1 ? "A" : "AAAA" };
}

function write(query: Uint8Array, { name: asked, type }: Question, reply: NonNullable<Reply>) {
  const { records = [], code = 0, isTruncated = false, hasWrongId = false } = reply;
  const [high, low] = query;
  const id = hasWrongId ? [high! ^ 0xff, low!] : [high!, low!];
  const end = query.indexOf(0, 12) + 5;
  const written = records.flatMap(({ name = asked, address, cname, ttl = 60 }) => {
    const data = cname === undefined ? addressBytes(address!) : nameBytes(cname);
    const kind = cname !== undefined ? 5 : type === "A" ? 1 : 28;
    const head = [0, kind, 0, 1, ...[24, 16, 8, 0].map((shift) => (ttl >>> shift) & 255)];
    return [...nameBytes(name), ...head, data.length >> 8, data.length & 255, ...data];
  });
  const flags = [isTruncated ? 0x83 : 0x81, 0x80 | code];
  const counts = [0, 1, records.length >> 8, records.length & 255, 0, 0, 0, 0];
  return Uint8Array.from([...id, ...flags, ...counts, ...query.subarray(12, end), ...written]);
}

const nameBytes = (name: string): number[] => [
  ...name.split(".").flatMap((label) => [label.length, ...new TextEncoder().encode(label)]),
  0,
];

/** Of IPv4 in dots, or of IPv6 written out in full. */
const addressBytes = (address: string): number[] =>
  address.includes(":")
    ? address.split(":").flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255])
    : address.split(".").map(Number);
