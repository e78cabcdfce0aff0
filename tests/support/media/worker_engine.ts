import assert from "node:assert/strict";
import { startMediaWorker } from "../../../sip/media/worker/media_worker.ts";
import type { MediaEngine } from "../../../sip/media/base/port.ts";

/** The companion's engine, in a Worker, with plain RTP on the loopback; it must not end by itself. */
export function workerEngine(
  { ports = { first: 0, last: 0 }, host = "127.0.0.1" } = {},
): Promise<MediaEngine> {
  const rtp = { bindAddress: "127.0.0.1", host, ports };
  const onEnd = () => assert.fail("The media Worker ended");
  return startMediaWorker({ places: { rtp }, mayReachPrivate: true, log: () => {}, onEnd });
}
