/**
 * Text of a peer as a record or a webhook may hold it: well-formed, without control characters, and
 * no longer than `most` characters.
 */
export function plainText(text: string, most: number): string {
  return [...text.toWellFormed().replaceAll(/\p{Cc}+/gu, " ").trim()].slice(0, most).join("");
}

/** A display name as people read it, from one as it stands between quotes (RFC 3261 §25.1). */
export const plainName = (quoted: string, most: number): string =>
  plainText(quoted.replaceAll(/\\(.)/gs, "$1"), most);
