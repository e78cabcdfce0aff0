import assert from "node:assert/strict";
import process from "node:process";
import { MPEGDecoder } from "mpg123-decoder";
import { mp3Of } from "../../core/recordings/mp3.ts";
import { wavHeader } from "../../core/recordings/wav_header.ts";
import { type App, startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";
import { tone } from "../support/media/tone.ts";

const linkOf = async (app: App, sid: string): Promise<string> =>
  (await app.root.get(`Recordings/${sid}.json`)).json().file_uri;

/** A recording of a second with 400 Hz on one channel and 1,000 Hz on the other. */
async function recordTones(app: App): Promise<string> {
  const sid = await makeSample(app, app.root, { name: "recordings" });
  const [low, high] = [tone(400, 1), tone(1_000, 1)];
  const samples = Int16Array.from({ length: 16_000 }, (_, i) => [low, high][i % 2]![i >> 1]!);
  const file = new Blob([wavHeader(2, samples.byteLength), samples]);
  await app.ports.blobs.write(app.root.sid, sid, 0, new Uint8Array(await file.arrayBuffer()));
  return sid;
}

/** How often a sound crosses zero upwards in a second of `rate` samples, from its middle. */
function frequency(sound: Float32Array, rate: number): number {
  const middle = sound.subarray(sound.length >> 2, (sound.length >> 2) * 3);
  const crossings = middle.filter((sample, i) => i > 0 && middle[i - 1]! < 0 && sample >= 0);
  return crossings.length * rate / middle.length;
}

Deno.test("GET of audio as .mp3 answers both channels of it", async () => {
  using app = await startApp();
  const sid = await recordTones(app);
  const link = (await linkOf(app, sid)).replace(".wav", ".mp3");
  const mp3 = await app.http.request(link);
  assert.equal(mp3.headers.get("Content-Type"), "audio/mpeg");
  assert.equal(mp3.headers.get("Accept-Ranges"), "none");

  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate } = decoder.decode(new Uint8Array(await mp3.arrayBuffer()));
  decoder.free();
  assert.equal(sampleRate, 8_000);
  const heard = channelData.map((channel) => Math.round(frequency(channel, sampleRate) / 10) * 10);
  assert.deepEqual(heard, [400, 1_000]);
});

Deno.test("the signed URL of the .wav opens the .mp3, which needs one too", async () => {
  using app = await startApp();
  const sid = await recordTones(app);
  const uri = (await linkOf(app, sid)).replace(".wav", ".mp3");

  assert.equal((await app.http.request(uri)).status, 200);
  assert.equal(await (await app.http.request(uri, { method: "HEAD" })).text(), "");
  assert.equal((await app.http.request(uri.split("?")[0]!)).status, 401);
  assert.equal((await app.root.get(`Recordings/RE${"0".repeat(32)}.mp3`)).status, 404);
});

Deno.test("audio as .mp3 says how long it is, to GET and HEAD, before it is made", async () => {
  using app = await startApp();
  for (const channels of [1, 2]) {
    for (const samples of [0, 1, 576, 577, 1_152, 1_153, 8_000, 100_001]) {
      const sid = await makeSample(app, app.root, { name: "recordings" });
      const data = tone(400, samples * channels / 8_000);
      const file = new Blob([wavHeader(channels, data.byteLength), data]);
      await app.ports.blobs.write(app.root.sid, sid, 0, await file.bytes());
      const link = (await linkOf(app, sid)).replace(".wav", ".mp3");

      const head = await app.http.request(link, { method: "HEAD" });
      const mp3 = await app.http.request(link);

      const { byteLength } = await mp3.arrayBuffer();
      const told = [head, mp3].map(({ headers }) => Number(headers.get("Content-Length")));
      assert.deepEqual(told, [byteLength, byteLength], `${samples} samples, ${channels} channels`);
    }
  }
});

Deno.test("audio as .mp3 of a recording that has no sound yet is not found", async () => {
  using app = await startApp();
  const sid = await makeSample(app, app.root, { name: "recordings" });
  await app.ports.blobs.write(app.root.sid, sid, 0, new Uint8Array(43));
  const link = (await linkOf(app, sid)).replace(".wav", ".mp3");

  assert.equal((await app.http.request(link)).status, 404);
});

/** A WAV of so many seconds of noise. */
const noiseWav = (seconds: number, channels: number) => {
  const samples = Int16Array.from(
    { length: seconds * 8_000 * channels },
    (_, n) => n * 7919 % 9_001,
  );
  return new Blob([wavHeader(channels, samples.byteLength), samples]).stream();
};

/** CPU time in ms of this thread, and of the process. */
function cpuMs(): { here: number; all: number } {
  const { threadCpuUsage } = process as unknown as { threadCpuUsage: typeof process.cpuUsage };
  const sum = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;
  return { here: sum(threadCpuUsage()), all: sum(process.cpuUsage()) };
}

Deno.test("MP3 is encoded beside this thread", async () => {
  await new Response(mp3Of(noiseWav(1, 2))).bytes(); // The Worker has started.
  const audio = noiseWav(600, 2);
  const before = cpuMs();
  const { length } = await new Response(mp3Of(audio)).bytes();
  const after = cpuMs();

  assert.ok(length > 600 * 6_000 - 1_000, `${length} bytes`);
  const [here, all] = [after.here - before.here, after.all - before.all];
  assert.ok(here < all / 2, `${here} of ${all} ms are of this thread`);
});

Deno.test("MP3s are encoded side by side, whatever their readers do", async () => {
  const whole = await Promise.all(
    Array.from({ length: 6 }, () => new Response(mp3Of(noiseWav(20, 1))).bytes()),
  );
  const alone = await new Response(mp3Of(noiseWav(20, 1))).bytes();
  for (const one of whole) assert.deepEqual(one, alone);

  const cancelled = mp3Of(noiseWav(20, 1));
  const reader = cancelled.getReader();
  await reader.read();
  await reader.cancel();
  assert.deepEqual(await new Response(mp3Of(noiseWav(20, 1))).bytes(), alone);
});

Deno.test("a short MP3 is over before its client reads it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unread = mp3Of(noiseWav(60, 1), { onEnd: resolve });
  await promise;
  assert.equal((await new Response(unread).bytes()).length % 108, 0);
});

Deno.test("a long MP3 ends when its client reads no more, and when its audio fails", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unread = mp3Of(noiseWav(800, 1), { onEnd: resolve, idleMs: 1 });
  await promise;
  await assert.rejects(new Response(unread).bytes(), /the client reads no more of the MP3/);

  let ends = 0;
  const broken = new ReadableStream({
    pull: (controller) => controller.error(new Error("the disk failed")),
  });
  const failing = mp3Of(broken, { onEnd: () => ends++ });
  await assert.rejects(new Response(failing).bytes(), /the disk failed/);
  assert.equal(ends, 1);
});
