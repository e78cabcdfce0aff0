import assert from "node:assert/strict";
import { batchedEnd, type MessageEnd } from "../../../../sip/media/base/batched_end.ts";

/** Two ends of a channel that counts what crosses, and hands on the memory that is transferred. */
function channel() {
  const { port1, port2 } = new MessageChannel();
  let crossed = 0;
  const counting: MessageEnd<unknown[], unknown[]> = {
    postMessage(messages, transfer) {
      crossed++;
      port1.postMessage(messages, transfer);
    },
    onmessage: null,
  };
  port1.onmessage = (event) => counting.onmessage?.(event);
  return {
    one: batchedEnd<unknown, unknown>(counting),
    other: batchedEnd<unknown, unknown>(port2),
    crossed: () => crossed,
    [Symbol.dispose]: () => port1.close(),
  };
}

Deno.test("batchedEnd() sends what one turn says together, in its order, with its memory", async () => {
  using lab = channel();
  const heard: unknown[] = [];
  const all = Promise.withResolvers<void>();
  lab.other.onmessage = ({ data }) => heard.push(data) === 6 && all.resolve();
  const samples = Int16Array.of(1, 2, 3);

  for (const message of [1, 2, 3, 4]) lab.one.postMessage(message, []);
  await Promise.resolve().then(() => lab.one.postMessage(samples, [samples.buffer]));
  lab.one.postMessage(6, []);
  await all.promise;

  assert.deepEqual(heard, [1, 2, 3, 4, Int16Array.of(1, 2, 3), 6]);
  assert.equal(lab.crossed(), 1);
  assert.equal(samples.length, 0, "its memory has gone over");
});

Deno.test("batchedEnd() hands on the rest of what came together when one throws", async () => {
  using lab = channel();
  const thrown = Promise.withResolvers<string>();
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    thrown.resolve(event.message);
  };
  globalThis.addEventListener("error", onError);
  const last = Promise.withResolvers<void>();
  lab.other.onmessage = ({ data }) => {
    if (data === "bad") throw new Error("of the bad one");
    if (data === "last") last.resolve();
  };

  lab.one.postMessage("bad", []);
  lab.one.postMessage("last", []);
  await last.promise;

  assert.match(await thrown.promise, /of the bad one/);
  globalThis.removeEventListener("error", onError);
});
