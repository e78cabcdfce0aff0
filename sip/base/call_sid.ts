/** A new Call Sid: 48 bits of time, so that Sids sort as calls began, and 80 random bits. */
export function mintCallSid(now = Date.now()): string {
  const time = now.toString(16).padStart(12, "0");
  // Random bytes by themselves cost twenty times as much; these digits of it are all random.
  const random = crypto.randomUUID();
  return `CA${time}${random.slice(0, 8)}${random.slice(24)}`;
}
