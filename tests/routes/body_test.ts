import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { readBody } from "../../routes/http/body.ts";

/** A form, sent with its length or in chunks without one. */
function formOf(bytes: Uint8Array<ArrayBuffer>, isChunked: boolean): Request {
  const headers = new Headers({ "Content-Type": "application/x-www-form-urlencoded" });
  if (!isChunked) headers.set("Content-Length", String(bytes.length));
  const body = isChunked ? ReadableStream.from([bytes.subarray(0, 7), bytes.subarray(7)]) : bytes;
  return new Request("http://localhost/", { method: "POST", headers, body });
}

const all = () => true;

for (const [way, isChunked] of [["with a length", false], ["in chunks", true]] as const) {
  Deno.test(`readBody() reads text that was sent ${way}`, async () => {
    const form = new TextEncoder().encode("Body=Zoë 名前");

    assert.deepEqual(await readBody(formOf(form, isChunked), all), new Map([["Body", "Zoë 名前"]]));
  });

  Deno.test(`readBody() refuses what is too long, or no UTF-8, and was sent ${way}`, async () => {
    const long = new Uint8Array(limits.bodyBytes + 1).fill(0x61);
    const noText = Uint8Array.of(0x61, 0x3d, 0x62, 0x62, 0x62, 0x62, 0x62, 0xff);

    await assert.rejects(readBody(formOf(long, isChunked), all), { fault: "tooLarge" });
    await assert.rejects(readBody(formOf(noText, isChunked), all), { fault: "badParameter" });
  });
}

const json = (text: string) =>
  readBody(
    new Request("http://localhost/", {
      method: "POST",
      body: text,
      headers: { "Content-Type": "application/json" },
    }),
    all,
  );

Deno.test("readBody() takes no more JSON values and parameters than the limits say", async () => {
  const names = Array.from({ length: limits.parameters }, (_, n) => `"a${n}":1`);
  const inText = JSON.stringify({ Body: "[,{".repeat(9_000) });

  assert.equal((await json(`{${names.join(",")}}`)).size, limits.parameters);
  assert.equal((await json(inText)).size, 1);
  for (
    const text of [`{"a":[${"1,".repeat(400_000)}1]}`, "[".repeat(500_000), '{"a":'.repeat(9e4)]
  ) {
    await assert.rejects(json(text), /must have at most 4000 JSON values/);
  }
  await assert.rejects(json(`{${names.join(",")},"b":1}`), /at most 1000 parameters/);
  await assert.rejects(json(`{${names.slice(0, 9).join(",")},"a3":1}`), /a3 must be given once/);
  await assert.rejects(
    readBody(formOf(new TextEncoder().encode("a&".repeat(500_000)), false), all),
    /at most 1000 parameters/,
  );
});
