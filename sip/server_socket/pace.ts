import { mediaLimits } from "../media/base/limits.ts";

/** Has a server wait that sends far more than anybody can hear: takes the bytes of each message. */
export function createPace(
  { rest, now }: { rest(ms: number): void; now(): number },
): (bytes: number) => void {
  const { streamBurstBytes, streamBytesPerS } = mediaLimits;
  let credit: number = streamBurstBytes;
  let at = now();
  return (bytes) => {
    const earned = (now() - at) / 1_000 * streamBytesPerS;
    at = now();
    credit = Math.min(streamBurstBytes, credit + earned) - bytes;
    if (credit < 0) rest(-credit / streamBytesPerS * 1_000);
  };
}
