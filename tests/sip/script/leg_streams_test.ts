import assert from "node:assert/strict";
import type { StreamStep } from "../../../core/protocol/streams.ts";
import {
  conversationsEnded,
  openStreams,
  streamFramesLost,
  streamProblems,
} from "../../../sip/base/metrics.ts";
import { eventually } from "../../support/process/eventually.ts";
import { startGathering } from "../../support/sip/gather_lab.ts";
import { sipTest } from "../../support/sip/sip_lab.ts";

const copy = (digit: string): StreamStep => ({
  type: "stream",
  stream: {
    sid: `MZ${digit.repeat(32)}`,
    accountSid: `AC${"0".repeat(32)}`,
    name: `copy-${digit}`,
    url: "wss://agent.test/",
    headers: {},
    tracks: ["inbound"],
    isBidirectional: false,
    encoding: "audio/x-mulaw",
    parameters: {},
    queueS: 10,
  },
});

/** The value of a metric, of one of its labels. */
async function valueOf(
  metric: typeof openStreams | typeof streamFramesLost | typeof conversationsEnded,
  label?: string,
): Promise<number> {
  const { values } = await metric.get();
  return values.filter(({ labels }) => label === undefined || Object.values(labels).includes(label))
    .reduce((sum, { value }) => sum + value, 0);
}

sipTest("Metrics count open streams, lost frames as they are lost, and problems", async () => {
  const wait = { type: "silence", seconds: 60 } as const;
  await using call = await startGathering([[copy("1"), wait]]);
  await eventually("the stream is opened", () => call.ours.streams.length === 1);
  const [{ events }] = call.ours.streams as [typeof call.ours.streams[0]];
  const before = await valueOf(streamFramesLost);
  const slow = await valueOf(streamProblems, "slow");

  const open = await valueOf(openStreams, "copy");
  events.onProblem("slow", "the server is slow");
  events.onLost(5);
  events.onLost(8);
  const during = await valueOf(streamFramesLost);
  events.onEnd({ how: "failed", fault: "unreachable", message: "gone", lostFrames: 10 });

  assert.deepEqual([open, await valueOf(openStreams, "copy")], [1, 0]);
  assert.deepEqual([during, await valueOf(streamFramesLost)], [before + 8, before + 10]);
  assert.equal(await valueOf(streamProblems, "slow"), slow + 1);
  assert.ok(await valueOf(streamProblems, "unreachable") > 0);
});
