import { Buffer } from "node:buffer";
import { alphabets } from "./library.ts";

/** One part of a text, as submit_sm carries it. */
export interface Segment {
  data_coding: number;
  esm_class: number;
  short_message: Uint8Array;
}

const gsm = { coding: 0, whole: 160, part: 153 };
const ucs2 = { coding: 8, whole: 140, part: 134 };
const withUdh = 0x40;

/**
 * A text in GSM 03.38 where its alphabet has all of it, one octet a character (SMPP 3.4 §2.9), else
 * in UCS-2; in parts that a radio message has room for, joined by a header with 8-bit reference
 * (3GPP TS 23.040 §9.2.3.24.1).
 */
export function segmentsOf(text: string, reference: number): Segment[] {
  // The library takes an escape for a character of its own.
  const isGsm = alphabets.gsm.match(text) && !text.includes("\x1b");
  const { coding, whole, part } = isGsm ? gsm : ucs2;
  const { encode } = isGsm ? alphabets.gsm : alphabets.ucs2;
  const bytes = encode(text);
  if (bytes.length <= whole) {
    return [{ data_coding: coding, esm_class: 0, short_message: bytes }];
  }
  const parts = pack([...text].map(encode), part);
  return parts.map((content, at) => ({
    data_coding: coding,
    esm_class: withUdh,
    short_message: joined([[5, 0, 3, reference & 0xff, parts.length, at + 1], ...content]),
  }));
}

/** Characters in groups of so many octets; none is cut in two. */
function pack(characters: Uint8Array[], most: number): Uint8Array[][] {
  let group: Uint8Array[] = [];
  const groups = [group];
  let size = 0;
  for (const character of characters) {
    if (size + character.length > most) {
      groups.push(group = []);
      size = 0;
    }
    group.push(character);
    size += character.length;
  }
  return groups;
}

/** The library takes what is no Buffer for a text. */
const joined = (parts: ArrayLike<number>[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Uint8Array.from(part)));
