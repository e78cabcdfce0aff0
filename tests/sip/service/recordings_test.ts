import assert from "node:assert/strict";
import { recordingLimits, type RecordingPart } from "../../../core/protocol/recordings.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createRecordings, type Recordings } from "../../../sip/service/recordings.ts";
import { ServiceError } from "../../../sip/service/service_link.ts";
import { createTimers, type Timers } from "../../../sip/base/timers.ts";
import { samplesOf } from "../../support/service/recorded.ts";

const order = (n = 1) => ({
  recording: { sid: `RE${String(n).padStart(32, "0")}`, accountSid: `AC${"0".repeat(32)}` },
  leg: `CA${"0".repeat(32)}`,
  channels: 2 as const,
});

const outage = () => Promise.reject(new ServiceError("post", "it is down", "outage"));

interface Lab {
  take(part: RecordingPart): Promise<boolean>;
  readonly parts: RecordingPart[];
  readonly logged: string[];
  readonly timers: Timers;
  readonly recordings: Recordings;
  [Symbol.dispose](): void;
}

/** Recordings for a service that does with each part what a test says. */
function lab(take: Lab["take"]): Lab {
  const timers = createTimers();
  const stopped = new AbortController();
  const logged: string[] = [];
  const parts: RecordingPart[] = [];
  const lab: Lab = {
    take,
    parts,
    logged,
    timers,
    recordings: createRecordings({
      link: {
        async recordingPart(part: RecordingPart): Promise<{ isWanted: boolean }> {
          const isWanted: boolean = await lab.take(part);
          parts.push(part);
          return { isWanted };
        },
      },
      timers,
      log: (line) => logged.push(line),
      stopping: AbortSignal.abort(), // Attempts follow each other at once.
      stopped: stopped.signal,
    }),
    [Symbol.dispose]() {
      stopped.abort();
      timers.clear();
    },
  };
  return lab;
}

const samples = (seconds: number, value = 1) =>
  new Int16Array(Math.round(seconds * 16_000)).fill(value);

Deno.test("createRecordings() cuts a recording off that waits too long, and keeps what it held", async () => {
  using service = lab(outage);
  const sink = service.recordings.open(order());
  for (let second = 0; second < 600; second++) sink.write(samples(1, second));
  service.take = () => Promise.resolve(true);
  const recorded = await sink.end();
  await service.recordings.drained();

  const kept = samplesOf(service.parts);
  const lacking = sipLimits.recordingHeldBytes - kept.length * 2;
  assert.ok(lacking >= 0 && lacking < recordingLimits.partBytes, `${lacking}`);
  assert.equal(recorded?.durationS, Math.round(kept.length / 16_000));
  assert.ok(kept.every((sample, i) => sample === Math.floor(i / 16_000)));
  assert.deepEqual(service.parts.map(({ end }) => end).filter(Boolean), ["cut"]);
  assert.match(service.logged.join(), /Cut off a recording/);
});

Deno.test("createRecordings() bounds what all recordings hold together", async () => {
  using service = lab(outage);
  const most = sipLimits.recordingsHeldBytes / sipLimits.recordingHeldBytes;
  const sinks = Array.from({ length: most + 1 }, (_, n) => service.recordings.open(order(n)));
  for (const sink of sinks) sink.write(samples(sipLimits.recordingHeldBytes / 32_000));
  service.take = () => Promise.resolve(true);
  await Promise.all(sinks.map((sink) => sink.end()));

  const bytes = service.parts.map(({ data }) => Uint8Array.fromBase64(data).length);
  const lacking = sipLimits.recordingsHeldBytes - bytes.reduce((sum, each) => sum + each, 0);
  assert.ok(lacking >= 0 && lacking < recordingLimits.partBytes, `${lacking}`);
});

