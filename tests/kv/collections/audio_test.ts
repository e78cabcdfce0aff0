import assert from "node:assert/strict";
import { audio } from "../../../kv/collections/audio.ts";
import { memoryBlobs } from "../../support/service/memory_blobs.ts";
import { dice } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const [accountSid, sid] = ["AC01", "RE01"];

const bytesOf = async (stream: ReadableStream<Uint8Array<ArrayBuffer>> | null) =>
  stream && await new Response(stream).bytes();

Deno.test("audio in the store reads as on a disk, however it was written", async () => {
  using kv = await openDenoKv(":memory:");
  const [kept, expected] = [audio(kv), memoryBlobs()];
  const roll = dice(3);
  for (let n = 0; n < 40; n++) {
    const at = n === 0 ? 0 : roll(300_000);
    const bytes = crypto.getRandomValues(new Uint8Array(1 + roll(65_000)));
    for (const blobs of [kept, expected]) await blobs.write(accountSid, sid, at, bytes);
    const start = roll(400_000);
    const range = { start, end: start + roll(130_000) };
    assert.deepEqual(
      await bytesOf(await kept.get(accountSid, sid, range)),
      await bytesOf(await expected.get(accountSid, sid, range)),
    );
    assert.equal(await kept.size(accountSid, sid), await expected.size(accountSid, sid));
  }
  assert.deepEqual(
    await bytesOf(await kept.get(accountSid, sid)),
    await bytesOf(await expected.get(accountSid, sid)),
  );
});

Deno.test("audio in the store that is written at once may be longer than a commit", async () => {
  using kv = await openDenoKv(":memory:");
  const kept = audio(kv);
  const bytes = new Uint8Array(1_500_000).fill(7);
  await kept.write(accountSid, sid, 0, bytes);
  assert.deepEqual(await bytesOf(await kept.get(accountSid, sid)), bytes);
});

Deno.test("audio that is removed leaves nothing in the store, and cannot be appended to", async () => {
  using kv = await openDenoKv(":memory:");
  const kept = audio(kv);
  await kept.write(accountSid, sid, 0, new Uint8Array(200_000));
  await kept.remove(accountSid, sid);

  assert.equal(await kept.size(accountSid, sid), null);
  assert.equal(await kept.get(accountSid, sid), null);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: [] })), []);
  await assert.rejects(kept.write(accountSid, sid, 9, new Uint8Array(1)), { name: "Fault" });
});
