import assert from "node:assert/strict";
import { s3Blobs } from "../../../../core/machine/adapters/s3_blobs.ts";
import type { Blobs } from "../../../../core/model/ports/providers.ts";
import { memoryBlobs } from "../../../support/service/memory_blobs.ts";
import { type S3Server, startS3 } from "../../../support/service/s3_server.ts";

const account = `AC${"1".repeat(32)}`;
const sid = `RE${"2".repeat(32)}`;
const key = `${account}/${sid}.wav`;
const { signal } = new AbortController();

const bytes = (size: number) => Uint8Array.from({ length: size }, (_, i) => i * 7 + (i >> 9));
const read = async (content: ReadableStream | null) =>
  new Uint8Array(await new Response(content).arrayBuffer());

/** Blobs on a storage, with the disk in memory. */
function blobsAt(
  s3: S3Server,
  wanted: { isOpen?: boolean; secretAccessKey?: string } = {},
  disk: Blobs = memoryBlobs(),
) {
  const { bucket, region, accessKeyId, secretAccessKey, url: endpoint } = s3;
  const options = { endpoint, bucket, region, accessKeyId, secretAccessKey, isOpen: false };
  return { disk, blobs: s3Blobs(disk, { ...options, ...wanted }) };
}

Deno.test("s3Blobs() keeps what is made on the disk, and settles it in the storage", async () => {
  await using s3 = startS3();
  const { disk, blobs } = blobsAt(s3);
  const sound = bytes(100_000);
  await blobs.write(account, sid, 0, sound);
  assert.deepEqual([await blobs.size(account, sid), s3.seen], [100_000, []]);
  assert.equal(await blobs.link(account, sid, "GET"), null);

  await blobs.settle(account, sid, signal);

  assert.deepEqual(s3.objects.get(key), { bytes: sound, type: "audio/wav" });
  assert.equal(await disk.size(account, sid), null);
  assert.equal(await blobs.size(account, sid), 100_000);
  assert.deepEqual(await read(await blobs.get(account, sid)), sound);
  const part = await blobs.get(account, sid, { start: 10, end: 500 });
  assert.deepEqual(await read(part), sound.slice(10, 500));
  await blobs.settle(account, sid, signal); // Again, as after a crash.
  assert.equal(s3.seen.filter((what) => what.startsWith("403")).length, 0);

  await blobs.remove(account, sid);
  assert.equal(s3.objects.size, 0);
  assert.equal(await blobs.size(account, sid), null);
  assert.equal(await blobs.get(account, sid), null);
  await assert.rejects(blobs.settle(account, sid, signal), /no audio of RE2/);
});

Deno.test("s3Blobs() sends what is large in parts, each signed", async () => {
  await using s3 = startS3();
  const { blobs } = blobsAt(s3);
  const sound = bytes(18 << 20);
  await blobs.write(account, sid, 0, sound);

  await blobs.settle(account, sid, signal);

  assert.deepEqual(s3.seen, [
    `POST ${key}?uploads`,
    ...Array(3).fill(`PUT ${key}?partNumber&uploadId`),
    `POST ${key}?uploadId`,
  ]);
  const kept = s3.objects.get(key)!.bytes;
  assert.equal(kept.length, sound.length);
  assert.equal(Uint8Array.from(kept).every((byte, i) => byte === sound[i]), true);
  assert.equal(s3.uploads.size, 0);
});

Deno.test("s3Blobs() takes an upload back that fails, and keeps the audio on the disk", async () => {
  await using s3 = startS3();
  const { disk, blobs } = blobsAt(s3);
  await blobs.write(account, sid, 0, bytes(9 << 20));
  s3.refuse = (_, query) => query.get("partNumber") === "2" ? 503 : undefined;

  await assert.rejects(blobs.settle(account, sid, signal), /storage answered 503 SlowDown/);

  assert.deepEqual([s3.uploads.size, s3.objects.size], [0, 0]);
  assert.equal(await disk.size(account, sid), 9 << 20);
  s3.refuse = () => undefined;
  await blobs.settle(account, sid, signal);
  assert.equal(s3.objects.get(key)?.bytes.length, 9 << 20);
});

Deno.test("s3Blobs() says what the storage refuses: a wrong key, a bucket that is not there", async () => {
  await using s3 = startS3();
  const { blobs } = blobsAt(s3, { secretAccessKey: "another" });
  await blobs.write(account, sid, 0, bytes(10));
  const wrong = /storage answered 403 SignatureDoesNotMatch/;
  await assert.rejects(blobs.settle(account, sid, signal), wrong);
  s3.refuse = () => 404;
  const { blobs: others } = blobsAt(s3);
  await others.write(account, sid, 0, bytes(10));
  await assert.rejects(others.settle(account, sid, signal), /no such bucket/);
});

Deno.test("s3Blobs() links to what is settled: signed for a short time, or open", async () => {
  await using s3 = startS3();
  const { blobs } = blobsAt(s3);
  await blobs.write(account, sid, 0, bytes(10));
  await blobs.settle(account, sid, signal);

  const link = (await blobs.link(account, sid, "GET"))!;
  const answer = await fetch(link, { headers: { range: "bytes=2-4" } });
  assert.deepEqual([answer.status, await answer.bytes()], [206, bytes(10).slice(2, 5)]);
  assert.equal(new URL(link).searchParams.get("X-Amz-Expires"), "300");
  for (const wrong of [link.replace("X-Amz-Expires=300", "X-Amz-Expires=900"), link + "0"]) {
    assert.equal((await fetch(wrong).then((it) => (it.body?.cancel(), it))).status, 403);
  }
  const head = (await blobs.link(account, sid, "HEAD"))!;
  assert.equal((await fetch(head, { method: "HEAD" })).headers.get("content-length"), "10");

  const { blobs: open } = blobsAt(s3, { isOpen: true });
  assert.equal(await open.link(account, sid, "GET"), `${s3.url}/recordings/${key}`);
});

Deno.test("s3Blobs() sends two at a time, so that memory is bounded", async () => {
  await using s3 = startS3();
  const memory = memoryBlobs();
  let [now, most] = [0, 0];
  const { blobs } = blobsAt(s3, {}, {
    ...memory,
    get(...args) {
      most = Math.max(most, ++now);
      return memory.get(...args);
    },
    remove: (...args) => (now--, memory.remove(...args)),
  });
  const sids = Array.from({ length: 6 }, (_, i) => `RE${String(i).padStart(32, "0")}`);
  for (const each of sids) await blobs.write(account, each, 0, bytes(1_000));
  await Promise.all(sids.map((each) => blobs.settle(account, each, signal)));

  assert.deepEqual([s3.objects.size, most], [6, 2]);
});
