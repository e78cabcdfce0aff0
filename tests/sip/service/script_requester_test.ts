import assert from "node:assert/strict";
import type { Report, ScriptAnswer } from "../../../core/protocol/companion.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createScriptRequester } from "../../../sip/service/script_requester.ts";
import { ServiceError, type ServiceLink } from "../../../sip/service/service_link.ts";
import { handClock } from "../../support/process/hand_clock.ts";

const reportOf = (number: number, accountSid = "AC"): Report => ({
  companion: { id: "test", runId: "1" },
  leg: `CA${String(number).padStart(32, "0")}`,
  accountSid,
  seq: 0,
  at: 0,
  event: { type: "answered" },
  wantsScript: true,
});

type Asking = Parameters<ServiceLink["scripts"]>[1];

interface Request extends Asking {
  /** The questions in it, by number. */
  numbers: number[];
  over: PromiseWithResolvers<void>;
}

/** A service whose requests wait until the test answers them. */
function heldService() {
  const requests: Request[] = [];
  const clock = handClock();
  const timers = { ...clock, pause: () => Promise.resolve(), clear() {} };
  const ask = createScriptRequester({
    scripts({ reports }, waiting) {
      const over = Promise.withResolvers<void>();
      requests.push({ ...waiting, numbers: reports.map(({ leg }) => Number(leg.slice(2))), over });
      return over.promise;
    },
  }, timers);
  const never = new AbortController().signal;
  return {
    requests,
    clock,
    numbers: () => requests.map(({ numbers }) => numbers),
    ask: (number: number, signal = never) => ask(reportOf(number), signal),
    askFor: (accountSid: string, number: number) => ask(reportOf(number, accountSid), never),
  };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const hangup = (at: number): ScriptAnswer => ({
  at,
  outcome: "taken",
  script: [{ type: "hangup" }],
});

Deno.test("ask() sends at once, and together what comes before an answer has begun", async () => {
  const { requests, numbers, ask } = heldService();
  const first = ask(1);
  await turn();
  const late = [ask(2), ask(3)];
  await turn();
  assert.deepEqual(numbers(), [[1]]);

  requests[0]!.onBegin();
  await turn();
  assert.deepEqual(numbers(), [[1], [2, 3]]);

  // Those that came later are answered before it, each by itself.
  requests[1]!.onBegin();
  requests[1]!.onAnswer(hangup(1));
  assert.deepEqual(await late[1], [{ type: "hangup" }]);
  requests[1]!.onAnswer({ at: 0, outcome: "taken", script: [] });
  assert.deepEqual(await late[0], []);
  requests[0]!.onAnswer(hangup(0));
  assert.deepEqual(await first, [{ type: "hangup" }]);
});

Deno.test("requestScript() bounds the wait for other responses, and the size of a group", async () => {
  const { clock, numbers, ask } = heldService();
  void ask(0);
  await turn();
  for (let number = 1; number <= sipLimits.scriptRequestsAtOnce + 1; number++) void ask(number);
  clock.advance(sipLimits.scriptRequestsWaitMs);
  await turn();
  clock.advance(sipLimits.scriptRequestsWaitMs);
  await turn();

  assert.deepEqual(numbers().map(({ length }) => length), [1, sipLimits.scriptRequestsAtOnce, 1]);
});

Deno.test("ask() rejects each question with what became of it, all of a request that failed", async () => {
  const { requests, ask } = heldService();
  const mixed = [ask(1), ask(2), ask(3), ask(4)];
  await turn();
  const outcomes = ["outage", "defect", "refused"] as const;
  outcomes.forEach((outcome, at) => requests[0]!.onAnswer({ at, outcome, script: [] }));
  requests[0]!.over.resolve(); // Without a word on the last one.
  const failures = await Promise.allSettled(mixed);
  const broken = [ask(5), ask(6)];
  await turn();
  requests[1]!.over.reject(new Error("it broke off"));

  assert.deepEqual(
    failures.map((one) => one.status === "rejected" && one.reason.failure),
    ["outage", "defect", "refusal", "outage"],
  );
  for (const question of broken) await assert.rejects(question, /it broke off/);
});

Deno.test("ask() asks each alone where one cannot be read, so that it alone is refused", async () => {
  const { requests, numbers, ask } = heldService();
  const questions = [ask(1), ask(2), ask(3)];
  await turn();
  requests[0]!.onAnswer(hangup(0));
  requests[0]!.over.reject(new ServiceError("post", "the service answered 400", "refusal"));
  await turn();
  assert.deepEqual(numbers(), [[1, 2, 3], [2], [3]]);
  requests[1]!.onAnswer(hangup(0));
  requests[2]!.over.reject(new ServiceError("post", "the service answered 400", "refusal"));

  assert.deepEqual(await questions[0], [{ type: "hangup" }]);
  assert.deepEqual(await questions[1], [{ type: "hangup" }]);
  await assert.rejects(questions[2]!, /answered 400/);
  assert.equal(requests.length, 3);
});

Deno.test("requestScript() aborts a request when all its legs have left", async () => {
  const { requests, numbers, ask } = heldService();
  const leave = [1, 2, 3].map(() => new AbortController());
  const [first, second] = [ask(1, leave[0]!.signal), ask(2, leave[1]!.signal)];
  await turn();
  const third = ask(3, leave[2]!.signal);

  leave[2]!.abort();
  leave[0]!.abort();
  await assert.rejects(first, /Nobody waits/);
  await assert.rejects(third, /Nobody waits/);
  assert.equal(requests[0]!.signal.aborted, false);
  leave[1]!.abort();
  await assert.rejects(second, /Nobody waits/);
  assert.equal(requests[0]!.signal.aborted, true);
  requests[0]!.over.reject(new Error("given up"));
  await turn();

  assert.deepEqual(numbers(), [[1, 2]]);
});

Deno.test("requestScript() takes tenants in turns, so that none waits for the flood of another", async () => {
  const { requests, numbers, askFor } = heldService();
  void askFor("AC1", 0);
  await turn();
  for (let number = 1; number <= 200; number++) void askFor("AC1", number);
  void askFor("AC2", 1_000);
  void askFor("AC3", 2_000);
  requests[0]!.onBegin();
  await turn();
  assert.equal(numbers()[1]!.length, sipLimits.scriptRequestsAtOnce);
  assert.deepEqual(numbers()[1]!.slice(0, 4), [1, 1_000, 2_000, 2]);
});