Deno.test("createRecordings() sends parts in order, one at a time, and again after an outage", async () => {
  let underWay = 0;
  let calls = 0;
  using service = lab(async () => {
    assert.equal(++underWay, 1);
    await Promise.resolve();
    underWay--;
    if (++calls % 2 === 0) await outage();
    return true;
  });
  const sink = service.recordings.open(order());
  for (let tenth = 0; tenth < 100; tenth++) sink.write(samples(0.1, tenth));
  assert.deepEqual(await sink.end(), { sid: order().recording.sid, durationS: 10 });
  sink.write(samples(1, 999));

  assert.equal(samplesOf(service.parts).length, 160_000);
  const offsets = service.parts.map(({ at }) => at);
  assert.deepEqual(offsets, offsets.toSorted((a, b) => a - b));
  assert.equal(new Set(offsets).size, offsets.length);
});

Deno.test("createRecordings() drops what the service refuses, or fails at again and again", async () => {
  for (const failure of ["refusal", "defect"] as const) {
    let attempts = 0;
    using service = lab(() => {
      attempts++;
      return Promise.reject(new ServiceError("post", "no", failure));
    });
    const sink = service.recordings.open(order());
    sink.write(samples(10));
    assert.equal(await sink.end(), null);
    assert.equal(attempts, failure === "refusal" ? 1 : sipLimits.reportDefects);
    assert.match(service.logged.join(), /Dropped a recording/);
  }
});

Deno.test("createRecordings() sends nothing of what is empty or discarded at once", async () => {
  using service = lab(() => Promise.resolve(true));
  assert.equal(await service.recordings.open(order()).end(), null);
  const short = service.recordings.open(order());
  short.write(samples(0.4));
  short.discard();
  const long = service.recordings.open(order(2));
  long.write(samples(10));
  long.discard();
  await service.recordings.drained();

  assert.equal(
    service.parts.some(({ recording }) => recording.sid === order().recording.sid),
    false,
  );
  assert.equal(service.parts.at(-1)?.end, "discard");
});

Deno.test("createRecordings() leaves out or silences a pause, with the whole piece that it ends in", async () => {
  using service = lab(() => Promise.resolve(true));
  const { recordings } = service;
  const sink = recordings.open(order());
  const { sid } = order().recording;
  /** One piece, of two writes. */
  const piece = async (value: number) => {
    sink.write(samples(0.25, value));
    sink.write(samples(0.25, value));
    await Promise.resolve();
  };
  await piece(1);
  assert.ok(recordings.change({ type: "pause", sid, behavior: "skip" }));
  await piece(2);
  assert.ok(recordings.change({ type: "pause", sid, behavior: "silence" }));
  await piece(3);
  assert.ok(recordings.change({ type: "resume", sid }));
  await piece(4); // It began before the pause was over.
  await piece(5);
  assert.ok(recordings.change({ type: "stop", sid }));
  await sink.stopped;
  await piece(6);
  assert.equal(recordings.change({ type: "resume", sid }), false);
  assert.deepEqual(await sink.end(), { sid, durationS: 2 });
  await recordings.drained();

  const kept = samplesOf(service.parts);
  const values = Array.from({ length: 4 }, (_, i) => kept[i * 8_000 + 4_000]);
  assert.deepEqual([kept.length, ...values], [32_000, 1, 0, 0, 5]);
  assert.deepEqual(service.parts.map(({ end }) => end).filter(Boolean), ["whole"]);
});

Deno.test("createRecordings() tells the end of a recording without audio where the service has its record", async () => {
  using service = lab(() => Promise.resolve(true));
  const { recording, ...rest } = order();
  const sink = service.recordings.open({ recording: { ...recording, isKnown: true }, ...rest });
  const other = service.recordings.open(order(2));

  assert.equal(await sink.end(), null);
  assert.equal(await other.end(), null);
  await service.recordings.drained();

  assert.deepEqual(
    service.parts.map(({ recording: { sid }, at, data, end }) => ({ sid, at, data, end })),
    [{ sid: recording.sid, at: 0, data: "", end: "whole" }],
  );
});
