import assert from "node:assert/strict";
import {
  connect,
  hearEachOther,
  putThrough,
  softphoneTest,
} from "../../support/browsers/browser_lab.ts";
import type { BrowserSoftphone } from "../../support/browsers/browser_softphone.ts";
import { invite, inviteScript } from "../../support/sip/sip_lab.ts";

for (const kind of ["sip.js", "jssip"] as const) {
  softphoneTest(`${kind} is rung, hears the audio, holds and hangs up`, async (lab) => {
    const phone = await lab.phone(kind, "alice");
    await phone.setAnswerMode("manual");
    lab.service.answer = ({ event }) =>
      event.type === "answered" ? [{ type: "play", url: "http://app.test/a.wav", loop: 0 }] : [];
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    await phone.waitFor("incoming");
    await phone.answer();
    await phone.waitFor("answered");
    await phone.awaitTone(1_200);
    await phone.hold();
    await phone.waitFor("held");
    await phone.resume();
    await phone.waitFor("resumed");
    await phone.awaitTone(1_200);
    await phone.hangup();
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.deepEqual(event, { type: "ended", outcome: "completed" });
    const { by, cause } = await lab.service.disconnectionOf(invitation.leg);
    assert.deepEqual([by, cause], ["remote", "bye"]);
    await phone.waitFor("ended");
    await phone.unregister();
  });

  softphoneTest(`${kind} declines a call`, async (lab) => {
    const phone = await lab.phone(kind, "alice");
    await phone.setAnswerMode("decline");
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    const { event } = await lab.service.event("ended", invitation.leg);

    // Both libraries decline with 480 unless told otherwise.
    assert.equal(event.sipStatus, 480);
    const { by, cause } = await lab.service.disconnectionOf(invitation.leg);
    assert.deepEqual([by, cause], ["remote", "refused"]);
    await phone.waitFor("ended");
  });
}

for (const kind of ["sip.js", "jssip"] as const) {
  softphoneTest(`${kind} is one device, also when it comes again (RFC 5626)`, async (lab) => {
    const phone = await lab.phone(kind, "alice");
    const [first, ...others] = await lab.bindings("alice");

    await phone.dropSocket();
    await phone.waitFor("registered");
    const [again, ...old] = await lab.bindings("alice");

    assert.match(first?.instanceId ?? "", /^<?urn:uuid:[0-9a-f-]{36}>?$/);
    assert.equal(first?.regId, "1");
    assert.notEqual(again?.remoteAddress, first?.remoteAddress);
    assert.equal(again?.instanceId, first?.instanceId);
    assert.deepEqual([others, old], [[], []]);
  });
}

/** One side holds the call and takes it back; meanwhile the other hears nothing of it. */
async function holdAndResume(holder: BrowserSoftphone, held: BrowserSoftphone) {
  await holder.hold();
  await holder.waitFor("held");
  await Promise.all([holder.awaitSilence(), held.awaitSilence()]);
  await holder.resume();
  await holder.waitFor("resumed");
  await hearEachOther(holder, held);
}

for (const media of ["anchored", "proxied"] as const) {
  softphoneTest(`sip.js and jssip talk, hold and resume with ${media} media`, async (lab) => {
    const [caller, callee] = [await lab.phone("sip.js", "alice"), await lab.phone("jssip", "bob")];
    putThrough(lab, { media });

    await connect(caller, callee, "bob");
    await holdAndResume(caller, callee);
    await holdAndResume(callee, caller);
    await callee.hangup();
    await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);
  });
}
