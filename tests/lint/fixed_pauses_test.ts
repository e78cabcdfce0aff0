import assert from "node:assert/strict";
import plugin, { pausing } from "./fixed_pauses.ts";

const root = new URL("../../", import.meta.url);

const found = (text: string, file = "/repository/tests/sip/some_test.ts") =>
  Deno.lint.runPlugin(plugin, file, text).length;

const pauses = [
  "await new Promise((wake) => setTimeout(wake, 50));",
  "await new Promise(function (wake) { setTimeout(wake, ms); });",
  "const pause = (ms: number) => new Promise<void>((wake) => { setTimeout(() => wake(), ms); });",
  "while (!isTrue()) await new Promise((wake) => setTimeout(wake, 5));",
  'import { setTimeout } from "node:timers/promises";',
  'import { delay } from "@std/async/delay";',
  "await page.waitForTimeout(500);",
];

for (const pause of pauses) {
  Deno.test(`the lint rule finds the fixed pause of ${pause}`, () => {
    assert.equal(found(pause), 1);
  });
}

const waits = [
  'await eventually("it rings", () => phone.isRinging);',
  'import { setImmediate } from "node:timers/promises";',
  "await new Promise((turn) => setTimeout(turn));",
  "await new Promise((turn) => setTimeout(turn, 0));",
  "const late = setTimeout(() => stop(), 5_000);",
  "await new Promise<void>((resolve) => { const timer = setTimeout(resolve, ms); wake = () => clearTimeout(timer); });",
];

for (const wait of waits) {
  Deno.test(`the lint rule lets pass ${wait}`, () => {
    assert.equal(found(wait), 0);
  });
}

Deno.test("a file that may pause does, and says why", async () => {
  for (const [file, reason] of Object.entries(pausing)) {
    const text = await Deno.readTextFile(new URL(file, root));
    assert.ok(found(text) > 0, `${file} pauses no more: take it off the list`);
    assert.equal(found(text, `/repository/${file}`), 0);
    assert.match(reason, /^[A-Z].{20,}/, file);
  }
});

Deno.test("the lint runs the rule against fixed pauses", async () => {
  const { lint } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  assert.deepEqual(lint.plugins, ["./tests/lint/fixed_pauses.ts"]);
});
