import assert from "node:assert/strict";
import { readEvents, type SentEvent } from "../../../core/webhooks/read_events.ts";

/** The events of a text that comes in pieces of some length. */
async function eventsOf(text: string, length: number): Promise<SentEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / length) },
    (_, n) => bytes.slice(n * length, (n + 1) * length),
  );
  return await Array.fromAsync(readEvents(ReadableStream.from(pieces)));
}

const text = 'retry: 2000\n: alive\n\nid: 1\ndata: {"a":"Zoë"}\n\nevent: end\r\ndata: one\r\n' +
  "data:two\r\n\r\nid: 3\n\nevent: none\n\nunknown: 1\ndata\n\ndata: cut off";

Deno.test("readEvents() reads events, their names, ids and lines, however the bytes are cut", async () => {
  const expected = [
    { name: "message", id: "1", data: '{"a":"Zoë"}' },
    { name: "end", id: "1", data: "one\ntwo" },
    { name: "message", id: "3", data: "" },
  ];
  for (const length of [1, 2, 3, 7, 1_000]) {
    assert.deepEqual(await eventsOf(text, length), expected, String(length));
  }
});
