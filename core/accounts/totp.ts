/** Seconds for which a code holds, and its digits, as every authenticator app expects. */
const [stepS, digits] = [30, 6];

/** The time step of an instant in ms (RFC 6238 §4.2). */
export const stepAt = (now: number): number => Math.floor(now / 1_000 / stepS);

/** The code of a time step (RFC 6238, HMAC-SHA-1; RFC 4226 §5.3). The secret is in Base32. */
export async function codeAt(secret: string, step: number): Promise<string> {
  const hash = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", fromBase32(secret), hash, false, ["sign"]);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter));
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const value = mac.getUint32(offset) & 0x7fffffff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

/**
 * The time step that a code is of: the present one, or one beside it, for clocks that differ and people
 * who type slowly (RFC 6238 §5.2). Steps up to `lastStep` were used. Null for a wrong code.
 */
export async function stepOf(
  code: string,
  { secret, lastStep, now }: { secret: string; lastStep: number; now: number },
): Promise<number | null> {
  const current = stepAt(now);
  let found: number | null = null;
  for (const step of [current - 1, current, current + 1]) {
    const isSame = await codeAt(secret, step) === code;
    if (isSame && step > lastStep) found = step;
  }
  return found;
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUrl(secret: string, { issuer, name }: { issuer: string; name: string }) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(name)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

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
