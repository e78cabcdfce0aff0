import assert from "node:assert/strict";
import { baresipTest, startBaresip } from "../../support/sip/baresip.ts";
import { echoNumber, startEchoLab } from "../../support/sip/echo_lab.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { invite, inviteScript, type SipLab } from "../../support/sip/sip_lab.ts";

const withLab = async (body: (lab: SipLab) => Promise<void>): Promise<void> => {
  await using lab = await startEchoLab({ isTrunk: true });
  await body(lab);
};

for (const secures of ["srtp-mand", "dtls_srtp"] as const) {
  baresipTest(
    `baresip with ${secures} registers over TLS, is called, and both hear`,
    () =>
      withLab(async (lab) => {
        const registrar = lab.companion.sipAddresses.get("TLS")!;
        await using phone = await startBaresip({
          login: "bob",
          domain: testDomain,
          transport: "tls",
          registrar,
          saysHz: 900,
          secures,
        });
        await lab.service.told(({ came }) => came.includes("bob"));

        const invitation = invite("bob");
        await lab.run(invitation.leg, inviteScript(invitation));
        await phone.untilHears(900);
        await phone.stop();
        const { event } = await lab.service.event("ended", invitation.leg);
        assert.deepEqual(event, { type: "ended", outcome: "completed" });
      }),
  );

  baresipTest(`baresip with ${secures} calls, and both hear`, () =>
    withLab(async (lab) => {
      const { host, port } = lab.companion.sipAddresses.get("UDP")!;
      await using phone = await startBaresip({
        login: "+442079460000",
        domain: "127.0.0.1",
        transport: "udp",
        saysHz: 900,
        secures,
        calls: `sip:${echoNumber}@${host}:${port}`,
      });
      const { leg } = await lab.service.event("incomingNumber");
      await phone.untilHears(900);
      await phone.stop();
      const { event } = await lab.service.event("ended", leg);
      assert.deepEqual(event, { type: "ended", outcome: "completed" });
    }));
}

baresipTest(
  "baresip without SRTP, registered over TLS, is called in the clear at last",
  () =>
    withLab(async (lab) => {
      const registrar = lab.companion.sipAddresses.get("TLS")!;
      await using phone = await startBaresip({
        login: "bob",
        domain: testDomain,
        transport: "tls",
        registrar,
        saysHz: 900,
      });
      await lab.service.told(({ came }) => came.includes("bob"));

      const invitation = invite("bob");
      await lab.run(invitation.leg, inviteScript(invitation));
      await phone.untilHears(900);
    }),
);
