import assert from "node:assert/strict";
import { Refused } from "../../../sip/base/refused.ts";
import { createSessionTimer, type TimerAgreement } from "../../../sip/contracts/session_timer.ts";
import { createTimers } from "../../../sip/base/timers.ts";
import { fakeTime } from "../../support/process/fake_time.ts";
import { invite, inviteScript, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf, valuesOf } from "../../support/sip/sip_text.ts";

/** Sessions so short that a test sees them end. */
const sessionBounds = { expiresS: 3, minSeS: 1 };
const stay = [{ type: "answer" }, { type: "silence", seconds: 60 }] as const;

sipTest(
  "agreeAsServer() gives a caller who knows session timers one, and lets it refresh",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    lab.service.answer = () => [...stay];

    const call = alice.call("anything", { headers: ["Supported: timer"] });
    const answer = await call.final;
    const dialog = await call.answered;
    const update = await dialog.request("UPDATE", {
      headers: ["Supported: timer", "Session-Expires: 600;refresher=uas"],
    });
    const tooShort = await dialog.request("INVITE", {
      headers: ["Supported: timer", "Session-Expires: 30"],
    });
    const demanding = await dialog.request("UPDATE", {
      headers: ["Supported: timer", "Session-Expires: 4000", "Min-SE: 2000"],
    });

    assert.equal(valueOf(answer, "session-expires"), "1800;refresher=uac");
    assert.equal(valueOf(answer, "require"), "timer");
    assert.equal(valueOf(update, "session-expires"), "600;refresher=uas");
    assert.equal(valueOf(update, "require"), "");
    assert.deepEqual([tooShort.status, valueOf(tooShort, "min-se")], [422, "90"]);
    assert.equal(valueOf(demanding, "session-expires"), "2000;refresher=uac");
    assert.equal((await dialog.bye()).status, 200);
  },
);

sipTest(
  "agreeAsServer() refreshes itself for a caller who only has a proxy that wants it",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");
    lab.service.answer = () => [...stay];

    const required = alice.call("anything", {
      headers: ["Require: timer", "Session-Expires: 900"],
    });
    const proxied = alice.call("anything", { headers: ["Session-Expires: 900;refresher=uac"] });
    const plain = alice.call("anything");

    assert.equal(valueOf(await required.final, "session-expires"), "900;refresher=uac");
    assert.equal(valueOf(await proxied.final, "session-expires"), "900;refresher=uas");
    assert.equal(valueOf(await plain.final, "session-expires"), "");
  },
);

sipTest(
  "createSessionTimer() ends a call whose caller does not refresh, after one that did",
  async () => {
    await using lab = await startSipLab({ sessionBounds });
    const alice = await lab.phone("alice");
    lab.service.answer = () => [...stay];

    const headers = ["Supported: timer"];
    const dialog = await alice.call("anything", { headers }).answered;
    const refreshed = await dialog.request("UPDATE", {
      headers: [...headers, "Session-Expires: 1"],
    });
    const bye = await dialog.ended;
    const { event } = await lab.service.event("ended");

    assert.equal(valueOf(refreshed, "session-expires"), "1;refresher=uac");
    assert.equal(bye.method, "BYE");
    assert.deepEqual(event, { type: "ended", outcome: "completed" });
  },
);

sipTest("createSessionTimer() refreshes by UPDATE where the callee knows it", async () => {
  await using lab = await startSipLab({ sessionBounds });
  const bob = await lab.phone("bob");
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = invite("bob");
  const timer = "Session-Expires: 2;refresher=uac";

  await (await lab.run(invitation.leg, inviteScript(invitation))).body?.cancel();
  const ringing = await bob.nextCall();
  const callee = await ringing.answer(undefined, [timer, "Require: timer", "Allow: UPDATE, BYE"]);
  callee.onRequest = ({ method }) =>
    method === "UPDATE" ? { status: 200, headers: [timer] } : undefined;
  const first = await callee.next("UPDATE");
  const second = await callee.next("UPDATE");
  callee.onRequest = ({ method }) => method === "UPDATE" ? { status: 481 } : undefined;
  const bye = await callee.ended;

  assert.equal(valueOf(ringing.invite, "session-expires"), "3");
  assert.match(valuesOf(ringing.invite, "supported").join(), /timer/);
  assert.equal(valueOf(first, "session-expires"), "2;refresher=uac");
  assert.equal(second.body, "");
  assert.equal(bye.method, "BYE");
});

sipTest("createSessionTimer() refreshes by re-INVITE else, again after a glare", async () => {
  await using lab = await startSipLab({ sessionBounds });
  const bob = await lab.phone("bob");
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = invite("bob");
  const timer = "Session-Expires: 4;refresher=uac";

  await (await lab.run(invitation.leg, inviteScript(invitation))).body?.cancel();
  const callee = await (await bob.nextCall()).answer(undefined, [timer]);
  callee.onRequest = ({ method }) => method === "INVITE" ? { status: 491 } : undefined;
  const refused = await callee.next("INVITE");
  callee.onRequest = ({ method }) =>
    method === "INVITE"
      ? { status: 200, headers: ["Session-Expires: 600"], sdp: "v=0\r\n" }
      : undefined;
  await callee.next("ACK");
  const refresh = await callee.next("INVITE");

  assert.equal(refused.body, lab.media.legs[0]?.localSdp);
  assert.equal(refresh.body, lab.media.legs[0]?.localSdp);
  assert.equal((await callee.bye()).status, 200);
});

