import assert from "node:assert/strict";
import { protocolLimits } from "../../../core/protocol/companion.ts";
import { limits } from "../../../core/base/limits.ts";
import { createAbsentLogins } from "../../../core/companions/absent_logins.ts";

/** Those of a service that has run for long enough to know what companions have asked. */
function started() {
  let now = 0;
  const absent = createAbsentLogins({ steadyNow: () => now, isShared: false });
  assert.equal(absent.mayBeKept("any"), true, "what was asked before the start is not known");
  now += protocolLimits.absentLoginMs;
  return { absent, pass: (ms: number) => void (now += ms) };
}

Deno.test("a login that no companion has asked for is kept by none", () => {
  const { absent } = started();

  absent.noteQuery("alice");

  assert.equal(absent.mayBeKept("alice"), true);
  assert.equal(absent.mayBeKept("bob"), false);
});

Deno.test("a login is kept for as long as an answer may be under way and be kept", () => {
  const { absent, pass } = started();
  pass(limits.loginAnswerMs - 1);
  absent.noteQuery("alice");

  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeKept("alice"), true);
  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeKept("alice"), false);
  assert.equal(absent.mayBeKept("bob"), false);
});

Deno.test("each login may be kept after more queries than are remembered", () => {
  const { absent, pass } = started();

  for (let i = 0; i <= limits.askedLogins; i++) absent.noteQuery(`login${i}`);

  assert.equal(absent.mayBeKept("bob"), true);
  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeKept("bob"), true);
  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeKept("bob"), false);
});

Deno.test("each login may be kept where other services answer companions too", () => {
  const absent = createAbsentLogins({ steadyNow: () => 1e9, isShared: true });
  assert.equal(absent.mayBeKept("bob"), true);
});
