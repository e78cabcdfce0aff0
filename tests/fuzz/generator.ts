import { concat } from "../../sip/media/webrtc/dtls_bytes.ts";
import { pick, type Random, seeded } from "../support/sip/sip_mutations.ts";

export { pick, type Random };

/** Random source of one case of a target: the same numbers for the same case. */
export const randomOf = (seed: number): Random => seeded(mixed(seed));

/** Bits of a case's number, so that cases that follow each other draw other numbers (MurmurHash3). */
function mixed(seed: number): number {
  let bits = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 1;
}

export const bytesOf = (random: Random, length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, () => random(256));

/** Returns true once in so many times. */
export const once = (random: Random, times: number): boolean => random(times) === 0;

/** Numbers that have broken readers of lengths before. */
const odd = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff];

type Mutation = (bytes: Uint8Array, random: Random) => Uint8Array;

const splice = (bytes: Uint8Array, at: number, removed: number, added: Uint8Array) =>
  concat(bytes.subarray(0, at), added, bytes.subarray(at + removed));

const mutations: Mutation[] = [
  function flipBit(bytes, random) {
    const at = random(bytes.length);
    return bytes.with(at, bytes[at]! ^ (1 << random(8)));
  },
  (bytes, random) => bytes.with(random(bytes.length), random(256)),
  (bytes, random) => bytes.slice(0, random(bytes.length)),
  (bytes, random) => concat(bytes, bytesOf(random, 1 + random(40))),
  (bytes, random) => splice(bytes, random(bytes.length), 1 + random(8), new Uint8Array()),
  (bytes, random) => splice(bytes, random(bytes.length), 0, bytesOf(random, 1 + random(8))),
  function repeatPart(bytes, random) {
    const at = random(bytes.length);
    return splice(bytes, at, 0, bytes.slice(at, at + 1 + random(40)));
  },
  function oddNumber(bytes, random) {
    const value = pick(random, odd);
    return splice(bytes, random(bytes.length), 2, Uint8Array.of(value >> 8, value & 0xff));
  },
];

/** The bytes with one to four things wrong with them. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let mutated = bytes;
  for (let times = 1 + random(4); times > 0 && mutated.length > 0; times--) {
    mutated = pick(random, mutations)(mutated, random);
  }
  return new Uint8Array(mutated);
}
