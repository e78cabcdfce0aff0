import { Buffer } from "node:buffer";
import { partsOf } from "../../../messages/segments.ts";
import { alphabets } from "./library.ts";

/** One part of a text, as submit_sm carries it. */
export interface Segment {
  data_coding: number;
  esm_class: number;
  short_message: Uint8Array;
}

/** Values of data_coding (SMPP 3.4 §5.2.19). */
const codings = { gsm: 0, ucs2: 8 };
const withUdh = 0x40;

/**
 * A text in GSM 03.38 where its alphabet has all of it, one octet a septet (SMPP 3.4 §2.9), else in
 * UCS-2; in parts that a radio message has room for, joined by a header with 8-bit reference
 * (3GPP TS 23.040 §9.2.3.24.1).
 */
export function segmentsOf(text: string, reference: number): Segment[] {
  const { alphabet, parts } = partsOf(text);
  const { encode } = alphabets[alphabet];
  const data_coding = codings[alphabet];
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return [{ data_coding, esm_class: 0, short_message: encode(only) }];
  }
  return parts.map((part, at) => ({
    data_coding,
    esm_class: withUdh,
    short_message: joined([5, 0, 3, reference & 0xff, parts.length, at + 1], encode(part)),
  }));
}

/** The library takes what is no Buffer for a text. */
const joined = (...parts: ArrayLike<number>[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Uint8Array.from(part)));
