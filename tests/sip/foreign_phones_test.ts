import assert from "node:assert/strict";
import { mediaEngine } from "../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../sip/media/base/ticker.ts";
import { foreignPhones, foreignPhoneTest, startForeignPhone } from "../support/foreign_phone.ts";
import { testDomain } from "../support/fake_service.ts";
import { invite, inviteScript, type SipLab, startSipLab } from "../support/sip_lab.ts";

/** A companion that echoes every call; a phone's tone comes back only if both directions work. */
async function startEcho(): Promise<SipLab> {
  const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports: { first: 0, last: 0 } };
  const transport = rtpTransport({ ...place, now: systemClock.now });
  const lab = await startSipLab({
    engine: mediaEngine({ transports: [transport], log: () => {} }),
    transports: { ports: { UDP: 0 } },
  });
  lab.service.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "answer" }, { type: "echo", seconds: 60 }]
      : event.type === "answered"
      ? [{ type: "echo", seconds: 60 }]
      : [];
  return lab;
}

const completed = { type: "ended", outcome: "completed" };

for (const kind of foreignPhones) {
  await foreignPhoneTest(
    kind,
    `${kind.name} registers, is called, and hears its tone`,
    async () => {
      await using lab = await startEcho();
      const { host, port } = lab.companion.sipAddresses.get("UDP")!;
      await using phone = await startForeignPhone(kind, {
        login: "alice",
        registrar: `${host}:${port}`,
        saysHz: 1_000,
      });
      await lab.service.told(({ came }) => came.includes("alice"));

      const invitation = invite("alice");
      await lab.run(invitation.leg, inviteScript(invitation));
      await phone.untilHears(1_000);
      await phone.stop();
      const { event } = await lab.service.event("ended", invitation.leg);
      assert.deepEqual(event, completed);
    },
  );

  await foreignPhoneTest(kind, `${kind.name} registers, calls, and hears its tone`, async () => {
    await using lab = await startEcho();
    const { host, port } = lab.companion.sipAddresses.get("UDP")!;
    await using phone = await startForeignPhone(kind, {
      login: "alice",
      registrar: `${host}:${port}`,
      saysHz: 1_000,
    });
    await lab.service.told(({ came }) => came.includes("alice"));

    await phone.call(`sip:bob@${host}:${port}`);
    const { event: called, leg } = await lab.service.event("incoming");
    assert.equal(called.uri, `sip:bob@${testDomain}`);
    await phone.untilHears(1_000);
    await phone.stop();
    const { event } = await lab.service.event("ended", leg);
    assert.deepEqual(event, completed);
  });
}
