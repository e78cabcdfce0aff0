import { Buffer } from "node:buffer";

/** One field of a message in the wire format of Protocol Buffers: a varint or bytes. */
export interface Field {
  number: number;
  /** 0 for bytes. */
  value: number;
  /** Empty for a varint. */
  bytes: Uint8Array;
}

const none = new Uint8Array();

/** The fields of a message, in order. Throws a RangeError for a wire type that is not used here. */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    for (let value = 0, unit = 1;; unit *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [number, wireType] = [tag >> 3, tag & 7];
    if (wireType === 0) yield { number, value: varint(), bytes: none };
    else if (wireType === 2) {
      const length = varint();
      yield { number, value: 0, bytes: message.subarray(at, at += length) };
    } else throw new RangeError(`Cannot read a field of wire type ${wireType}`);
  }
}

/** The bytes of a message's first field of a number; empty when it has none. */
export const bytesIn = (message: Uint8Array, number: number): Uint8Array =>
  fieldsOf(message).find((field) => field.number === number)?.bytes ?? none;

/** The number of a message's first varint field of a number; 0 when it has none. */
export const numberIn = (message: Uint8Array, number: number): number =>
  fieldsOf(message).find((field) => field.number === number)?.value ?? 0;

/** The messages in a message's repeated field. */
export const repeatedIn = (message: Uint8Array, number: number): Uint8Array[] =>
  [...fieldsOf(message)].filter((field) => field.number === number).map(({ bytes }) => bytes);

/** A message of these fields. */
export const messageOf = (
  fields: [number: number, value: number | Uint8Array][],
): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(fields.flatMap(([number, value]) =>
      typeof value === "number"
        ? [varintOf(number << 3), varintOf(value)]
        : [varintOf(number << 3 | 2), varintOf(value.length), value]
    )),
  );

function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 | 128);
  return Uint8Array.from([...bytes, value]);
}
