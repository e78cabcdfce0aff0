const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes as Base32 without padding (RFC 4648 §6), as authenticator apps take secrets. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet.charAt(parseInt(group.padEnd(5, "0"), 2))).join("");
}

/** The bytes of a Base32 text, in any case, spaces and padding aside. Throws RangeError for others. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const letters = text.toUpperCase().replaceAll(/[\s=]/g, "");
  const bits = [...letters].map((letter) => {
    const value = alphabet.indexOf(letter);
    if (value < 0) throw new RangeError(`Cannot read Base32: it has "${letter}"`);
    return value.toString(2).padStart(5, "0");
  }).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Uint8Array.from(bytes, (byte) => parseInt(byte, 2));
}
