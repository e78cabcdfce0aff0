import assert from "node:assert/strict";
import type { Script } from "../../../../core/protocol/script.ts";
import { waitMusic } from "../../../../sip/media/audio/conference_sounds.ts";
import { invite, inviteScript, sipTest, startSipLab } from "../../../support/sip/sip_lab.ts";

const next: Script[number] = {
  type: "next",
  action: { url: "http://app.test/next", method: "POST", hops: 3 },
};

for (const music of [true, undefined]) {
  sipTest(`a pause ${music ? "with" : "without"} music ends after its time`, async () => {
    await using lab = await startSipLab({ slowMedia: true });
    const phone = await lab.phone("alice");
    const invitation = invite("alice");
    const pause: Script[number] = { type: "silence", seconds: .1, ...music && { music } };
    const scripts: Script[] = [[pause, next]];
    lab.service.answer = () => scripts.shift() ?? [];
    await lab.run(invitation.leg, inviteScript(invitation));
    await (await phone.nextCall()).answer();
    await lab.service.event("ended", invitation.leg);

    const { played, playing } = lab.media.legs[0]!;
    assert.deepEqual(played, music ? [{ samples: waitMusic().length, loop: 0 }] : []);
    assert.equal(playing, false);
    const events = lab.service.reports.map(({ event }) => event.type);
    assert.ok(events.includes("next") && !events.includes("problem"));
  });
}