sipTest("createFork() asks again for as long a session as a 422 demands", async () => {
  await using lab = await startSipLab();
  const bob = await lab.phone("bob");
  lab.service.answer = () => [{ type: "silence", seconds: 60 }];
  const invitation = invite("bob");

  await (await lab.run(invitation.leg, inviteScript(invitation))).body?.cancel();
  const short = await bob.nextCall();
  short.decline(422, ["Min-SE: 3600"]);
  const long = await bob.nextCall();
  long.decline(422, ["Min-SE: 7200"]);
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.equal(valueOf(long.invite, "call-id"), valueOf(short.invite, "call-id"));
  assert.equal(valueOf(long.invite, "session-expires"), "3600");
  assert.equal(valueOf(long.invite, "min-se"), "3600");
  assert.equal(event.outcome, "failed");
  assert.equal(event.sipStatus, 422);
});

/** A session timer on a clock that the test moves; each refresh waits for what the test says to it. */
function startTimer(agreement: TimerAgreement | undefined, unagreed?: number) {
  const time = fakeTime();
  const began = Date.now();
  const refreshes: { atS: number; intervalS: number; end: PromiseWithResolvers<void> }[] = [];
  let endedAtS = 0;
  const nowS = () => (Date.now() - began) / 1000;
  const timer = createSessionTimer({
    timers: createTimers(),
    refresh(intervalS) {
      const end = Promise.withResolvers<void>();
      refreshes.push({ atS: nowS(), intervalS, end });
      return end.promise;
    },
    expired: () => endedAtS = nowS(),
    unagreedS: () => unagreed,
  });
  timer.restart(agreement);
  return {
    timer,
    refreshes,
    endedAtS: () => endedAtS,
    waiting: () => time.waiting(),
    advanceTo: (atS: number) => time.advance(began + atS * 1000 - Date.now()),
    async refuse(status: number, minSeS = 0) {
      refreshes.at(-1)!.end.reject(new Refused("refresh", status, minSeS));
      await time.settle();
    },
    [Symbol.dispose]: () => time[Symbol.dispose](),
  };
}

Deno.test("createSessionTimer() ends what a peer does not refresh while it knows it yet", () => {
  for (const [intervalS, endS] of [[90, 60], [1_800, 1_768]] as const) {
    using session = startTimer({ intervalS, refresher: "peer" });

    session.advanceTo(endS - 0.1);
    assert.equal(session.endedAtS(), 0);
    session.advanceTo(endS);

    assert.equal(session.endedAtS(), endS);
    assert.deepEqual([session.refreshes.length, session.waiting()], [0, 0]);
  }
});

Deno.test("createSessionTimer() takes an answer to its refresh as long as the session lasts", () => {
  using session = startTimer({ intervalS: 90, refresher: "us" });

  session.advanceTo(89);
  assert.deepEqual(session.refreshes.map(({ atS }) => atS), [45]);
  session.timer.restart({ intervalS: 90, refresher: "us" });
  session.advanceTo(89 + 89);
  assert.deepEqual(session.refreshes.map(({ atS }) => atS), [45, 89 + 45]);
  assert.equal(session.endedAtS(), 0);
  session.advanceTo(89 + 90);

  assert.equal(session.endedAtS(), 89 + 90);
});

Deno.test("createSessionTimer() ends the call when a refresh times out or gets 481", async () => {
  for (const status of [408, 481]) {
    using session = startTimer({ intervalS: 1_800, refresher: "us" });

    session.advanceTo(932);
    await session.refuse(status);

    assert.deepEqual([session.endedAtS(), session.waiting()], [932, 0]);
  }
});

Deno.test("createSessionTimer() repeats a refused refresh seldom, but for a glare", async () => {
  using session = startTimer({ intervalS: 1_800, refresher: "us" });

  session.advanceTo(900);
  await session.refuse(491);
  session.advanceTo(904);
  await session.refuse(422, 3_600);
  session.advanceTo(904);
  await session.refuse(500);
  session.advanceTo(1_799);
  const [first, afterGlare, longer, afterRefusal, ...more] = session.refreshes;

  assert.equal(first?.atS, 900);
  assert.ok(afterGlare!.atS >= 902.1 && afterGlare!.atS <= 904);
  assert.deepEqual([longer?.atS, longer?.intervalS], [904, 3_600]);
  assert.deepEqual([afterRefusal?.atS, afterRefusal?.intervalS], [904 + 450, 3_600]);
  assert.deepEqual(more, []);
});

Deno.test("createSessionTimer() asks who knows no timers whether it is there, and ends no call for a no", async () => {
  using session = startTimer(undefined, 1_800);

  session.advanceTo(900);
  await session.refuse(488);
  session.advanceTo(900 + 225);
  session.timer.restart(undefined);
  session.advanceTo(900 + 225 + 900);
  const before = session.endedAtS();
  await session.refuse(408);

  assert.deepEqual(session.refreshes.map(({ atS }) => atS), [900, 1_125, 2_025]);
  assert.deepEqual([before, session.endedAtS(), session.waiting()], [0, 2_025, 0]);
});

Deno.test("createSessionTimer() never asks who has a connection and knows no timers", () => {
  using session = startTimer(undefined);

  assert.equal(session.waiting(), 0);
});
