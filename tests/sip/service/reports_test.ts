import assert from "node:assert/strict";
import type { SentReport } from "../../../core/protocol/companion.ts";
import { createReportQueue, type ReportOptions } from "../../../sip/service/reports.ts";
import type { MakeReport } from "../../../sip/service/event_sender.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { ServiceError } from "../../../sip/service/service_link.ts";
import { createTimers } from "../../../sip/base/timers.ts";

/** A queue whose service answers as told, attempt by attempt, without a rest between them. */
function startQueue(report: ReportOptions["requestScript"]) {
  const timers = { ...createTimers(), pause: () => Promise.resolve() };
  const attempts: SentReport[] = [];
  const dropped: string[] = [];
  const leg = new AbortController();
  const attempt: typeof report = (one, signal) => {
    attempts.push(one);
    return report(one, signal);
  };
  const queue = createReportQueue({
    companion: { id: "test", runId: "1" },
    requestScript: attempt,
    async sendEvent(make) {
      const one = make();
      if (one !== null) await attempt(one, new AbortController().signal);
    },
    timers,
    log: (line) => dropped.push(line),
    stopping: new AbortController().signal,
    stopped: new AbortController().signal,
  }, { id: `CA${"0".repeat(32)}`, accountSid: "AC", signal: leg.signal });
  return { queue, attempts, dropped, endLeg: () => leg.abort(), [Symbol.dispose]: timers.clear };
}

const outage = () => Promise.reject(new ServiceError("post", "503", "outage"));

Deno.test("send() repeats a report with its number until it is acknowledged, in order", async () => {
  let failures = 2;
  using lab = startQueue(() => failures-- > 0 ? outage() : Promise.resolve([]));

  void lab.queue.send({ type: "ringing" });
  void lab.queue.send({ type: "ended", outcome: "canceled" });
  await lab.queue.drained();

  const attempts = lab.attempts.map(({ seq, event }) => [seq, event.type]);
  assert.deepEqual(attempts, [[0, "ringing"], [0, "ringing"], [0, "ringing"], [1, "ended"]]);
});

Deno.test("send() drops a report that the service will never take", async () => {
  using lab = startQueue(() => Promise.reject(new ServiceError("post", "400", "refusal")));

  const script = await lab.queue.send({ type: "ringing" });

  assert.deepEqual(script, []);
  assert.equal(lab.attempts.length, 1);
  assert.deepEqual(lab.dropped, ["Dropped a report"]);
});

Deno.test("send() drops a report that makes the service fail, and goes on", async () => {
  using lab = startQueue(({ seq }) =>
    seq === 0 ? Promise.reject(new ServiceError("post", "500", "defect")) : Promise.resolve([])
  );

  void lab.queue.send({ type: "ringing" });
  void lab.queue.send({ type: "ended", outcome: "completed" });
  await lab.queue.drained();

  const attempts = lab.attempts.map(({ seq }) => seq);
  assert.deepEqual(attempts, [...Array(sipLimits.reportDefects).fill(0), 1]);
  assert.deepEqual(lab.dropped, ["Dropped a report"]);
});

Deno.test("send() repeats a report for as long as the service is out of reach", async () => {
  let failures = 5 * sipLimits.reportDefects;
  using lab = startQueue(() => failures-- > 0 ? outage() : Promise.resolve([]));

  await lab.queue.send({ type: "ringing" });

  assert.equal(lab.attempts.length, 5 * sipLimits.reportDefects + 1);
  assert.deepEqual(lab.dropped, []);
});

Deno.test("send() sends events once no script is awaited", async () => {
  const asked = Promise.withResolvers<void>();
  using lab = startQueue((report, signal) => {
    if (!report.wantsScript) return Promise.resolve([]);
    asked.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  });
  const waiting = new AbortController();

  const answer = lab.queue.send({ type: "answered" }, { signal: waiting.signal });
  await asked.promise;
  waiting.abort();
  const script = await answer;
  void lab.queue.send({ type: "ended", outcome: "completed" });
  await lab.queue.drained();

  assert.deepEqual(script, []);
  const attempts = lab.attempts.map(({ seq, wantsScript }) => [seq, wantsScript]);
  assert.deepEqual(attempts, [[0, true], [0, false], [1, false]]);
});

Deno.test("send() resolves with the script of the answer", async () => {
  using lab = startQueue(() => Promise.resolve([{ type: "hangup" }]));

  const script = await lab.queue.send({ type: "answered" }, {
    signal: new AbortController().signal,
  });

  assert.deepEqual(script, [{ type: "hangup" }]);
});

