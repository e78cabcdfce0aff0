import assert from "node:assert/strict";
import { limits } from "../../../core/base/limits.ts";
import { createInvalidations } from "../../../core/companions/invalidations.ts";

/** Companions whose messages are answered when the test says so. */
function start() {
  const sent: { url: string; logins: string[]; answer: (error?: Error) => void }[] = [];
  let now = 0;
  const forget = createInvalidations((url) => ({
    invalidate({ logins }) {
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, never>>();
      sent.push({ url, logins, answer: (error) => error ? reject(error) : resolve({}) });
      return promise;
    },
  }), () => now);
  return { sent, forget, pass: (ms: number) => void (now += ms) };
}

Deno.test("logins that wait at once go to a companion in one message", async () => {
  const { sent, forget } = start();
  const first = forget("http://one", ["a"]);
  const others = [["b"], ["c", "d"], ["b"]].map((logins) => forget("http://one", logins));
  const elsewhere = forget("http://two", ["e"]);

  assert.deepEqual(sent.map(({ url, logins }) => [url, logins]), [
    ["http://one", ["a"]],
    ["http://two", ["e"]],
  ]);
  sent[0]!.answer();
  sent[1]!.answer();
  await Promise.all([first, elsewhere]);
  assert.deepEqual(sent[2]?.logins, ["b", "c", "d"]);
  sent[2]!.answer();
  await Promise.all(others);
  assert.equal(sent.length, 3);
});

Deno.test("a message that fails ends the wait of those behind it, and the next one is tried", async () => {
  const { sent, forget } = start();
  const [first, second] = ["a", "b"].map((login) => forget("http://one", [login]));
  sent[0]!.answer(new Error("it hangs"));
  await assert.rejects(first!, /it hangs/);
  await assert.rejects(second!, /it hangs/);

  const third = forget("http://one", ["c"]);
  sent[1]!.answer();
  await third;
  assert.deepEqual(sent.map(({ logins }) => logins), [["a"], ["c"]]);
});

Deno.test("no request waits for a companion that has left a message unanswered", async () => {
  const { sent, forget, pass } = start();
  const first = forget("http://one", ["a"]);
  pass(limits.inForceMs + 1);

  await assert.rejects(forget("http://one", ["b"]), { code: 20503 });

  sent[0]!.answer();
  await first;
});
