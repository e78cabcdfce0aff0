import assert from "node:assert/strict";
import { closeLostCompanions, takeHeartbeat } from "../../core/reports/heartbeats.ts";
import { liveCompanions } from "../../core/companions/companions.ts";
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

/** An answered call, whose server is asked and told of events. */
async function talk(app: App) {
  const login = { Login: "alice", Password: "secret" };
  await app.root.post("Clients.json", login);
  app.answers = ({ url }) => url.endsWith("/voice") ? xml("<Echo/>") : new Response();
  const { sid } = (await app.root.post("Calls.json", { ...form, ...events })).json();
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report(inviting);
  await leg.report({ type: "ringing" });
  await leg.report({ type: "answered" });
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
}
