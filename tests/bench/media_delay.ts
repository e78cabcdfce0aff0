import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import { parseRtp, writeRtp } from "../../sip/media/rtp/rtp.ts";
import type { Line } from "./media_peers.ts";

const FRAME_MS = 20;
const FRAME_SAMPLES = 160;
/** A click each half second, which no delay reaches. */
const CLICK_FRAMES = 25;
const SILENT = 0xff;
const LOUD = encodeG711("PCMU", new Int16Array(FRAME_SAMPLES).fill(16_000));
/** Beyond it a code of mu-law is loud; its bits are turned round. */
const isLoud = (code: number) => (~code & 0x7f) > 0x50;

/**
 * From the mouth at one line to the ear at another, in ms: delay of a click until it is in a
 * received packet. It counts the time on the wire, and no wait for a packet to be full.
 */
export async function clickDelays(from: Line, to: Line, clicks: number): Promise<number[]> {
  const delays: number[] = [];
  const done = Promise.withResolvers<void>();
  let sentAt: number | undefined;
  to.onPacket = (bytes, at) => {
    const packet = parseRtp(bytes);
    const loud = packet?.payload.findIndex(isLoud) ?? -1;
    if (loud < 0 || packet!.payloadType !== 0 || sentAt === undefined) return;
    delays.push(at + loud / 8 - sentAt);
    sentAt = undefined;
    if (delays.length === clicks) done.resolve();
  };
  const startedAt = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    for (; startedAt + frame * FRAME_MS <= performance.now(); frame++) {
      const clicks = frame % CLICK_FRAMES === CLICK_FRAMES - 1;
      if (clicks) sentAt = performance.now();
      from.send(writeRtp({
        payloadType: 0,
        marker: frame === 0,
        sequence: frame & 0xffff,
        timestamp: frame * FRAME_SAMPLES,
        ssrc: 9_000,
        payload: clicks ? LOUD : new Uint8Array(FRAME_SAMPLES).fill(SILENT),
      }));
    }
  }, 1);
  try {
    await done.promise;
    return delays;
  } finally {
    clearInterval(timer);
  }
}
