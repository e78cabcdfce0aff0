import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import { invite, inviteScript, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { framesOf } from "../../support/media/synthetic_speech.ts";
import { eventually } from "../../support/process/eventually.ts";
import { tone } from "../../support/media/tone.ts";

const rest: Script = [{ type: "silence", seconds: 60 }];

sipTest("echo() sends back each frame as it comes, for its time", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const invitation = invite("alice");
  lab.service.answer = ({ event }) =>
    event.type === "answered" ? [{ type: "echo", seconds: 0.4 }, ...rest] : rest;
  await lab.run(invitation.leg, inviteScript(invitation));
  await (await phone.nextCall()).answer();
  const media = lab.media.legs[0]!;
  await eventually("alice is heard", () => media.source !== undefined);

  assert.equal(media.source!(), undefined);
  for (const frame of framesOf(tone(400, 0.1))) {
    media.hear(frame);
    assert.equal(media.source!(), frame);
  }
  await eventually("the echo is over", () => media.source === undefined);
  assert.equal(media.listeners, 0);
});
