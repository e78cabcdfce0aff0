import assert from "node:assert/strict";
import { mediaEngine } from "../../sip/media/engine.ts";
import { rtpTransport } from "../../sip/media/plain_rtp.ts";
import { systemClock } from "../../sip/media/ticker.ts";
import { baresipTest, startBaresip } from "../support/baresip.ts";
import { testDomain } from "../support/fake_service.ts";
import { invite, inviteScript, startSipLab } from "../support/sip_lab.ts";
import { amplitudeOf, tone } from "../support/tone.ts";

const loud = 8_000;

for (const transport of ["udp", "tcp"] as const) {
  baresipTest(`baresip registers over ${transport}, is called and hears the audio`, async () => {
    const engine = mediaEngine({
      transports: [rtpTransport({
        bindAddress: "127.0.0.1",
        host: "127.0.0.1",
        ports: { first: 0, last: 0 },
        now: systemClock.now,
      })],
      log: () => {},
    });
    await using lab = await startSipLab({
      engine,
      loadAudio: () => Promise.resolve(tone(1_200, 1.5, 8_000, loud)),
      transports: { ports: { UDP: 0, TCP: 0 } },
    });
    lab.service.answer = ({ event }) =>
      event.type === "answered" ? [{ type: "play", url: "http://app.test/a.wav", loop: 1 }] : [];
    const registrar = lab.companion.sipAddresses.get(transport === "udp" ? "UDP" : "TCP")!;
    const account = { login: "bob", domain: testDomain, transport, registrar };
    await using phone = await startBaresip(account);
    await lab.service.told(({ came }) => came.includes("bob"));

    const invitation = invite("bob");
    await lab.run(invitation.leg, inviteScript(invitation));
    const { event } = await lab.service.event("ended", invitation.leg);
    const heard = await phone.stop();

    assert.deepEqual(event, { type: "ended", outcome: "completed" });
    // A second of it, once the first packets are through its jitter buffer.
    const second = heard.slice(heard.length - 10_000, heard.length - 2_000);
    const amplitude = amplitudeOf(1_200, second) * 32_768;
    assert.ok(Math.abs(amplitude - loud) < loud / 10, `heard 1,200 Hz with ${amplitude}`);
  });
}
