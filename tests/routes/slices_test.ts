import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { createTurns } from "../../core/base/turns.ts";
import { gzippedInPieces } from "../../core/machine/net/content_coding.ts";
import { writeInSlices } from "../../routes/http/slices.ts";
import { startApp } from "../support/service/app.ts";

/** Counts the turns that others have until it is stopped. */
function countTurns() {
  let [turns, isOver] = [0, false];
  const turn = () => {
    turns++;
    if (!isOver) setTimeout(turn, 0);
  };
  setTimeout(turn, 0);
  return () => {
    isOver = true;
    return turns;
  };
}

/** Keeps the loop for so many ms. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

Deno.test("a long list is written in pieces, in its order", async () => {
  const stop = countTurns();
  const written = await writeInSlices(Array.from({ length: 320 }, (_, n) => n), (n) => {
    if (n % 16 === 0) work(6);
    return n;
  });
  assert.ok(stop() > 5);
  assert.deepEqual(written, Array.from({ length: 320 }, (_, n) => n));
});

Deno.test("createTurns() waits for nothing while the work is short", () => {
  const turn = createTurns();
  assert.equal(turn(), undefined);
});

Deno.test("a long text is compressed in pieces, and a short one at once", async () => {
  const text = "é<&> a text that is long ".repeat(100_000);
  const stop = countTurns();
  const zipped = await new Response(gzippedInPieces(text)).bytes();
  assert.ok(stop() > 5);
  assert.equal(gunzipSync(zipped).toString(), text);
  const short = gzippedInPieces("short");
  assert.ok(short instanceof Uint8Array);
  assert.equal(gunzipSync(short).toString(), "short");
});

Deno.test("a stream of compressed text ends when its reader stops", async () => {
  const zipped = gzippedInPieces("a text that is long ".repeat(100_000));
  assert.ok(zipped instanceof ReadableStream);
  const reader = zipped.getReader();
  await reader.read();
  await reader.cancel();
});

Deno.test("a list of a thousand records is the same compressed and as it is", async () => {
  using app = await startApp();
  for (let n = 0; n < 600; n += 30) {
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        app.root.post("Applications.json", {
          FriendlyName: `${n + at}`,
        })),
    );
  }
  const { authToken } = (await app.ports.accounts.get(app.root.sid))!;
  const Authorization = `Basic ${btoa(`${app.root.sid}:${authToken}`)}`;
  for (const [version, xml] of [["2012-04-24", ""], ["2010-04-01", ".xml"]]) {
    for (const suffix of [".json", xml]) {
      const path = `/${version}/Accounts/${app.root.sid}/Applications${suffix}?PageSize=1000`;
      const plain = await app.http.request(path, { headers: { Authorization } });
      assert.equal(plain.status, 200);
      const headers = { Authorization, "Accept-Encoding": "gzip" };
      const zipped = await app.http.request(path, { headers });
      assert.equal(zipped.headers.get("Content-Encoding"), "gzip");
      const text = await plain.text();
      assert.equal(gunzipSync(await zipped.bytes()).toString(), text);
      assert.ok(text.length > 150_000);
    }
  }
});
