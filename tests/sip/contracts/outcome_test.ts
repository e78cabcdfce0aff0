import assert from "node:assert/strict";
import { bestStatus, outcomeOf, refusedEnding } from "../../../sip/contracts/outcome.ts";

Deno.test("outcomeOf() tells busy, unanswered and cancelled calls from failed ones", () => {
  const outcomes = [408, 486, 487, 600, 603, 302, 404, 480, 500, 503, 604].map(outcomeOf);

  assert.deepEqual(outcomes, [
    "no-answer",
    "busy",
    "canceled",
    "busy",
    "busy",
    ...Array(6).fill("failed"),
  ]);
});

Deno.test("bestStatus() believes a 6xx, then 486, then the other 4xx", () => {
  assert.equal(bestStatus([404, 603, 486]), 603);
  assert.equal(bestStatus([500, 486, 404]), 486);
  assert.equal(bestStatus([503, 404, 408]), 404);
  assert.equal(bestStatus([503, 408]), 408);
  assert.equal(bestStatus([]), 480);
});

Deno.test("a callee that answers 487 by itself has failed: it was sent no CANCEL", () => {
  assert.deepEqual(refusedEnding(487), {
    outcome: "failed",
    sipStatus: 487,
    disconnection: { by: "remote", cause: "refused" },
  });
});
