import assert from "node:assert/strict";
import { protocolLimits } from "../../../core/protocol/companion.ts";
import { limits } from "../../../core/base/limits.ts";
import { createAbsentLogins } from "../../../core/companions/absent_logins.ts";

/** Those of a service that has run for long enough to know what companions have asked. */
function started() {
  let now = 0;
  const absent = createAbsentLogins({ steadyNow: () => now, isShared: false });
  assert.equal(absent.mayBeCached("any"), true, "what was asked before the start is not known");
  now += protocolLimits.absentLoginMs;
  return { absent, pass: (ms: number) => void (now += ms) };
}

Deno.test("a login that no companion has queried is cached by none", () => {
  const { absent } = started();

  absent.noteQuery("alice");

  assert.equal(absent.mayBeCached("alice"), true);
  assert.equal(absent.mayBeCached("bob"), false);
});

Deno.test("a login may be cached for as long as an answer may be under way and cached", () => {
  const { absent, pass } = started();
  pass(limits.loginAnswerMs - 1);
  absent.noteQuery("alice");

  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeCached("alice"), true);
  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeCached("alice"), false);
  assert.equal(absent.mayBeCached("bob"), false);
});

Deno.test("each login may be cached after more queries than are stored", () => {
  const { absent, pass } = started();

  for (let i = 0; i <= limits.askedLogins; i++) absent.noteQuery(`login${i}`);

  assert.equal(absent.mayBeCached("bob"), true);
  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeCached("bob"), true);
  pass(limits.loginAnswerMs);
  assert.equal(absent.mayBeCached("bob"), false);
});

Deno.test("each login may be cached where other services answer companions too", () => {
  const absent = createAbsentLogins({ steadyNow: () => 1e9, isShared: true });
  assert.equal(absent.mayBeCached("bob"), true);
});
