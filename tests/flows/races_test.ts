import assert from "node:assert/strict";
import type { ConferenceOrder } from "../../core/protocol/companion.ts";
import type { RecordingRequest } from "../../core/protocol/recordings.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, xml } from "../support/service/hand_companion.ts";
import { caller, consult } from "../support/sip/conference_callers.ts";

/** Requests at once that change one call, participant or recording. */

async function answeredCall(app: App) {
  app.answers = () => xml("<Pause length='600'/>");
  await made(app.root, "Clients", { Login: "alice", Password: "pass" });
  const form = { From: "+12025550199", To: "client:alice", Url: "https://app.test/first" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "answered" });
  app.fetched.length = app.scripts.length = 0;
  const post = (fields: Record<string, string>) => app.root.post(`Calls/${sid}.json`, fields);
  return { sid: sid as string, leg, post };
}

const pathsOf = (app: App) => app.fetched.map(({ url }) => new URL(url).pathname);

const spoken = (app: App) =>
  app.scripts.map(({ script: [step] }) => step?.type === "say" ? step.text : step?.type);

Deno.test("of redirections at once the last one is performed, and no other document requested", async () => {
  using app = await startApp();
  const { sid, post } = await answeredCall(app);
  app.answers = ({ url }) => xml(`<Say>${new URL(url).pathname}</Say>`);
  const urls = [1, 2, 3, 4, 5, 6].map((n) => `https://app.test/${n}`);
  const answers = await Promise.all(urls.map((Url) => post({ Url })));
  assert.ok(answers.every(({ status }) => status === 200));
  await app.runJobs();
  const kept = await app.ports.records.calls.get(app.root.sid, sid);
  const last = new URL(kept!.url!).pathname;
  assert.deepEqual([pathsOf(app), spoken(app)], [[last], [last]]);
});

Deno.test("a redirection whose document is slow does not come after a later one", async () => {
  using app = await startApp();
  const { post } = await answeredCall(app);
  app.answers = ({ url }) => xml(`<Say>${new URL(url).pathname}</Say>`);
  const { fetch } = app.ports;
  const slow = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  app.ports.fetch = async (request, signer) => {
    if (request.url.pathname === "/slow") {
      asked.resolve();
      await slow.promise;
    }
    return await fetch(request, signer);
  };
  await post({ Url: "https://app.test/slow" });
  const running = app.runJobs();
  await asked.promise;
  await post({ Url: "https://app.test/quick" });
  const other = app.runJobs();
  slow.resolve();
  await Promise.all([running, other]);
  await app.runJobs();
  assert.deepEqual(spoken(app), ["/quick"]);
});

Deno.test("a call that a request ends takes no redirection any more, one after the other and at once", async () => {
  using app = await startApp();
  const { sid, post } = await answeredCall(app);
  const Url = "https://app.test/other";
  const [ended, ...redirected] = await Promise.all([
    post({ Status: "completed" }),
    post({ Url }),
    post({ Url }),
  ]);
  assert.equal(ended!.status, 200);
  for (const { status, text } of redirected) {
    assert.ok(status === 200 || status === 400 && JSON.parse(text).code === 21220, text);
  }
  const late = await post({ Url });
  assert.deepEqual([late.status, late.json().code], [400, 21220]);
  assert.equal((await post({ Mute: "true" })).status, 400);
  assert.equal((await post({ Status: "completed" })).status, 200);
  assert.equal((await app.root.get(`Calls/${sid}.json`)).json().status, "in-progress");
});

/** Two calls in a conference, and the companion's state of the first. */
async function conferring(app: App) {
  const markup = "<Dial><Conference>room</Conference></Dial>";
  const state = { muted: false, held: false };
  const join = async (digit: string) => {
    const one = await caller(app, digit, markup);
    await one.report({ type: "answered" }, { wantsScript: false });
    const [step] = await consult(one, one.script);
    assert.ok(step?.type === "conference");
    const { conferenceSid } = step;
    await one.report({
      type: "joined",
      conferenceSid,
      muted: false,
      startOnEnter: true,
      endOnExit: false,
    });
    return { leg: one.leg, conferenceSid };
  };
  const one = await join("1");
  await join("2");
  const path = `Conferences/${one.conferenceSid}/Participants/${one.leg}.json`;
  const take = ({ order }: ConferenceOrder) => {
    if (order.type !== "change" || order.leg !== one.leg) return;
    if (order.muted !== undefined) state.muted = order.muted;
    if (order.held !== undefined) state.held = order.held;
  };
  const kept = async () => {
    const { muted, hold: held } = (await app.root.get(path)).json();
    return { muted, held };
  };
  return { state, take, kept, post: (form: Record<string, string>) => app.root.post(path, form) };
}