Deno.test("send() says with an action that the leg is over, and nothing of that before", async () => {
  using lab = startQueue(() => Promise.resolve([]));
  const action = { url: "https://app.test/next", method: "POST" as const, hops: 0 };
  const left = { type: "left", conferenceSid: "CF", outcome: "completed", durationS: 1 } as const;

  await lab.queue.send({ ...left, action });
  lab.endLeg();
  await lab.queue.send({ ...left, action });
  await lab.queue.send(left);

  assert.deepEqual(lab.attempts.map(({ hasEnded }) => hasEnded), [undefined, true, undefined]);
});

const inviting = { type: "inviting", from: "a", to: "b", sipCallId: "1" } as const;

/** The number and type of a report and, apart, those that come with it. */
const shapeOf = ({ seq, event, wantsScript }: SentReport) => {
  const isTogether = event.type === "together";
  const { type } = isTogether ? event.event : event;
  const earlier = isTogether ? event.earlier.map((one) => `${one.seq} ${one.event.type}`) : [];
  return [...earlier, `${seq} ${type}${wantsScript ? "?" : ""}`].join(", ");
};

Deno.test("send() sends what happens until the answer together while it is not taken", async () => {
  const first = Promise.withResolvers<[]>();
  using lab = startQueue(({ seq }) => seq === 0 ? first.promise : Promise.resolve([]));
  const waiter = { signal: new AbortController().signal };

  const told = lab.queue.send(inviting);
  await Promise.resolve(); // It is on its way.
  const rung = lab.queue.send({ type: "ringing" });
  const answered = lab.queue.send({ type: "answered" }, waiter);
  const ended = lab.queue.send({ type: "ended", outcome: "completed" });
  first.resolve([]);
  await Promise.all([told, rung, answered, ended]);

  assert.deepEqual(lab.attempts.map(shapeOf), ["0 inviting", "1 ringing, 2 answered?", "3 ended"]);
});

Deno.test("send() asks with what was to be sent as events, and gives the script to the last", async () => {
  const timers = { ...createTimers(), pause: () => Promise.resolve() };
  const held: MakeReport[] = [];
  const asked: SentReport[] = [];
  const queue = createReportQueue({
    companion: { id: "test", runId: "1" },
    requestScript(report) {
      asked.push(report);
      return Promise.resolve([{ type: "hangup" }]);
    },
    sendEvent(make) {
      held.push(make);
      return new Promise(() => {}); // Other requests are under way.
    },
    timers,
    log: () => {},
    stopping: new AbortController().signal,
    stopped: new AbortController().signal,
  }, { id: `CA${"0".repeat(32)}`, accountSid: "AC", signal: new AbortController().signal });

  const told = queue.send(inviting);
  await Promise.resolve();
  const rung = queue.send({ type: "ringing" });
  const script = queue.send({ type: "answered" }, { signal: new AbortController().signal });

  assert.deepEqual(await Promise.all([told, rung, script]), [[], [], [{ type: "hangup" }]]);
  assert.deepEqual(asked.map(shapeOf), ["0 inviting, 1 ringing, 2 answered?"]);
  assert.deepEqual(held.map((make) => make()), [null]);
  timers.clear();
});

Deno.test("send() sends each alone where the service does not take them together", async () => {
  using lab = startQueue(({ event }) =>
    event.type === "together"
      ? Promise.reject(new ServiceError("post", "400", "refusal"))
      : Promise.resolve([])
  );

  void lab.queue.send(inviting);
  void lab.queue.send({ type: "ringing" });
  void lab.queue.send({ type: "answered" });
  await lab.queue.drained();

  const shapes = ["0 inviting, 1 ringing, 2 answered", "0 inviting", "1 ringing", "2 answered"];
  assert.deepEqual(lab.attempts.map(shapeOf), shapes);
  assert.deepEqual(lab.dropped, []);
});

Deno.test("send() lets the report that makes a call of a Dial go alone", async () => {
  using lab = startQueue(() => Promise.resolve([]));

  void lab.queue.send({ ...inviting, parent: `CA${"1".repeat(32)}` });
  void lab.queue.send({ type: "ringing" });
  void lab.queue.send({ type: "answered" });
  await lab.queue.drained();

  assert.deepEqual(lab.attempts.map(shapeOf), ["0 inviting", "1 ringing, 2 answered"]);
});
