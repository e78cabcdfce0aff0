import { randomBytes } from "node:crypto";

/** A WebSocket client that can break the rules (RFC 6455), frame by frame. */
export interface RawWebSocket {
  /** The status of the HTTP answer; 101 when it is open. */
  readonly status: number;
  /** The head of the HTTP answer. */
  readonly head: string;
  frame(payload: string | Uint8Array, options?: FrameOptions): Promise<void>;
  /** Writes bytes as they are. */
  write(bytes: Uint8Array): Promise<void>;
  /** The next whole frame; undefined when the connection ended. It reads only when called. */
  read(): Promise<{ opcode: number; payload: Uint8Array } | undefined>;
  /** Reads until the close frame and resolves with its code; 1006 when there was none. */
  closeCode(): Promise<number>;
  close(): void;
}

export interface FrameOptions {
  /** Text unless given. */
  opcode?: number;
  /** False when fragments follow. */
  last?: boolean;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 } as const;

export async function openRawWebSocket(
  url: string,
  headers: string[] = ["Sec-WebSocket-Protocol: sip"],
): Promise<RawWebSocket> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  let buffered = new Uint8Array();
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  const more = async (): Promise<boolean> => {
    const chunk = new Uint8Array(64 << 10);
    const size = await connection.read(chunk).catch(() => null);
    if (size === null) return false;
    buffered = concat(buffered, chunk.subarray(0, size));
    return true;
  };
  const take = async (size: number): Promise<Uint8Array | undefined> => {
    while (buffered.length < size) if (!await more()) return undefined;
    const taken = buffered.slice(0, size);
    buffered = buffered.slice(size);
    return taken;
  };

  await write(encode(handshake(url, headers)));
  let head = "";
  while (!head.includes("\r\n\r\n") && await more()) head = new TextDecoder().decode(buffered);
  const end = head.indexOf("\r\n\r\n") + 4;
  buffered = buffered.slice(encode(head.slice(0, end)).length);

  const read = async () => {
    const [first, second] = await take(2) ?? [];
    if (first === undefined || second === undefined) return undefined;
    const long = { 126: 2, 127: 8 }[second & 127];
    const length = long === undefined ? [second & 127] : await take(long) ?? [];
    const size = Array.from(length).reduce((sum, byte) => sum * 256 + byte, 0);
    const payload = await take(size);
    return payload && { opcode: first & 15, payload };
  };
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    head: head.slice(0, end),
    write,
    frame: (payload, options = {}) => write(frameOf(payload, options)),
    read,
    async closeCode() {
      for (let frame = await read(); frame !== undefined; frame = await read()) {
        const [high, low] = frame.payload;
        if (frame.opcode === opcodes.close) return high! * 256 + low!;
      }
      return 1006;
    },
    close: () => connection.close(),
  };
}

const encode = (text: string) => new TextEncoder().encode(text);

function handshake(url: string, headers: string[]): string {
  return [
    "GET / HTTP/1.1",
    `Host: ${new URL(url).host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    ...headers,
    "",
    "",
  ].join("\r\n");
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A frame masked with zeros, as only clients mask (§5.3). */
export function frameOf(
  content: string | Uint8Array,
  { opcode = opcodes.text, last = true }: FrameOptions,
): Uint8Array {
  const payload = typeof content === "string" ? encode(content) : content;
  return concat(frameHead(payload.length, { opcode, last }), payload);
}

/** The head alone, which may promise more than comes. */
export function frameHead(
  size: number,
  { opcode = opcodes.text, last = true }: FrameOptions = {},
): Uint8Array {
  const first = (last ? 128 : 0) | opcode;
  const head = new Uint8Array(size < 126 ? 6 : size < 1 << 16 ? 8 : 14);
  const view = new DataView(head.buffer);
  view.setUint8(0, first);
  if (size < 126) view.setUint8(1, 128 | size);
  else if (size < 1 << 16) {
    view.setUint8(1, 128 | 126);
    view.setUint16(2, size);
  } else {
    view.setUint8(1, 128 | 127);
    view.setBigUint64(2, BigInt(size));
  }
  return head;
}
