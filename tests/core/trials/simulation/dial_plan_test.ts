import assert from "node:assert/strict";
import type { Invitation, Step } from "../../../../core/protocol/script.ts";
import { cutAt, type Moment, planOf } from "../../../../core/trials/simulation/dial_plan.ts";
import { simulationTimes as times } from "../../../../core/trials/simulation/times.ts";

const parent = `CA${"f".repeat(32)}`;
const legOf = (n: number) => `CA${String(n).padStart(32, "0")}`;
const invitation = (n: number, to: string): Invitation => ({
  leg: legOf(n),
  accountSid: "AC",
  from: "+15005550006",
  to,
  target: { kind: "trunk", dialled: to, routes: [] },
});
const dial = (numbers: string[], more: Partial<Extract<Step, { type: "dial" }>> = {}) =>
  ({
    type: "dial",
    legs: numbers.map((to, n) => invitation(n, to)),
    media: "anchored",
    timeoutS: 30,
    timeLimitS: 3_600,
    ...more,
  }) as const;

const [answers, busy, silent, fails] = [
  "+15005550006",
  "+15005550011",
  "+15005550012",
  "+15005550013",
];

/** Events of each leg, in their order: type, outcome where it ended, and ms since the beginning. */
const told = (moments: readonly Moment[]) =>
  moments.map(({ leg, event, at }) => [
    Number(leg.slice(2)),
    event.type === "ended" ? event.outcome : event.type,
    at - 1_000,
  ]);

Deno.test("a Dial of one number rings, talks and ends", () => {
  const { moments, result } = planOf(dial([answers]), parent, 1_000);

  const { ringMs, answerMs, talkS } = times;
  assert.deepEqual(told(moments), [
    [0, "inviting", 0],
    [0, "ringing", ringMs],
    [0, "answered", answerMs],
    [0, "completed", answerMs + talkS * 1_000],
  ]);
  assert.deepEqual(result, {
    outcome: "completed",
    leg: legOf(0),
    durationS: talkS,
    ringS: answerMs / 1_000,
    answeredAt: 1_000 + answerMs,
  });
  assert.deepEqual(moments.map(({ seq }) => seq), [0, 1, 2, 3]);
});

Deno.test("of several numbers the first that answers talks, and the others are canceled", () => {
  const { moments, result } = planOf(dial([silent, busy, answers, answers]), parent, 1_000);

  const ends = told(moments).filter(([, what]) => /busy|canceled|completed/.test(String(what)));
  assert.deepEqual(ends, [
    [1, "busy", times.refusalMs],
    [0, "canceled", times.answerMs],
    [3, "canceled", times.answerMs],
    [2, "completed", times.answerMs + times.talkS * 1_000],
  ]);
  assert.equal(result.leg, legOf(2));
});

Deno.test("an unanswered Dial has the outcome of its last number", () => {
  assert.equal(planOf(dial([silent]), parent, 0).result.outcome, "no-answer");
  const { outcome, sipStatus, durationS } = planOf(dial([busy, fails]), parent, 0).result;
  assert.deepEqual([outcome, sipStatus, durationS], ["failed", 503, 0]);
});

Deno.test("a sequential Dial rings one number after the other, until one answers", () => {
  const step = dial([busy, silent, answers, answers], { sequential: true, timeoutS: 10 });
  const { moments } = planOf(step, parent, 1_000);

  const begun = told(moments).filter(([, what]) => what === "inviting");
  assert.deepEqual(begun, [
    [0, "inviting", 0],
    [1, "inviting", times.refusalMs],
    [2, "inviting", times.refusalMs + 10_000],
  ]);
});

Deno.test("a Dial keeps its time limit, and a number that rings for too short a time has no answer", () => {
  assert.equal(planOf(dial([answers], { timeLimitS: 2 }), parent, 0).result.durationS, 2);
  assert.equal(planOf(dial([answers], { timeoutS: 1 }), parent, 0).result.outcome, "no-answer");
});

Deno.test("a Dial that is cut ends legs that live, as what they are at the time", () => {
  const { moments } = planOf(dial([silent, answers]), parent, 1_000);
  const leftAt = (at: number) => moments.filter((moment) => moment.at > at);

  const ringing = 1_000 + times.ringMs;
  assert.deepEqual(told(cutAt(leftAt(ringing), ringing)).toSorted(), [
    [0, "canceled", times.ringMs],
    [1, "canceled", times.ringMs],
  ]);
  const talking = 1_000 + times.answerMs;
  assert.deepEqual(told(cutAt(leftAt(talking), talking)), [[1, "completed", times.answerMs]]);
  assert.deepEqual(cutAt(moments, 1_000), []); // None was rung yet.
  assert.deepEqual(cutAt([], 1_000), []);
});
