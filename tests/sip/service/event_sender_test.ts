import assert from "node:assert/strict";
import type { EventsAnswer, Report, SentReport } from "../../../core/protocol/companion.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createEventSender } from "../../../sip/service/event_sender.ts";
import { ServiceError } from "../../../sip/service/service_link.ts";

const reportOf = (number: number): Report => ({
  companion: { id: "test", runId: "1" },
  leg: `CA${String(number).padStart(32, "0")}`,
  accountSid: "AC",
  seq: 0,
  at: 0,
  event: { type: "ringing" },
  wantsScript: false,
});

type Outcomes = EventsAnswer["outcomes"];

/** A service whose requests wait until the test lets them go. */
function heldService() {
  const requests: { reports: SentReport[]; answer: PromiseWithResolvers<Outcomes> }[] = [];
  const tell = createEventSender({
    async events({ reports }) {
      const answer = Promise.withResolvers<Outcomes>();
      requests.push({ reports, answer });
      return { outcomes: await answer.promise };
    },
  });
  return { requests, tell };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("tell() sends at once, and together what comes while requests are under way", async () => {
  const { requests, tell } = heldService();
  const told: Promise<void>[] = [];
  for (let number = 0; number < sipLimits.eventsRequestsOfTenant; number++) {
    told.push(tell(() => reportOf(number), "AC"));
    await turn();
  }
  const late = [10, 11, 12].map((number) => tell(() => reportOf(number), "AC"));
  await turn();
  assert.deepEqual(requests.map(({ reports }) => reports.length), [1, 1]);

  requests[0]!.answer.resolve(["taken"]);
  await told[0];
  await turn();
  assert.deepEqual(requests[2]!.reports, [10, 11, 12].map(reportOf));

  requests[1]!.answer.resolve(["taken"]);
  requests[2]!.answer.resolve(["taken", "taken", "taken"]);
  await Promise.all([...told, ...late]);
});

Deno.test("tell() sends each alone where one is refused, so that the others are taken", async () => {
  const sent: number[] = [];
  const tell = createEventSender({
    events({ reports }) {
      sent.push(reports.length);
      const isRead = reports.every(({ leg }) => leg !== reportOf(2).leg);
      return isRead
        ? Promise.resolve({ outcomes: reports.map(() => "taken" as const) })
        : Promise.reject(new ServiceError("post", "the service answered 400", "refusal"));
    },
  });

  const outcomes = await Promise.allSettled(
    [1, 2, 3].map((number) => tell(() => reportOf(number), "AC")),
  );

  assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(sent, [3, 1, 1, 1]);
});

Deno.test("tell() rejects each report with what became of it", async () => {
  const tell = createEventSender({
    events: () =>
      Promise.resolve<EventsAnswer>({ outcomes: ["taken", "outage", "defect", "refused"] }),
  });

  const outcomes = await Promise.allSettled(
    [1, 2, 3, 4].map((number) => tell(() => reportOf(number), "AC")),
  );

  const failures = outcomes.map((one) =>
    one.status === "rejected" && one.reason instanceof ServiceError ? one.reason.failure : "none"
  );
  assert.deepEqual(failures, ["none", "outage", "defect", "refusal"]);
});

Deno.test("tell() rejects all of a request that failed, and goes on", async () => {
  let failures = 1;
  const tell = createEventSender({
    events: ({ reports }) =>
      failures-- > 0
        ? Promise.reject(new ServiceError("post", "503", "outage"))
        : Promise.resolve({ outcomes: reports.map(() => "taken" as const) }),
  });

  const first = await Promise.allSettled([
    tell(() => reportOf(1), "AC"),
    tell(() => reportOf(2), "AC"),
  ]);
  await tell(() => reportOf(3), "AC");

  assert.deepEqual(first.map(({ status }) => status), ["rejected", "rejected"]);
});

Deno.test("tell() sends events of tenants apart, and none waits for the answers of another", async () => {
  const { requests, tell } = heldService();
  const flood = Array.from({ length: 500 }, (_, number) => tell(() => reportOf(number), "AC1"));
  const more = Array.from({ length: 50 }, (_, number) => tell(() => reportOf(number), "AC2"));
  await turn();
  const other = tell(() => ({ ...reportOf(1), accountSid: "AC3" }), "AC3");
  await turn();
  const last = requests.at(-1)!;
  assert.deepEqual(last.reports.map(({ accountSid }) => accountSid), ["AC3"]);
  last.answer.resolve(["taken"]);
  await other;
  const settled = new Set<(typeof requests)[number]>([last]);
  const all = Promise.all([...flood, ...more]);
  let isOver = false;
  void all.then(() => isOver = true);
  while (!isOver) {
    for (const one of requests) {
      if (settled.has(one)) continue;
      settled.add(one);
      one.answer.resolve(one.reports.map(() => "taken"));
    }
    await turn();
  }
});
