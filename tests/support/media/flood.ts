import type { Socket } from "node:net";
import type { StreamConnection } from "./stream_server.ts";

/** An unmasked frame (RFC 6455 §5.2) with so short a payload that its length takes one byte. */
function frameOf(opcode: number, text = ""): Uint8Array {
  const payload = new TextEncoder().encode(text);
  const length = payload.length < 126
    ? [payload.length]
    : [126, payload.length >> 8, payload.length & 0xff];
  return Uint8Array.of(opcode, ...length, ...payload);
}

/** Frames of which a hostile server can send tens of thousands in a second. */
export const floodFrames = {
  marks: frameOf(0x81, '{"event":"mark","mark":{"name":"1"}}'),
  clears: frameOf(0x81, '{"event":"clear"}'),
  "empty media": frameOf(0x81, '{"event":"media","media":{"payload":""}}'),
  "unknown events": frameOf(0x81, '{"event":"x"}'),
  tokens: frameOf(0x81, '{"type":"text","token":"a ","last":false}'),
  "invalid messages": frameOf(0x81, "{}"),
  pings: frameOf(0x89),
} as const;

/**
 * Has a server send a frame again and again, as fast as it is read, until the result is called or the
 * connection ends.
 */
export function flood({ socket }: StreamConnection, frame: Uint8Array): () => void {
  // Below the library, which would make a frame anew for each message.
  const { _socket: stream } = socket as unknown as { _socket: Socket };
  const block = new Uint8Array(2_000 * frame.length);
  for (let at = 0; at < block.length; at += frame.length) block.set(frame, at);
  let isOver = false;
  const next = () => {
    if (!isOver && !stream.destroyed) stream.write(block, next);
  };
  next();
  return () => isOver = true;
}
