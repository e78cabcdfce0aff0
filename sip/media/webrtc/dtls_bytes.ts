import { malformed } from "./dtls_alerts.ts";

/** Numbers and vectors of TLS's presentation language (RFC 5246 §4). */

export type Bytes = Uint8Array<ArrayBuffer>;

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A number of at most 48 bits, the highest byte first. */
export function number(size: number, value: number): Bytes {
  const bytes = new Uint8Array(size);
  let rest = value;
  for (let i = size - 1; i >= 0; i--) {
    bytes[i] = rest;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

/** Parts behind their length in bytes, which has the size given. */
export function vector(size: number, ...parts: Uint8Array[]): Bytes {
  const content = concat(...parts);
  return concat(number(size, content.length), content);
}

/** Numbers of two bytes, behind their length. */
export const numbers = (...values: number[]): Bytes =>
  vector(2, ...values.map((value) => number(2, value)));

/** Reads what the functions above wrote; each throws where the bytes end too early. */
export interface ByteReader {
  number(size: number): number;
  bytes(length: number): Uint8Array;
  vector(size: number): Uint8Array;
  /** True where there is nothing more. */
  isAtEnd(): boolean;
  /** Throws when there is more. */
  end(): void;
}

export function readerOf(source: Uint8Array): ByteReader {
  let at = 0;
  const bytes = (length: number) => {
    if (at + length > source.length) throw malformed("it ends too early");
    at += length;
    return source.subarray(at - length, at);
  };
  const number = (size: number) => bytes(size).reduce((value, byte) => value * 256 + byte, 0);
  return {
    number,
    bytes,
    vector: (size) => bytes(number(size)),
    isAtEnd: () => at === source.length,
    end() {
      if (at < source.length) throw malformed("it goes on behind its end");
    },
  };
}

/** Bytes that `numbers` wrote, without the length before them. */
export function readNumbers(source: Uint8Array): number[] {
  const reader = readerOf(source);
  const values: number[] = [];
  while (!reader.isAtEnd()) values.push(reader.number(2));
  return values;
}
