import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import {
  invite,
  inviteScript,
  type SipLab,
  sipTest,
  startSipLab,
} from "../../support/sip/sip_lab.ts";

const reason = 'Q.850;cause=16;text="Normal call clearing"';
const talk: Script = [{ type: "answer" }, { type: "silence", seconds: 60 }];

const dialOf = (logins: string[], more: { timeLimitS?: number; timeoutS?: number } = {}) => ({
  type: "dial" as const,
  legs: logins.map((login) => invite(login)),
  media: "anchored" as const,
  timeoutS: 30,
  timeLimitS: 60,
  ...more,
});

/** A call of alice that performs a script. */
async function callOf(lab: SipLab, script: Script) {
  const phone = await lab.phone("alice");
  lab.service.answer = () => script;
  const call = phone.call("anybody");
  const { leg } = await lab.service.event("incoming");
  return { phone, call, leg };
}

/** A call to alice that was answered, and performs a script. */
async function callTo(lab: SipLab, script: Script) {
  const phone = await lab.phone("alice");
  lab.service.answer = () => script;
  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  const dialog = await (await phone.nextCall()).answer();
  await lab.service.event("answered", invitation.leg);
  return { phone, dialog, leg: invitation.leg };
}

sipTest("a BYE is the caller's or the callee's, with its Reason", async () => {
  await using lab = await startSipLab();
  const inbound = await callOf(lab, talk);
  await (await inbound.call.answered).request("BYE", { headers: [`Reason: ${reason}`] });
  const outbound = await callTo(lab, talk);
  await outbound.dialog.bye();

  const ends = await Promise.all(
    [inbound, outbound].map((one) => lab.service.disconnectionOf(one.leg)),
  );
  assert.deepEqual(ends, [
    { by: "remote", cause: "bye", text: reason },
    { by: "remote", cause: "bye" },
  ]);
});

sipTest("a CANCEL of the caller, one of ours, and a refusal are distinct", async () => {
  await using lab = await startSipLab();
  const bob = await lab.phone("bob");
  bob.onCall = (call) => call.ring();
  const dial = dialOf(["bob"]);
  const { call, leg } = await callOf(lab, [dial]);
  await call.ringing;
  await call.cancel([`Reason: SIP;cause=600;text="Busy everywhere"`]);
  const cancelled = [leg, dial.legs[0]!.leg].map((one) => lab.service.disconnectionOf(one));
  assert.deepEqual(await Promise.all(cancelled), [
    { by: "remote", cause: "cancel", text: 'SIP;cause=600;text="Busy everywhere"' },
    { by: "service", cause: "other-leg" },
  ]);

  bob.onCall = (incoming) => incoming.decline(486);
  const refused = invite("bob");
  await lab.run(refused.leg, inviteScript(refused));
  const { by, cause } = await lab.service.disconnectionOf(refused.leg);
  assert.deepEqual([by, cause], ["remote", "refused"]);
});

sipTest("what the service ends is named: a hang-up, the end of the script, an order", async () => {
  await using lab = await startSipLab();
  const causeOf = async ({ leg }: { leg: string }) => {
    const { by, cause } = await lab.service.disconnectionOf(leg);
    assert.equal(by, "service");
    return cause;
  };
  const hangup = await callTo(lab, [{ type: "hangup" }]);
  assert.equal(await causeOf(hangup), "hangup");
  await hangup.phone.close();
  const done = await callTo(lab, [{ type: "silence", seconds: 0.01 }]);
  assert.equal(await causeOf(done), "script-end");
  await done.phone.close();
  for (const cause of ["request", "time-limit"] as const) {
    const one = await callTo(lab, [{ type: "silence", seconds: 60 }]);
    await lab.run(one.leg, [{ type: "hangup", cause }]);
    assert.equal(await causeOf(one), cause);
    await one.phone.close();
  }
  const old = await callTo(lab, [{ type: "silence", seconds: 60 }]);
  await lab.run(old.leg, [{ type: "hangup" }]); // Of a service that gives no cause.
  assert.equal(await causeOf(old), "request");
});

sipTest("of two callees one is answered elsewhere, and a time limit ends both legs", async () => {
  await using lab = await startSipLab();
  const [bob, carol] = [await lab.phone("bob"), await lab.phone("carol")];
  carol.onCall = (call) => call.ring();
  const dial = dialOf(["bob", "carol"], { timeLimitS: 0.2 });
  const { leg } = await callOf(lab, [dial]);
  await (await bob.nextCall()).answer();
  const ends = [leg, ...dial.legs.map((one) => one.leg)].map(async (one) =>
    (await lab.service.disconnectionOf(one)).cause
  );
  assert.deepEqual(await Promise.all(ends), ["script-end", "time-limit", "answered-elsewhere"]);
});

