import assert from "node:assert/strict";
import { invite, inviteScript, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { plainOffer } from "../../support/sip/plain_peer.ts";

sipTest("ring() calls a WebSocket phone with plain RTP that offered plain RTP", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  lab.service.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "reject", status: 486 }] : [];
  await phone.call("anything", { sdp: plainOffer(40_000) }).final;
  const before = lab.media.legs.length;

  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  await (await phone.nextCall()).answer(plainOffer(40_000));
  await lab.service.event("answered", invitation.leg);

  assert.deepEqual(lab.media.legs.slice(before).map(({ kind }) => kind), ["rtp"]);
});

sipTest(
  "ring() offers plain RTP to a WebSocket phone that refuses WebRTC, and from then on",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice");

    const first = invite("alice");
    await lab.run(first.leg, inviteScript(first));
    (await phone.nextCall()).decline(488);
    const dialog = await (await phone.nextCall()).answer(plainOffer(40_000));
    await lab.service.event("answered", first.leg);
    await dialog.bye();
    const second = invite("alice");
    await lab.run(second.leg, inviteScript(second));
    await (await phone.nextCall()).answer(plainOffer(40_000));
    await lab.service.event("answered", second.leg);

    assert.deepEqual(lab.media.legs.map(({ kind }) => kind), ["webrtc", "rtp", "rtp"]);
    assert.equal(lab.media.legs[0]?.closed, true);
  },
);

sipTest("ring() ends a call with 488 that is refused with either kind of media", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");

  const invitation = invite("alice");
  await lab.run(invitation.leg, inviteScript(invitation));
  (await phone.nextCall()).decline(488);
  (await phone.nextCall()).decline(488);
  const { event } = await lab.service.event("ended", invitation.leg);

  assert.deepEqual([event.sipStatus, event.reason], [488, "no-codec"]);
});
