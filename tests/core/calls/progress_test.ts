import assert from "node:assert/strict";
import { end, follows, progress, type Step } from "../../../core/calls/progress.ts";
import { callStatus, isLive } from "../../../core/model/values/status.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import { type Call, calls } from "../../../core/model/resources/calls.ts";
import type { Delivery } from "../../../core/model/resources/deliveries.ts";

const moment = { at: 61_400, instanceId: "test" };
const call = (known: Partial<Call>): Call => {
  const base = { sid: "CA1", accountSid: "AC1", dateCreated: 1_000, dateUpdated: 1_000 };
  const sent = { from: "me", to: "client:alice", ...known };
  return { ...base, ...withDefaults(calls, sent) } as Call;
};
const observed = {
  statusCallback: "https://app.test/events",
  statusCallbackEvent: ["initiated", "ringing", "answered", "completed"] as Call[
    "statusCallbackEvent"
  ],
};

/** Every step from every status: where it leads, or that it changes nothing. */
const leadsTo: Record<Step, Partial<Record<Call["status"], Call["status"]>>> = {
  "initiated": { "queued": "queued" },
  "ringing": { "queued": "ringing" },
  "in-progress": { "queued": "in-progress", "ringing": "in-progress" },
  "completed": { "in-progress": "completed" },
  "busy": { "queued": "busy", "ringing": "busy" },
  "no-answer": { "queued": "no-answer", "ringing": "no-answer" },
  "canceled": { "queued": "canceled", "ringing": "canceled" },
  "failed": { "queued": "failed", "ringing": "failed" },
};

for (const step of Object.keys(follows) as Step[]) {
  for (const status of callStatus.options) {
    const expected = leadsTo[step][status];
    Deno.test(`progress() of ${status} by ${step} ${expected ? "moves on" : "does nothing"}`, () => {
      const before = call({ status, ...observed });
      const { record, jobs = [] } = progress(before, step, moment);
      assert.equal(record.status, expected ?? status);
      assert.equal(jobs.length, expected === undefined ? 0 : 1);
      if (expected === undefined) assert.equal(record, before);
    });
  }
}

Deno.test("progress() fires initiated once, however often the INVITE is reported", () => {
  const { record } = progress(call(observed), "initiated", moment);
  assert.equal(progress(record, "initiated", moment).record, record);
});

Deno.test("progress() counts the duration from the answer and rounds it", () => {
  const answered = call({ status: "in-progress", answeredAt: 1_000, startTime: 500 });
  const { record } = progress(answered, "completed", moment);
  assert.deepEqual([record.duration, record.endTime, record.price], [60, 61_400, "0.00"]);
});

Deno.test("progress() sends completed alone when no events were asked for", () => {
  const wanted = call({ statusCallback: observed.statusCallback });
  const ringing = progress(wanted, "ringing", moment);
  assert.deepEqual(ringing.jobs ?? [], []);
  const ended = progress(ringing.record, "no-answer", moment);
  const base = { sid: "WD1", accountSid: "AC1", dateCreated: 0, dateUpdated: 0 };
  const [told] = ended.jobs!.map(({ shown }) => shown!.make(base).record as Delivery);
  assert.deepEqual([told!.event, told!.callSid, told!.status], ["call.completed", "CA1", "queued"]);
  assert.deepEqual(told!.requestVariables, {
    AccountSid: "AC1",
    ApiVersion: "2012-04-24",
    CallDuration: "0",
    CallSid: "CA1",
    CallStatus: "no-answer",
    CallTimestamp: "1970-01-01T00:00:01.000Z",
    CallbackSource: "call-progress-events",
    Direction: "outbound-api",
    From: "me",
    InstanceId: "test",
    SequenceNumber: "0",
    Timestamp: "Thu, 01 Jan 1970 00:01:01 +0000",
    To: "client:alice",
  });
});

for (const status of callStatus.options.filter(isLive)) {
  Deno.test(`end() closes a call that is ${status}`, () => {
    const { record } = end(call({ status }), "failed", moment);
    assert.equal(record.status, status === "in-progress" ? "completed" : "failed");
  });
}
