import assert from "node:assert/strict";
import { brokenSdp, foreignSdp } from "../../support/media/fake_media.ts";
import { invite, inviteScript, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf } from "../../support/sip/sip_text.ts";

const notAcceptable = 'SIP;cause=488;text="Not Acceptable Here"';

for (
  const [what, ack, reason] of [
    ["has no codec of ours", foreignSdp, "no-codec"],
    ["our media cannot follow", brokenSdp, "media-lost"],
  ] as const
) {
  sipTest(`onAck() ends a call whose late answer ${what} with BYE, and says why`, async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");
    lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];

    const dialog = await phone.call("anything", { sdp: "", ack }).answered;
    const bye = await dialog.ended;
    const { event } = await lab.service.event("ended");

    assert.equal(valueOf(bye, "reason"), notAcceptable);
    const detail = reason === "no-codec" ? { detail: "Cannot accept" } : {};
    assert.deepEqual(event, {
      type: "ended",
      outcome: "failed",
      sipStatus: 488,
      reason,
      ...detail,
    });
    assert.equal(lab.media.legs[0]?.closed, true);
  });
}

sipTest(
  "onUnfollowed() ends a caller's leg whose answer to a later offer cannot be followed",
  async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    lab.service.answer = ({ event }) =>
      event.type === "incoming"
        ? [{ type: "dial", legs: [invite("bob")], media: "anchored", timeoutS: 30, timeLimitS: 60 }]
        : [];
    const calling = alice.call("bob");
    const callee = await (await bob.nextCall()).answer();
    const caller = await calling.answered;
    const { leg } = await lab.service.event("incoming");

    const asked = await caller.request("INVITE", { ack: foreignSdp });
    const bye = await caller.ended;
    const { event } = await lab.service.event("ended", leg);
    await callee.ended;

    assert.equal(asked.status, 200);
    assert.equal(valueOf(bye, "reason"), notAcceptable);
    assert.deepEqual(event, { type: "ended", outcome: "completed", reason: "media-lost" });
  },
);

sipTest(
  "onUnfollowed() ends a callee's leg whose answer to a later offer cannot be followed",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");
    const invitation = invite("alice");
    lab.service.answer = () => [{ type: "silence", seconds: 60 }];
    await lab.run(invitation.leg, inviteScript(invitation));
    const dialog = await (await phone.nextCall()).answer();

    await dialog.request("INVITE", { ack: foreignSdp });
    const bye = await dialog.ended;
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.equal(valueOf(bye, "reason"), notAcceptable);
    assert.deepEqual(event, { type: "ended", outcome: "completed", reason: "media-lost" });
  },
);
