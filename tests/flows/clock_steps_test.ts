import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { takeCode } from "../../core/accounts/session_guard.ts";
import { confirmFactor, offerFactor } from "../../core/accounts/second_factor.ts";
import { openSession, sessionOf } from "../../core/accounts/sessions.ts";
import { codeAt, stepAt } from "../../core/accounts/totp.ts";
import { isSigned, linkTo } from "../../core/recordings/link.ts";
import { createRequestCap } from "../../core/model/rest/rate_limits.ts";
import { handClock } from "../support/service/hand_clock.ts";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { liveCompanions } from "../../core/companions/companions.ts";
import { limits } from "../../core/base/limits.ts";
import { takePart } from "../../core/messages/join_parts.ts";
import type { InboundText } from "../../core/messages/record_inbound.ts";
import { waitOf } from "../../core/conferences/enqueue.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  callOf,
  companion,
  companionOf,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

const [second, hour] = [1_000, 3_600_000];

const steps = [20 * second, -20 * second, hour, -hour, 3 * hour];

const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };

const events = {
  StatusCallback: "https://app.test/events",
  StatusCallbackEvent: "initiated ringing answered completed",
};

const inviting = {
  type: "inviting",
  from: "+15550001",
  to: "client:alice",
  sipCallId: "sip-1",
} as const;

/** The companion says that it lives; then the service sweeps, five seconds later. */
async function beat(app: App, legs: string[]): Promise<void> {
  const named = legs.map((leg) => ({ leg, accountSid: app.root.sid }));
  await takeHeartbeat({ companion, legs: named, registered: 0 }, app.ports);
  app.clock.now += 5 * second;
  await closeLostCompanions(app.ports);
  await app.runJobs();
}

/** An answered call, whose server gets requests and events. */
async function talk(app: App, timeLimit: number | null = null) {
  const login = { Login: "alice", Password: "secret" };
  await app.root.post("Clients.json", login);
  app.answers = ({ url }) => url.endsWith("/voice") ? xml("<Echo/>") : new Response();
  const { sid } = (await app.root.post("Calls.json", { ...form, ...events })).json();
  await app.ports.records.calls.update(app.root.sid, sid, (call) => ({
    record: { ...call, timeLimit },
  }));
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report(inviting);
  await leg.report({ type: "ringing" });
  await leg.report({ type: "answered" }, { ageMs: 0 });
  await app.runJobs();
  return { sid: sid as string, leg };
}