for (const [name, field] of [["Mute", "muted"], ["Hold", "held"]] as const) {
  Deno.test(`a Participant is at its companion as its record says after ${name} at once`, async () => {
    using app = await startApp();
    const { state, take, kept, post } = await conferring(app);
    const first = Promise.withResolvers<void>();
    const ordered = Promise.withResolvers<void>();
    let orders = 0;
    app.ports.control.conference = async (order) => {
      take(order);
      if (++orders === 1) {
        ordered.resolve();
        await first.promise; // Its answer comes after the other request.
      }
      return true;
    };
    const held = post({ [name]: "true" });
    await ordered.promise;
    assert.equal((await post({ [name]: "false" })).status, 200);
    first.resolve();
    assert.equal((await held).status, 200);
    assert.deepEqual(await kept(), state);
    assert.equal((await kept())[field], true);

    const values = ["true", "false", "true", "false", "true", "false"];
    await Promise.all(values.map((value) => post({ [name]: value })));
    assert.deepEqual(await kept(), state);
  });
}

/** A recording of a call in progress, and the companion's state of it. */
async function recording(app: App) {
  const { sid } = await answeredCall(app);
  const list = `/2010-04-01/Accounts/${app.root.sid}/Calls/${sid}/Recordings`;
  const state = { status: "in-progress" };
  const take = ({ order }: RecordingRequest) => {
    if (state.status === "stopped") return false;
    if (order.type === "pause") state.status = "paused";
    if (order.type === "resume") state.status = "in-progress";
    if (order.type === "stop") state.status = "stopped";
    return true;
  };
  const start = () => app.root.post(`${list}.json`);
  return { list, state, take, start };
}

Deno.test("a Recording is at its companion as its record says after Status at once", async () => {
  for (const other of ["in-progress", "stopped"]) {
    using app = await startApp();
    const { list, state, take, start } = await recording(app);
    const one = `${list}/${(await start()).json().sid}.json`;
    const first = Promise.withResolvers<void>();
    const ordered = Promise.withResolvers<void>();
    let orders = 0;
    app.ports.control.recording = async (request) => {
      const isDone = take(request);
      if (++orders === 1) {
        ordered.resolve();
        await first.promise;
      }
      return isDone;
    };
    const paused = app.root.post(one, { Status: "paused" });
    await ordered.promise;
    assert.equal((await app.root.post(one, { Status: other })).status, 200);
    first.resolve();
    assert.equal((await paused).status, other === "stopped" ? 400 : 200);
    const { status } = (await app.root.get(one)).json();
    assert.equal(status, state.status);
  }
});

Deno.test("of recordings that are started at once a call gets four", async () => {
  using app = await startApp();
  const { list, start } = await recording(app);
  const answers = await Promise.all(Array.from({ length: 8 }, start));
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [201, 201, 201, 201, 400, 400, 400, 400]);
  assert.equal((await start()).status, 400);
  const [sid] = answers.filter(({ status }) => status === 201).map((one) => one.json().sid);
  assert.equal((await app.root.delete(`${list}/${sid}.json`)).status, 204);
  const next = await start();
  assert.equal(next.status, 201);
  const stopped = await app.root.post(`${list}/${next.json().sid}.json`, { Status: "stopped" });
  assert.equal(stopped.status, 200);
  assert.equal((await start()).status, 201, "before the last audio has come");
});

Deno.test("of calls that enter a Queue at once no more find a place than its MaxSize", async () => {
  using app = await startApp();
  const queues = `/2010-04-01/Accounts/${app.root.sid}/Queues`;
  const queue = (await app.root.post(`${queues}.json`, { FriendlyName: "help", MaxSize: "2" }))
    .json();
  const markup = `<Enqueue action="/after">help</Enqueue>`;
  const callers = [];
  for (const digit of ["1", "2", "3", "4", "5"]) callers.push(await caller(app, digit, markup));
  app.answers = () => xml("<Hangup/>");
  const steps = await Promise.all(callers.map(async (one) => (await consult(one, one.script))[0]));
  const types = steps.map((step) => step?.type);
  assert.deepEqual(types.toSorted(), ["answer", "answer", "answer", "queue", "queue"]);

  const entering = callers[types.indexOf("queue")]!;
  const remove = async () => (await app.root.delete(`${queues}/${queue.sid}.json`)).json().code;
  assert.equal(await remove(), 21223);
  await entering.report({ type: "answered" }, { wantsScript: false });
  await entering.report({ type: "queued", queueSid: queue.sid });
  const { current_size: size } = (await app.root.get(`${queues}/${queue.sid}.json`)).json();
  assert.equal(size, 1);
  await entering.report({ type: "ended", outcome: "completed" });
  assert.equal(await remove(), 21223, "another one is on its way");
  app.clock.now += limits.queueArrivingMs;
  assert.equal((await app.root.delete(`${queues}/${queue.sid}.json`)).status, 204);
  const six = await caller(app, "6", markup);
  const [step] = await consult(six, six.script);
  assert.ok(step?.type === "queue" && step.queueSid !== queue.sid);
});
