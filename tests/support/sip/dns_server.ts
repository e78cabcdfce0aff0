import { createSocket } from "node:dgram";
import { serviceResolver } from "../../../sip/transport/resolver.ts";
import type { NaptrRecord, Resolver, SrvRecord } from "../../../sip/transport/resolver.ts";

/** The records of a name, by type. */
export interface DnsRecords {
  A?: string[];
  SRV?: SrvRecord[];
  NAPTR?: NaptrRecord[];
}

/** A name server on the loopback, with the records of the test. */
export interface DnsServer {
  zone: Record<string, DnsRecords>;
  /** Questions so far, such as "SRV _sip._udp.carrier.test". */
  readonly asked: string[];
  /** Resolver that uses this server, for addresses too. */
  readonly resolver: Resolver;
  [Symbol.dispose](): void;
}

const types = { A: 1, SRV: 33, NAPTR: 35 } as const;
type Type = keyof typeof types;

export async function startDnsServer(zone: DnsServer["zone"]): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind({ port: 0, address: "127.0.0.1" }, resolve);
  await promise;
  const nameServer = { ipAddr: "127.0.0.1", port: socket.address().port };
  const server: DnsServer = {
    zone,
    asked: [],
    resolver: {
      ...serviceResolver(nameServer),
      addresses: (name) => Deno.resolveDns(name, "A", { nameServer }).catch(() => []),
    },
    [Symbol.dispose]: () => void socket.close(),
  };
  socket.on("message", (query, { address, port }) => {
    socket.send(answer(server, new Uint8Array(query)), port, address);
  });
  return server;
}

/** A response (RFC 1035 §4.1): the question again, and the records that answer it. */
function answer({ zone, asked }: DnsServer, query: Uint8Array): Uint8Array {
  const { name, end } = readName(query, 12);
  const code = new DataView(query.buffer).getUint16(end);
  const type = (Object.keys(types) as Type[]).find((one) => types[one] === code);
  if (type !== undefined) asked.push(`${type} ${name}`);
  const known = zone[name];
  const records = type === undefined ? [] : known?.[type] ?? [];
  const noSuchName = 3;
  const flags = 0x8580 + (known === undefined ? noSuchName : 0);
  return concat(
    query.subarray(0, 2),
    numbers(flags, 1, records.length, 0, 0),
    query.subarray(12, end + 4),
    ...records.map((record) => {
      const data = dataOf(record);
      const namedAsAsked = 0xc00c;
      const ttl = [0, 60];
      return concat(numbers(namedAsAsked, code, 1, ...ttl, data.length), data);
    }),
  );
}

function dataOf(record: string | SrvRecord | NaptrRecord): Uint8Array {
  if (typeof record === "string") return Uint8Array.from(record.split("."), Number);
  if ("target" in record) {
    const { priority, weight, port, target } = record;
    return concat(numbers(priority, weight, port), writeName(target));
  }
  const { order, preference, services, replacement } = record;
  const texts = ["s", services, ""].map(characters);
  return concat(numbers(order, preference), ...texts, writeName(replacement));
}

const numbers = (...values: number[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [value >> 8, value & 255]));

const characters = (text: string): Uint8Array =>
  Uint8Array.from([text.length, ...new TextEncoder().encode(text)]);

const writeName = (name: string): Uint8Array =>
  concat(...name.split(".").filter(Boolean).map(characters), Uint8Array.of(0));

/** A name without compression, as questions have it; `end` is behind it. */
function readName(bytes: Uint8Array, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = bytes[at]!; length > 0; length = bytes[at]!) {
    labels.push(new TextDecoder().decode(bytes.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function concat(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