for (const step of steps) {
  const by = `${step > 0 ? "+" : ""}${step / second} s`;

  Deno.test(`the wall clock set by ${by} ends no call`, async () => {
    using app = await startApp();
    const { sid } = await talk(app);
    await beat(app, [sid]);
    app.clock.step(step);
    await closeLostCompanions(app.ports);
    for (let i = 0; i < 4; i++) await beat(app, [sid]);

    assert.equal((await callOf(app, sid)).status, "in-progress");
    assert.equal((await liveCompanions(app.ports)).length, 1);
    assert.deepEqual(await notifications(app), []);
  });

  Deno.test(`a companion that dies after ${by} is found in the usual time`, async () => {
    using app = await startApp();
    const { sid } = await talk(app);
    await beat(app, [sid]);
    app.clock.step(step);
    await beat(app, [sid]);
    for (const seconds of [5, 5]) {
      app.clock.now += seconds * second;
      await closeLostCompanions(app.ports);
    }
    assert.equal((await callOf(app, sid)).status, "in-progress", "15 s of silence");
    app.clock.now += second;
    await closeLostCompanions(app.ports);
    assert.equal((await callOf(app, sid)).status, "completed");
  });

  Deno.test(`a callback that failed is sent again after ${by} when it is due`, async () => {
    using app = await startApp();
    const { leg } = await talk(app);
    const sent = () => app.fetched.filter(({ url }) => url.endsWith("/events")).length;
    app.answers = () => new Response(null, { status: 503 });
    app.fetched.length = 0;
    await leg.report({ type: "ended", outcome: "completed" });
    await app.runJobs();
    assert.equal(sent(), 1);
    app.clock.step(step);
    await app.runJobs();
    assert.equal(sent(), 1, "it is not due yet");
    app.answers = () => new Response();
    app.clock.now += 7 * second;
    await app.runJobs();
    assert.equal(sent(), 2);
    app.clock.now += 3 * hour;
    await app.runJobs();
    assert.equal(sent(), 2, "told once");
  });

  Deno.test(`a text with SendAt is sent at that date though the clock was set by ${by}`, async () => {
    using app = await startApp();
    let sent = 0;
    app.ports.messageRoutes.push({
      reaches: () => Promise.resolve(true),
      send: () => Promise.resolve(void sent++),
    });
    const sendAt = app.clock.now + 4 * hour;
    const text = { From: "+15550001", To: "+4930123456", Body: "hello" };
    await app.root.post("SMS/Messages.json", { ...text, SendAt: new Date(sendAt).toISOString() });
    app.clock.step(step);
    assert.equal(await app.lookAtClock(), step);
    app.clock.now = sendAt - second;
    await app.runJobs();
    assert.equal(sent, 0);
    app.clock.now = sendAt;
    await app.runJobs();
    assert.equal(sent, 1);
  });

  Deno.test(`a call lasts as long as it did, though the clock was set by ${by}`, async () => {
    for (const lost of [false, true]) {
      using app = await startApp();
      const { sid, leg } = await talk(app);
      await beat(app, [sid]);
      app.clock.now += 55 * second;
      await takeHeartbeat({
        companion,
        legs: [{ leg: sid, accountSid: app.root.sid }],
        registered: 0,
      }, app.ports);
      app.clock.step(step);
      if (lost) {
        app.clock.now += 16 * second;
        await closeLostCompanions(app.ports);
      } else await leg.report({ type: "ended", outcome: "completed" }, { ageMs: 0 });
      await app.runJobs();

      const call = await callOf(app, sid);
      assert.equal(call.status, "completed");
      assert.equal(call.duration, "60");
      assert.equal(Date.parse(call.end_time) - Date.parse(call.start_time), 60 * second);
    }
  });

  Deno.test(`a TimeLimit ends a call when it is over, though the clock was set by ${by}`, async () => {
    using app = await startApp();
    const { sid } = await talk(app, 60);
    app.scripts.length = 0;
    app.clock.step(step);
    app.clock.now += 59 * second;
    await app.runJobs();
    assert.equal(app.scripts.length, 0);
    app.clock.now += second;
    await app.runJobs();
    assert.deepEqual(app.scripts, [{
      leg: sid,
      script: [{ type: "hangup", cause: "time-limit" }],
    }]);
  });
}

Deno.test("a call of two hours is charged for each of its minutes once, through all steps", async () => {
  using app = await startApp();
  const { sid, leg } = await talk(app);
  const rateMicros = 12_345;
  await app.ports.records.calls.update(app.root.sid, sid, (call) => ({
    record: { ...call, rateMicros },
  }));
  const lastsS = 2 * 3_600 + 5 * 60 + 30;
  const legs = [{ leg: sid, accountSid: app.root.sid }];
  const ahead = [...steps, ...steps.map((step) => -step)];
  for (let passedS = 0; passedS < lastsS;) {
    const nextS = Math.min(10, lastsS - passedS);
    app.clock.now += nextS * second;
    passedS += nextS;
    await takeHeartbeat({ companion, legs, registered: 0 }, app.ports);
    if (passedS % 600 === 0) app.clock.step(ahead.shift() ?? 0);
    await closeLostCompanions(app.ports);
    await app.runJobs();
  }
  await leg.report({ type: "ended", outcome: "completed" }, { ageMs: 0 });
  await app.runJobs();

  const call = await callOf(app, sid);
  assert.deepEqual([call.status, call.duration], ["completed", String(lastsS)]);
  assert.equal(Number(call.price), 126 * rateMicros / 1_000_000);
  const told = app.fetched.filter(({ url }) => url === "https://app.test/events");
  assert.equal(told.length, 4);
});

for (const step of steps) {
  Deno.test(`a session at the console goes on, though the clock was set by ${step / second} s`, async () => {
    using app = await startApp();
    const { ports } = app;
    const account = (await ports.accounts.get(app.root.sid))!;
    const browser = { from: "192.0.2.1", userAgent: "" };
    const credentialHash = createHash("sha256").update(account.authToken).digest("hex");
    const opened = { ...browser, isComplete: true, credentialHash };
    const cookie = await openSession(account, opened, ports);
    app.clock.step(step);
    assert.notEqual(await sessionOf(cookie, ports), null);
    app.clock.now += ports.settings.consoleIdleMs;
    assert.notEqual(await sessionOf(cookie, ports), null);
    app.clock.now += ports.settings.consoleIdleMs + second;
    assert.equal(await sessionOf(cookie, ports), null);
  });

  Deno.test(`a rate limit counts seconds, though the clock was set by ${step / second} s`, () => {
    const clock = handClock(0);
    const cap = createRequestCap(1, () => clock.steady)!;
    for (let i = 0; i < cap.most; i++) assert.equal(cap.take("AC"), 0);
    clock.step(step);
    assert.equal(cap.take("AC"), 1);
    clock.now += second;
    assert.equal(cap.take("AC"), 0);
  });
}

