import assert from "node:assert/strict";
import { type PresenceChanges, registrationLimits } from "../../../core/protocol/registrations.ts";
import type { Flow } from "../../../sip/base/flow.ts";
import { type Binding, createLocation } from "../../../sip/text/location.ts";
import { createPresence } from "../../../sip/registrar/presence.ts";
import { ServiceError } from "../../../sip/service/service_link.ts";
import { createTimers } from "../../../sip/base/timers.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { queue } from "../../support/service/queue.ts";

const companion = { id: "lab", runId: "run" };

const flow: Flow = {
  id: "1",
  remote: { host: "192.0.2.1", port: 5060 },
  local: { sentBy: "sip.test", contact: "sip:switchboard@sip.test;transport=ws" },
  logins: new Set(),
  dialogs: 0,
  proven: new Set(),
  closed: false,
  transport: { protocol: "WS", isClosed: () => false, send: () => Promise.resolve() },
  close() {},
};

const bindingAt = (key: string, expiresAt = Infinity): Binding => ({
  key,
  contact: "<sip:a@phone.invalid>",
  instance: undefined,
  path: [],
  flow,
  userAgent: undefined,
  proof: "",
  registeredAt: 0,
  expiresAt,
  callId: "1",
  cseq: 1,
});

/** Presence whose news wait, each to be answered by the test. */
function startPresence() {
  const clock = handClock();
  const location = createLocation(clock.now);
  const timers = createTimers();
  const sent = queue<
    PresenceChanges & { answer(isKnown: boolean): void; fail(error: Error): void }
  >();
  const logged: string[] = [];
  const stopped = new AbortController();
  const presence = createPresence({
    companion,
    location,
    timers,
    log: (line) => logged.push(line),
    stopped: stopped.signal,
    link: {
      presence(news) {
        const { promise, resolve, reject } = Promise.withResolvers<{ isKnown: boolean }>();
        sent.put({ ...news, answer: (isKnown) => resolve({ isKnown }), fail: reject });
        return promise;
      },
    },
  });
  location.onPresence = presence.changed;
  const [put, remove] = [
    (login: string) => location.put(login, bindingAt("1")),
    (login: string) => location.remove(login, "1"),
  ];
  return { clock, location, presence, next: sent.take, logged, put, remove };
}

const gist = ({ seq, whole, came, went }: PresenceChanges) => ({ seq, whole, came, went });

Deno.test("changed() tells the whole first, then what changed meanwhile in one piece", async () => {
  const { put, remove, next } = startPresence();

  put("alice");
  const first = await next();
  put("bob");
  put("carol");
  remove("alice");
  first.answer(true);
  const second = await next();
  second.answer(true);

  assert.deepEqual(gist(first), { seq: 0, whole: true, came: ["alice"], went: [] });
  assert.deepEqual(gist(second), {
    seq: 1,
    whole: false,
    came: ["bob", "carol"],
    went: ["alice"],
  });
});

Deno.test("changed() repeats the same changes until they are taken, then sends later ones", async () => {
  const { put, remove, next, logged } = startPresence();

  put("alice");
  const failed = await next();
  remove("alice");
  failed.fail(new TypeError("connection refused"));
  const again = await next();
  again.fail(new ServiceError("post", "it answered 500", "defect"));
  const third = await next();
  third.answer(true);
  const last = await next();
  last.answer(true);

  assert.deepEqual([again, third].map(gist), [gist(failed), gist(failed)]);
  assert.deepEqual(gist(last), { seq: 1, whole: false, came: [], went: ["alice"] });
  assert.deepEqual(logged, ["Cannot report the registrations to the service"]);
});

Deno.test("changed() tells the whole again when the service lacks what was before", async () => {
  const { put, next } = startPresence();
  put("alice");
  (await next()).answer(true);

  put("bob");
  (await next()).answer(false);
  const whole = await next();
  whole.answer(true);

  assert.deepEqual(gist(whole), { seq: 2, whole: true, came: ["bob", "alice"].sort(), went: [] });
});

Deno.test("tellAll() tells many in several pieces, of which the first begins anew", async () => {
  const { put, next, presence } = startPresence();
  put("first");
  const begun = await next();
  for (let i = 1; i <= registrationLimits.loginsAtOnce; i++) put(`login${i}`);
  presence.reportAll();
  begun.answer(true);

  const pieces = [await next()];
  pieces[0]!.answer(true);
  pieces.push(await next());
  pieces[1]!.answer(true);

  assert.deepEqual(pieces.map(({ whole }) => whole), [true, false]);
  assert.deepEqual(pieces.map(({ came }) => came.length), [registrationLimits.loginsAtOnce, 1]);
  assert.equal(new Set(pieces.flatMap(({ came }) => came)).size, 401);
});

Deno.test("onPresence() tells the first device and the last, not what is between", () => {
  const clock = handClock();
  const location = createLocation(clock.now);
  const told: [string, boolean][] = [];
  location.onPresence = (login) => told.push([login, location.has(login)]);

  location.put("alice", bindingAt("1", clock.now() + 1_000));
  location.put("alice", bindingAt("1", clock.now() + 2_000));
  location.put("alice", bindingAt("2", clock.now() + 3_000));
  location.remove("alice", "2");
  location.remove("alice", "2");
  assert.deepEqual(told, [["alice", true]]);
  clock.advance(2_000);
  assert.deepEqual(location.find("alice"), []);
  location.sweep();

  assert.deepEqual(told, [["alice", true], ["alice", false]]);
  assert.equal(location.registered(), 0);
});

sipTest("startCompanion() tells who is registered, not who registers again", async () => {
  await using lab = await startSipLab();
  const { service } = lab;
  const begun = await service.told(({ whole }) => whole);
  const phone = await lab.phone("alice");
  const other = await lab.phone("alice");
  await service.told(({ came }) => came.includes("alice"));

  await phone.register();
  await phone.close();
  await other.register({ expires: 0 });
  await service.told(({ went }) => went.includes("alice"));

  assert.deepEqual(begun.came, []);
  const told = service.presence.flatMap(({ came, went }) => [...came, ...went.map((l) => `-${l}`)]);
  assert.deepEqual(told, ["alice", "-alice"]);
});

sipTest("startCompanion() tells who is registered, and may be, when the service asks", async () => {
  await using lab = await startSipLab();
  const { service } = lab;
  await lab.phone("alice");
  await lab.phone("bob");
  await service.told(({ came }) => came.includes("bob"));
  service.credentials.get("bob")!.allowed = false;

  service.wantsPresence = true;
  const told = await service.told(({ seq, whole }) => seq > 0 && whole);
  const gone = await service.told(({ went }) => went.length > 0);

  assert.deepEqual(told.came, ["alice", "bob"]);
  assert.deepEqual(gone.went, ["bob"]);
});
