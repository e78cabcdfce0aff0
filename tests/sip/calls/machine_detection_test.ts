import assert from "node:assert/strict";
import type { Pcm } from "../../../sip/media/base/port.ts";
import { type FakeMediaLeg } from "../../support/media/fake_media.ts";
import { invite, newLeg, type SipLab, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { framesOf, inTurn, silence, speech } from "../../support/media/synthetic_speech.ts";
import { tone } from "../../support/media/tone.ts";
import { eventually } from "../../support/process/eventually.ts";

const usual = {
  timeoutS: 30,
  untilEnd: false,
  speechThresholdMs: 2_400,
  speechEndMs: 1_200,
  silenceMs: 5_000,
};

/** Bob is called and answers; what he says next decides. */
async function answered(lab: SipLab, untilEnd = false) {
  const bob = await lab.phone("bob");
  const leg = newLeg();
  const detection = { ...usual, untilEnd };
  const invitation = invite("bob", leg);
  await lab.run(leg, [{ type: "invite", invitation, timeoutS: 30, machineDetection: detection }]);
  const callee = await (await bob.nextCall()).answer();
  const report = await lab.service.event("answered", leg);
  assert.equal(report.wantsScript, false);
  return { leg, callee, media: lab.media.legs[0]! };
}

/** Says sound once somebody listens, which the report of the answer comes before. */
async function say(media: FakeMediaLeg, pcm: Pcm): Promise<void> {
  await eventually("it listens", () => media.listeners > 0);
  for (const frame of framesOf(pcm)) media.hear(frame);
}

for (
  const [answeredBy, sound] of [
    ["human", inTurn(silence(0.4), speech(0.8), silence(2))],
    ["machine", inTurn(silence(0.4), speech(4), tone(1_000, 0.5))],
    ["unknown", silence(6)],
  ] as const
) {
  sipTest(
    `detectMachine() tells that ${answeredBy} answered, then performs the document`,
    async () => {
      await using lab = await startSipLab();
      lab.service.answer = ({ event }) =>
        event.type === "detected" ? [{ type: "silence", seconds: 60 }] : [];
      const { leg, media, callee } = await answered(lab, true);

      await say(media, sound);
      const { event, wantsScript } = await lab.service.event("detected", leg);

      assert.equal(event.answeredBy, answeredBy);
      assert.equal(wantsScript, true);
      assert.equal(media.listeners, 0);
      assert.equal((await callee.bye()).status, 200);
      await lab.service.event("ended", leg);
    },
  );
}

sipTest("detectMachine() ends with the call, and with another script", async () => {
  await using lab = await startSipLab();
  const first = await answered(lab);
  await say(first.media, speech(0.5));
  await first.callee.bye();
  const ended = await lab.service.event("ended", first.leg);
  assert.equal(ended.event.outcome, "completed");
  assert.equal(first.media.listeners, 0);

  const bob = await lab.phone("carol");
  const leg = newLeg();
  const invitation = invite("carol", leg);
  const machineDetection = usual;
  await lab.run(leg, [{ type: "invite", invitation, timeoutS: 30, machineDetection }]);
  const callee = await (await bob.nextCall()).answer();
  await lab.service.event("answered", leg);
  await lab.run(leg, [{ type: "hangup" }]);
  assert.equal((await callee.ended).method, "BYE");
  await lab.service.event("ended", leg);
  assert.ok(lab.service.reports.every(({ event }) => event.type !== "detected"));
});