for (const step of steps) {
  const by = `${step / second} s`;

  Deno.test(`a text with SendAt and ValidityPeriod is sent, though the clock was set by ${by}`, async () => {
    using app = await startApp();
    const sent: string[] = [];
    app.ports.messageRoutes.push({
      reaches: () => Promise.resolve(true),
      send: ({ sid }) => Promise.resolve(void sent.push(sid)),
    });
    const sendAt = app.clock.now + 4 * hour;
    const text = { From: "+15550001", To: "+4930123456", Body: "hello", ValidityPeriod: "60" };
    const SendAt = new Date(sendAt).toISOString();
    const { sid } = (await app.root.post("SMS/Messages.json", { ...text, SendAt })).json();
    app.clock.step(step);
    await app.lookAtClock();
    app.clock.now = sendAt;
    await app.runJobs();
    assert.deepEqual(sent, [sid]);
  });

  Deno.test(`a waiting call gets its waiting time, though the clock was set by ${by}`, () => {
    const clock = handClock(Date.UTC(2024, 0, 1));
    const clocks = { now: () => clock.now, steadyNow: () => clock.steady };
    const member = { at: clock.now, steadyAt: clock.steady };
    clock.step(step);
    clock.now += 30 * second;
    assert.equal(waitOf(member, clocks), 30 * second);
  });

  Deno.test(`a text whose parts do not all come is received, though the clock was set by ${by}`, async () => {
    using app = await startApp();
    const PhoneNumber = "+15005550006";
    const { sid } = (await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber })).json();
    const held = (await app.ports.records.incomingPhoneNumbers.get(app.root.sid, sid))!;
    const named = { accountSid: app.root.sid, from: "+4930123456", to: PhoneNumber };
    const text = { ...named, body: "the first ", arrivalId: null, sipHeaders: null };
    await takePart(text as InboundText, { reference: "7", total: 2, at: 1 }, held, app.ports);
    app.clock.step(step);
    await app.runJobs();
    assert.equal((await app.root.get("SMS/Messages.json")).json().total, 0);
    app.clock.now += limits.partsWaitMs;
    await app.runJobs();
    const { messages } = (await app.root.get("SMS/Messages.json")).json();
    assert.deepEqual(messages.map(({ body }: { body: string }) => body.startsWith("the first")), [
      true,
    ]);
  });
}

for (const step of steps) {
  const by = `${step > 0 ? "+" : ""}${step / second} s`;

  Deno.test(`codes of a second factor fit again when a wall clock set by ${by} is right again, each once`, async () => {
    using app = await startApp();
    const { clock, ports, root: { sid } } = app;
    const network = "192.0.2.1";
    const take = (code: string) => takeCode(sid, { code, network }, ports);
    const secret = (await offerFactor(sid, ports))!;
    // The clock of the phone is right, and is not set.
    const shown = () => codeAt(secret, stepAt(clock.steady));
    const recovery = (await confirmFactor(sid, await shown(), ports))!;
    clock.now += 90 * second;

    clock.step(step);
    assert.equal(await take(await shown()), Math.abs(step) < 30 * second);
    assert.equal(await take(recovery[0]!), true);
    clock.step(-step);
    clock.now += 90 * second;
    const code = await shown();
    assert.equal(await take(code), true);
    clock.step(-30 * second);
    assert.equal(await take(code), false);
    assert.equal(await take(recovery[0]!), false);
  });

  Deno.test(`a link to a recording ends at its date by a wall clock set by ${by}`, async () => {
    using app = await startApp();
    const { clock, ports, root } = app;
    const recording = { accountSid: root.sid, sid: "RE" + "1".repeat(32) };
    clock.step(step);
    const { searchParams } = new URL(await linkTo(recording, ports));
    const endsAt = Number(searchParams.get("Expires")) * second;
    assert.ok(endsAt >= clock.now + ports.settings.recordingLinkMs);
    clock.step(endsAt - clock.now);
    assert.equal(await isSigned(recording, searchParams, ports), true);
    clock.step(second);
    assert.equal(await isSigned(recording, searchParams, ports), false);
    clock.step(-second);
    assert.equal(await isSigned(recording, searchParams, ports), true);
  });
}
