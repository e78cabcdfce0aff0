import { ordOf } from "../store/keys.ts";

/**
 * The texts of one field of consecutive records, lower-case and run together: reading a few large
 * values is many times faster than reading every record.
 */
export interface PackedTexts {
  /** The records' ords, oldest first, 16 bytes each. */
  ords: Uint8Array;
  /** The end of each record's text. */
  ends: Uint32Array;
  text: string;
}

/** The most bytes of a pack; a KV value may have 64 KiB. */
const packBytes = 60_000;

/** A pack in the making. */
export interface Pack {
  ords: Uint8Array[];
  ends: number[];
  texts: string[];
  length: number;
  /** True when a character takes two bytes. */
  isWide: boolean;
  /** Records whose text is too long to be packed. */
  left: Uint8Array[];
}

export const emptyPack = (): Pack => ({
  ords: [],
  ends: [],
  texts: [],
  length: 0,
  isWide: false,
  left: [],
});

// deno-lint-ignore no-control-regex
const isWide = (text: string): boolean => /[^\x00-\xff]/.test(text);

/** Returns whether a text fits into a pack. */
export const fits = (pack: Pack, text: string): boolean =>
  (pack.length + text.length) * (pack.isWide || isWide(text) ? 2 : 1) +
      (pack.ords.length + 1) * 20 <= packBytes;

/** Adds a record, in the order of Sids. */
export function add(pack: Pack, sid: string, text: string): void {
  const ord = ordOf(sid);
  pack.ords.push(ord);
  if (fits(pack, text)) {
    pack.texts.push(text);
    pack.length += text.length;
    pack.isWide ||= isWide(text);
  } else pack.left.push(ord);
  pack.ends.push(pack.length);
}

/** A pack as it is stored. */
export const packedTexts = ({ ords, ends, texts }: Pack): PackedTexts => ({
  ords: new Uint8Array(ords.flatMap((ord) => [...ord])),
  ends: new Uint32Array(ends),
  text: texts.join(""),
});

/** A pack without the records of some ords, in hex. */
export function packWithout({ ords, ends, text }: PackedTexts, gone: Set<string>): PackedTexts {
  const pack = emptyPack();
  ends.forEach((end, item) => {
    const ord = ords.slice(item * 16, item * 16 + 16);
    if (gone.has(ord.toHex())) return;
    pack.ords.push(ord);
    pack.texts.push(text.slice(ends[item - 1] ?? 0, end));
    pack.length += end - (ends[item - 1] ?? 0);
    pack.ends.push(pack.length);
  });
  return packedTexts(pack);
}

/**
 * A pack with other texts for some ords, in hex, where those take no more bytes than the texts
 * before. `replaced` are the ords of these.
 */
export function packWith(
  { ords, ends, text }: PackedTexts,
  texts: ReadonlyMap<string, string>,
): { packed: PackedTexts; replaced: Set<string> } {
  const replaced = new Set<string>();
  const kept: string[] = [];
  const isWideNow = isWide(text);
  ends.forEach((end, item) => {
    const before = text.slice(ends[item - 1] ?? 0, end);
    const hex = ords.subarray(item * 16, item * 16 + 16).toHex();
    const after = texts.get(hex);
    const hasRoom = after !== undefined && after.length <= before.length &&
      (isWideNow || !isWide(after));
    if (hasRoom) replaced.add(hex);
    kept.push(hasRoom ? after : before);
  });
  let length = 0;
  const newEnds = Uint32Array.from(kept, (one) => length += one.length);
  return { packed: { ords, ends: newEnds, text: kept.join("") }, replaced };
}

/** The ords, in hex, of the records whose text contains a part, oldest first. */
export function hitsIn({ ords, ends, text }: PackedTexts, part: string): string[] {
  const hits: string[] = [];
  let hex: string | undefined; // Of all ords: one conversion is quicker than one each.
  let item = 0;
  for (let at = text.indexOf(part); at >= 0;) {
    while (ends[item]! <= at) item++; // The last text ends behind every hit.
    const end = ends[item]!; // The loop ended at a text.
    const isInside = at + part.length <= end;
    if (isInside) hits.push((hex ??= ords.toHex()).slice(item * 32, item * 32 + 32));
    at = text.indexOf(part, isInside ? end : at + 1);
  }
  return hits;
}
