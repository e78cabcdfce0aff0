import assert from "node:assert/strict";
import { MediaShortage } from "../../../sip/media/base/port.ts";
import { shortages as counter } from "../../../sip/base/metrics.ts";
import { invite, inviteScript, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf } from "../../support/sip/sip_text.ts";
import { openTrunk, startTrunkLab, trunkInvitation } from "../../support/sip/trunk_peer.ts";

/** An offer of plain RTP. */
const sdp = "v=0\r\nm=audio 9 RTP/AVP 0\r\n";

const text = 'Cannot open a port of 10000-10099 on "0.0.0.0" for RTP: all are taken';

/** Has an engine lack ports until the result is called. */
function useUp(media: object): () => void {
  const short = () => Promise.reject(new MediaShortage(text, "ports"));
  const { offer, answer } = media as Record<string, unknown>;
  Object.assign(media, { offer: short, answer: short });
  return () => Object.assign(media, { offer, answer });
}

const counted = async () =>
  (await counter.get()).values.find(({ labels }) => labels.kind === "ports")?.value ?? 0;

sipTest("a call that our ports do not suffice for is no refusal of the called side", async () => {
  await using lab = await startSipLab();
  const bob = await lab.phone("bob");
  bob.onCall = () => assert.fail("bob was asked");
  useUp(lab.media);
  const before = await counted();
  const invitation = invite("bob");
  await lab.run(invitation.leg, inviteScript(invitation));
  const { event } = await lab.service.event("ended", invitation.leg);
  assert.deepEqual([event.outcome, event.sipStatus, event.detail], ["failed", 503, text]);
  const why = await lab.service.disconnectionOf(invitation.leg);
  assert.deepEqual(why, { by: "service", cause: "exhausted", text });
  assert.equal(await counted(), before + 1);
});

sipTest("a trunk is not blamed for ports of ours", async () => {
  await using lab = await startTrunkLab();
  await using trunk = await openTrunk();
  useUp(lab.media);
  const invitation = trunkInvitation([trunk.route]);
  await lab.run(invitation.leg, inviteScript(invitation));
  const { event } = await lab.service.event("ended", invitation.leg);
  assert.deepEqual([event.sipStatus, event.reason], [503, undefined]);
  assert.equal((await lab.service.disconnectionOf(invitation.leg)).cause, "exhausted");
});

sipTest(
  "while ports are used up a plain INVITE gets 503, and nobody is asked about it",
  async () => {
    await using lab = await startSipLab();
    const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
    lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
    const held = await alice.call("anybody").answered;
    const { leg: holding } = await lab.service.event("incoming");
    const widen = useUp(lab.media);
    const first = await bob.call("anybody", { sdp }).final;
    const { leg } = await lab.service.reported((one) =>
      one.event.type === "ended" && one.leg !== holding
    );
    assert.equal((await lab.service.disconnectionOf(leg)).cause, "exhausted");
    await lab.service.beat(({ shortage }) => shortage === text);
    const asked = lab.service.reports.length;
    const second = await bob.call("anybody", { sdp }).final;
    for (const refusal of [first, second]) {
      assert.equal(refusal.status, 503);
      assert.match(valueOf(refusal, "retry-after"), /^\d+$/);
    }
    assert.equal(lab.service.reports.length, asked);

    // A leg that ends gives back what it had.
    widen();
    await held.bye();
    await lab.service.event("ended", holding);
    await bob.call("anybody", { sdp }).answered;
  },
);
