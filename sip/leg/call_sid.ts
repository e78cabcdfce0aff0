/** A new Call Sid: 48 bits of time, so that Sids sort as calls began, and 80 random bits. */
export function mintCallSid(now = Date.now()): string {
  const time = now.toString(16).padStart(12, "0");
  return `CA${time}${crypto.getRandomValues(new Uint8Array(10)).toHex()}`;
}