sipTest(
  "a callee that does not answer, and one that is not there, are ended by the service",
  async () => {
    await using lab = await startSipLab();
    const bob = await lab.phone("bob");
    bob.onCall = (call) => call.ring();
    const [late, absent] = [invite("bob"), invite("carol")];
    await lab.run(late.leg, inviteScript(late, 0.2));
    await lab.run(absent.leg, inviteScript(absent));
    const ends = [late, absent].map(({ leg }) => lab.service.disconnectionOf(leg));
    assert.deepEqual(await Promise.all(ends), [
      { by: "service", cause: "timeout" },
      { by: "service", cause: "unreachable" },
    ]);
  },
);

sipTest(
  "lost audio, a lost connection and a session that is not refreshed are told apart",
  async () => {
    await using lab = await startSipLab({ sessionBounds: { expiresS: 2, minSeS: 1 } });
    const silent = await callOf(lab, talk);
    await silent.call.answered;
    lab.media.legs.at(-1)!.lose();
    assert.deepEqual(await lab.service.disconnectionOf(silent.leg), {
      by: "service",
      cause: "media-lost",
      text: "its peer is gone",
    });

    const gone = await callTo(lab, talk);
    await gone.phone.close();
    assert.equal((await lab.service.disconnectionOf(gone.leg)).cause, "connection-lost");

    const phone = await lab.phone("bob");
    const headers = ["Supported: timer", "Session-Expires: 2;refresher=uac"];
    lab.service.answer = () => talk;
    await phone.call("anybody", { headers }).answered;
    const { leg } = await lab.service.reported(({ event }) =>
      event.type === "incoming" && event.login === "bob"
    );
    assert.equal((await lab.service.disconnectionOf(leg)).cause, "session-timer");
  },
);

sipTest("calls that end with the companion say so", async () => {
  await using lab = await startSipLab();
  const { leg } = await callTo(lab, talk);
  await lab.companion.stop();
  assert.deepEqual(await lab.service.disconnectionOf(leg), { by: "service", cause: "shutdown" });
});

sipTest("a silent phone is probed by OPTIONS, and keeps its call while it answers", async () => {
  await using lab = await startSipLab({ rtpTimeoutMs: 600_000 });
  const outbound = await callTo(lab, talk);
  const ofCallee = lab.media.legs.at(-1)!;
  const inbound = await callOf(lab, talk);
  const caller = await inbound.call.answered;
  const ofCaller = lab.media.legs.at(-1)!;

  for (const [media, dialog] of [[ofCaller, caller], [ofCallee, outbound.dialog]] as const) {
    media.beQuiet(25_000);
    const options = await dialog.next("OPTIONS");
    assert.match(options.start, /^OPTIONS sip:/);
    // Answered when what is asked after it is.
    await dialog.request("OPTIONS");
    media.beQuiet(30_000);
    media.beQuiet(50_000);
    await dialog.next("OPTIONS");
  }
  await outbound.dialog.bye();
  assert.equal((await lab.service.disconnectionOf(outbound.leg)).cause, "bye");
  ofCaller.beQuiet(600_000);

  assert.deepEqual(await lab.service.disconnectionOf(inbound.leg), {
    by: "service",
    cause: "media-lost",
    text: "No audio (RTP or RTCP) came for 600 s: RTP_TIMEOUT_S is 600",
  });
  await caller.ended;
});

sipTest("a silent phone that has lost the call loses it here as well", async () => {
  await using lab = await startSipLab();
  const { dialog, leg } = await callTo(lab, talk);
  dialog.onRequest = ({ method }) => method === "OPTIONS" ? { status: 481 } : undefined;
  const media = lab.media.legs.at(-1)!;

  media.beQuiet(25_000);
  await dialog.next("OPTIONS");
  // Answered when what is asked after it is.
  await dialog.request("OPTIONS");
  media.beQuiet(30_000);

  assert.deepEqual(await lab.service.disconnectionOf(leg), {
    by: "service",
    cause: "media-lost",
    text: "No audio (RTP or RTCP) came for 30 s, and the phone does not know the call any more",
  });
});
