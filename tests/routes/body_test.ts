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
