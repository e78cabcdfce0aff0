import { randomBytes } from "node:crypto";
import { frameHead, opcodes } from "../support/sip/raw_websocket.ts";

/** Connection by which an agent sends and receives. */
export interface Wire {
  readonly transport: "WS" | "UDP";
  readonly sentBy: string;
  send(text: string): void;
  onText: (text: string) => void;
  close(): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * SIP over WebSocket. The client of Deno waits up to 40 ms for the acknowledgement of a message
 * before it sends the next one. This one does not, so that the delay is not measured.
 */
export async function openWebSocket(url: string): Promise<Wire> {
  const { hostname, port, host } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  connection.setNoDelay(true);
  await shakeHands(connection, host);
  let sending = Promise.resolve();
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  const put = (payload: Uint8Array, opcode: number) => {
    const frame = frameOf(payload, opcode);
    sending = sending.then(() => write(frame)).catch(() => {});
  };
  const wire: Wire = {
    transport: "WS",
    sentBy: `${randomBytes(8).toString("hex")}.invalid`,
    send: (text) => put(encoder.encode(text), opcodes.text),
    onText: () => {},
    close: () => connection.close(),
  };
  void readFrames(connection, (opcode, payload) => {
    if (opcode === opcodes.ping) put(payload, pong);
    else if (opcode !== opcodes.close) wire.onText(decoder.decode(payload));
  });
  return wire;
}

const pong = 10;

async function shakeHands(connection: Deno.Conn, host: string): Promise<void> {
  const lines = [
    "GET / HTTP/1.1",
    `Host: ${host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    "Sec-WebSocket-Protocol: sip",
  ];
  await connection.write(encoder.encode(`${lines.join("\r\n")}\r\n\r\n`));
  // Nothing follows the head before we have said something.
  const head = new Uint8Array(4 << 10);
  const size = await connection.read(head) ?? 0;
  const answer = decoder.decode(head.subarray(0, size));
  if (!answer.startsWith("HTTP/1.1 101")) throw new Error(`Cannot connect to ${host}: ${answer}`);
}

/** A whole frame, masked with zeros. */
function frameOf(payload: Uint8Array, opcode: number): Uint8Array {
  const head = frameHead(payload.length, { opcode });
  const frame = new Uint8Array(head.length + payload.length);
  frame.set(head);
  frame.set(payload, head.length);
  return frame;
}

/** Hands over every frame until the connection ends; no server sends one of 64 KiB. */
async function readFrames(
  connection: Deno.Conn,
  onFrame: (opcode: number, payload: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(64 << 10);
  let end = 0;
  for (;;) {
    const size = await connection.read(buffer.subarray(end)).catch(() => null);
    if (size === null) return;
    end += size;
    let at = 0;
    for (let frame = frameAt(buffer, at, end); frame !== undefined;) {
      onFrame(buffer[at]! & 15, buffer.subarray(frame.from, frame.to));
      frame = frameAt(buffer, at = frame.to, end);
    }
    buffer.copyWithin(0, at, end);
    end -= at;
  }
}

/** Bounds of the payload of the frame that begins here; undefined until all of it has come. */
function frameAt(buffer: Uint8Array, at: number, end: number) {
  if (end - at < 4) return undefined;
  const short = buffer[at + 1]! & 127;
  const [from, size] = short < 126
    ? [at + 2, short]
    : [at + 4, buffer[at + 2]! * 256 + buffer[at + 3]!];
  return from + size <= end ? { from, to: from + size } : undefined;
}

export function openUdp({ host, port }: { host: string; port: number }): Promise<Wire> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: host, port: 0 });
  const server = { transport: "udp", hostname: host, port } as const;
  const wire: Wire = {
    transport: "UDP",
    sentBy: `${host}:${(socket.addr as Deno.NetAddr).port}`,
    send: (text) => void socket.send(encoder.encode(text), server).catch(() => {}),
    onText: () => {},
    close: () => socket.close(),
  };
  void (async () => {
    for await (const [data] of socket) wire.onText(decoder.decode(data));
  })();
  return Promise.resolve(wire);
}
