/** Numbers below `bound`, the same for the same seed (Lehmer's generator). */
export type Random = (bound: number) => number;

export function seeded(seed: number): Random {
  let state = seed % 2_147_483_646 + 1;
  return (bound) => (state = (state * 48_271) % 2_147_483_647) % bound;
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)]!;

type Mutation = (text: string, random: Random) => string;

/** Values that have broken parsers before. */
const odd = ["", " ", "\0", "%00", "%zz", '"', "<", ">", ";", ",", "@", ":", "=", "\\", "\t", "*"]
  .concat(["\r", "\n", "\r\n", "\r\n\r\n", "\u{feff}", "é", "漢字", "\u{1f4de}", "\ud800", "\x7f"])
  .concat(["-1", "0", "256", "4294967296", "99999999999999999999", "1e9", "0x10", "NaN"])
  .concat([
    "__proto__",
    "constructor",
    "undefined",
    "SIP/2.0",
    "sip:",
    "tel:+1",
    "[::1]",
    "z9hG4bK",
  ])
  .concat([";tag=", ";branch=", "?Replaces=", "Via:", "To: <sip:x@y>", "Content-Length: 5"]);

const headersOf = (text: string) => {
  const end = text.indexOf("\r\n\r\n");
  const lines = text.slice(0, end < 0 ? undefined : end).split("\r\n");
  return { lines, rest: end < 0 ? "" : text.slice(end) };
};

/** Changes the lines of the head, the first among them. */
const inLines =
  (change: (lines: string[], at: number, random: Random) => void): Mutation => (text, random) => {
    const { lines, rest } = headersOf(text);
    change(lines, random(lines.length), random);
    return lines.join("\r\n") + rest;
  };

const insert = (text: string, at: number, what: string): string =>
  text.slice(0, at) + what + text.slice(at);

const mutations: Mutation[] = [
  function flipBytes(text, random) {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length === 0) return text;
    for (let flips = 1 + random(4); flips > 0; flips--) {
      bytes[random(bytes.length)]! ^= 1 << random(8);
    }
    return new TextDecoder().decode(bytes);
  },
  function insertOdd(text, random) {
    return insert(text, random(text.length + 1), pick(random, odd));
  },
  function duplicateToken(text, random) {
    const tokens = [...text.matchAll(/[^\s;,:<>"=]+/g)];
    if (tokens.length === 0) return text;
    const { 0: token, index } = pick(random, tokens);
    const separator = pick(random, ["", ";", ",", " ", "="]);
    return insert(text, index + token.length, separator + token);
  },
  function replaceToken(text, random) {
    const tokens = [...text.matchAll(/[^\s;,:<>"=]+/g)];
    if (tokens.length === 0) return text;
    const { 0: token, index } = pick(random, tokens);
    return text.slice(0, index) + pick(random, odd) + text.slice(index + token.length);
  },
  inLines((lines, at) => lines.splice(at, 0, lines[at]!)),
  inLines((lines, at) => void lines.splice(at, 1)),
  inLines((lines, at, random) => lines.push(lines.splice(at, 1)[0]!, pick(random, lines) ?? "")),
  inLines((lines, at, random) => lines[at] = insert(lines[at]!, 0, pick(random, [" ", "\t", ","]))),
  inLines((lines, at, random) =>
    lines[at] += pick(random, ["a", ",", ";a", '"', "<", "é", "\0"]).repeat(1 << random(14))
  ),
  inLines((lines, at, random) =>
    lines.push(...Array<string>(random(200)).fill(lines[at] ?? "A: b"))
  ),
  (text, random) => text.slice(0, random(text.length + 1)),
  (text, random) => text + pick(random, odd).repeat(random(50)),
];

/** The message with one to four things wrong with it. */
export function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let times = 1 + random(4); times > 0; times--) {
    mutated = pick(random, mutations)(mutated, random);
  }
  return mutated;
}
