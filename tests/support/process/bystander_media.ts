import { parseRtp, writeRtp } from "../../../sip/media/rtp/rtp.ts";

/**
 * Media of a bystander's phone: says silence, and counts what it hears. It runs in a Worker, so that
 * what the test does meanwhile delays no packet and no count.
 */

/** `to` begins to send to a port; `count` begins anew, `read` is answered with a count. */
export type MediaOrder = { to: number } | { count: true } | { read: true };

export interface Heard {
  /** RTP packets of audio. */
  packets: number;
  seconds: number;
  /** The longest time between two of them, or between the last one and now. */
  longestGapMs: number;
}

export type MediaReport = { port: number } | Heard;

const scope = self as unknown as {
  onmessage: (event: MessageEvent<MediaOrder>) => void;
  postMessage(report: MediaReport): void;
};

const packetMs = 20;
const silence = new Uint8Array(160).fill(0xff);

const socket = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
let packets = 0;
let begunAt = performance.now();
let lastAt = begunAt;
let longestGapMs = 0;
let sequence = 0;

function say(port: number): void {
  const packet = writeRtp({
    payloadType: 0,
    marker: false,
    sequence: sequence & 0xffff,
    timestamp: sequence * 160 >>> 0,
    ssrc: 7_000,
    payload: silence,
  });
  sequence++;
  void socket.send(packet, { transport: "udp", hostname: "127.0.0.1", port }).catch(() => {});
}

function note(now: number): void {
  longestGapMs = Math.max(longestGapMs, now - lastAt);
  lastAt = now;
}

scope.onmessage = ({ data }) => {
  const now = performance.now();
  if ("to" in data) setInterval(() => say(data.to), packetMs);
  else if ("count" in data) [packets, begunAt, lastAt, longestGapMs] = [0, now, now, 0];
  else {
    scope.postMessage({
      packets,
      seconds: (now - begunAt) / 1_000,
      longestGapMs: Math.max(longestGapMs, now - lastAt),
    });
  }
};

scope.postMessage({ port: (socket.addr as Deno.NetAddr).port });
for await (const [bytes] of socket) {
  if (parseRtp(bytes)?.payloadType !== 0) continue;
  packets++;
  note(performance.now());
}
