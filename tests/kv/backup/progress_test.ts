import assert from "node:assert/strict";
import { createProgress } from "../../../kv/backup/progress.ts";

/** Output while a step of 1,000 parts takes 20 s. */
function written(isTerminal: boolean): string {
  let [text, now] = ["", 0];
  const progress = createProgress((part) => void (text += part), { isTerminal, now: () => now });
  for (let done = 0; done <= 1_000; done += 10, now += 200) progress.at("Entries", done, 1_000);
  progress.over();
  return text;
}

Deno.test("progress is a bar on a terminal, that is drawn over itself", () => {
  const drawn = written(true).split("\r");
  assert.equal(drawn[1], `[${".".repeat(30)}]   0% Entries\x1b[K`);
  assert.equal(drawn[51], `[${"#".repeat(15)}${".".repeat(15)}]  50% Entries\x1b[K`);
  assert.equal(drawn.at(-1), `[${"#".repeat(30)}] 100% Entries\x1b[K\n`);
});

Deno.test("progress is a line every five seconds elsewhere, and one at the end of a step", () => {
  assert.deepEqual(written(false).split("\n"), [
    "Entries: 250 of 1,000",
    "Entries: 500 of 1,000",
    "Entries: 750 of 1,000",
    "Entries: 1,000 of 1,000",
    "",
  ]);
});
