import assert from "node:assert/strict";
import { createAdmission, type Verdict } from "../../../sip/base/admission.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { register, request, uri } from "../../support/sip/phone_text.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";

const bounds = { connectionsPerAddress: 3, unauthenticatedRequestsPerS: 10 };
/** What the bounds come to: at once from one connection, and from one address. */
const burst = { connection: 5, address: 100 };

function startAdmission() {
  const clock = handClock();
  const admission = createAdmission({ bounds, now: clock.now });
  using lab = openReceiveLab("example.com");
  return { clock, admission, flow: (host: string) => lab.connect(host).flow };
}

const times = (count: number, verdict: () => Verdict) => Array.from({ length: count }, verdict);

Deno.test("connect() gives an address so many places, and others theirs", () => {
  const { admission } = startAdmission();
  const leave = [1, 2, 3].map(() => admission.connect("192.0.2.1"));

  assert.equal(admission.connect("192.0.2.1"), undefined);
  assert.equal(admission.connect("::ffff:192.0.2.1"), undefined);
  assert.notEqual(admission.connect("192.0.2.2"), undefined);
  leave[0]?.();

  assert.notEqual(admission.connect("192.0.2.1"), undefined);
});

Deno.test("connect() slows an address down that connects and leaves all the time", () => {
  const { admission, clock } = startAdmission();

  for (let i = 0; i < burst.address; i++) admission.connect("192.0.2.1")?.();
  assert.equal(admission.connect("192.0.2.1"), undefined);
  clock.advance(1_000);

  assert.notEqual(admission.connect("192.0.2.1"), undefined);
});

Deno.test("judge() refuses a source above its rate once, then closes its connection", () => {
  const { admission, flow, clock } = startAdmission();
  const stranger = flow("192.0.2.1");
  const judge = () => admission.judge(stranger);

  assert.deepEqual(new Set(times(burst.connection, judge)), new Set(["serve"]));
  assert.equal(judge(), "refuse");
  assert.deepEqual(new Set(times(burst.connection - 2, judge)), new Set(["ignore"]));
  assert.equal(judge(), "cut");
  clock.advance(burst.connection * 4_000);

  assert.equal(judge(), "serve");
});

Deno.test("judge() counts the connections of an address together, and no other address", () => {
  const { admission, flow } = startAdmission();

  const verdicts = times(2 * burst.address, () => admission.judge(flow("192.0.2.1")));

  assert.equal(verdicts.filter((verdict) => verdict === "serve").length, burst.address);
  assert.equal(admission.judge(flow("192.0.2.2")), "serve");
});

Deno.test("judge() lets those alone who have proven a login", () => {
  const { admission, flow } = startAdmission();
  const known = flow("192.0.2.1");
  known.logins.add("alice");

  const verdicts = times(3 * burst.address, () => admission.judge(known));

  assert.deepEqual(new Set(verdicts), new Set(["serve"]));
});

Deno.test("judge() has no bound where none is configured", () => {
  const none = createAdmission({
    bounds: { connectionsPerAddress: 0, unauthenticatedRequestsPerS: 0 },
  });
  using lab = openReceiveLab("example.com");
  const { flow } = lab.connect();

  assert.deepEqual(new Set(times(5_000, () => none.judge(flow))), new Set(["serve"]));
  for (let i = 0; i < 5_000; i++) assert.notEqual(none.connect("192.0.2.1"), undefined);
});

Deno.test("judge() remembers a bounded number of addresses, the latest", () => {
  const { admission, flow } = startAdmission();
  times(burst.address, () => admission.judge(flow("192.0.2.1")));
  assert.equal(admission.judge(flow("192.0.2.1")), "refuse");

  for (let i = 0; i < sipLimits.admissionPace.addresses; i++) admission.judge(flow(`host${i}`));

  assert.equal(admission.judge(flow("192.0.2.1")), "serve");
});

Deno.test("receive() parses nothing of a source above its rate, until it is slower", () => {
  using lab = openReceiveLab("example.com", {
    connectionsPerAddress: 0,
    unauthenticatedRequestsPerS: 10,
  });
  const stranger = lab.connect();
  const options = (n: number) => request("OPTIONS", uri, { callId: `options-${n}` });
  let read = 0;
  Object.assign(stranger.flow, { absorbs: () => (read++, false) });

  for (let n = 0; n < burst.connection + 3; n++) stranger.receive(options(n));
  const whileFast = read;
  lab.time.advance(burst.connection * 4_000);
  stranger.receive(options(100));

  const served = Array.from({ length: burst.connection }, () => 200);
  assert.equal(whileFast, burst.connection + 1); // The last of them to refuse it.
  assert.deepEqual(stranger.statuses(), [...served, 503, 200]);
});

Deno.test("receive() serves at once who proves a login after it was too fast", async () => {
  using lab = openReceiveLab("example.com", {
    connectionsPerAddress: 0,
    unauthenticatedRequestsPerS: 10,
  });
  const stranger = lab.connect();

  for (let n = 0; n < burst.connection + 1; n++) stranger.receive(request("OPTIONS", uri));
  lab.time.advance(4_000);
  stranger.receive(register(lab, "alice"));
  await lab.time.settle();
  for (let n = 0; n < 3 * burst.connection; n++) stranger.receive(request("OPTIONS", uri));

  const answers = stranger.statuses().slice(burst.connection);
  assert.deepEqual(answers, [503, 200, ...Array.from({ length: 3 * burst.connection }, () => 200)]);
});
