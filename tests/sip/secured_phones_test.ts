import assert from "node:assert/strict";
import { mediaEngine } from "../../sip/media/engine/engine.ts";
import { rtpTransport } from "../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../sip/media/base/ticker.ts";
import { baresipTest, startBaresip } from "../support/baresip.ts";
import { testDomain } from "../support/fake_service.ts";
import { invite, inviteScript, type SipLab, startSipLab } from "../support/sip_lab.ts";
import { testCertificates } from "../support/test_certificates.ts";

const number = "+14155550101";

/** A companion that phones reach by UDP and TLS, and that echoes every call. */
async function withLab(body: (lab: SipLab) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  const certificate = { certFile: `${directory}/cert.pem`, keyFile: `${directory}/key.pem` };
  await Deno.writeTextFile(certificate.certFile, testCertificates.first.cert);
  await Deno.writeTextFile(certificate.keyFile, testCertificates.first.key);
  const place = { bindAddress: "127.0.0.1", host: "127.0.0.1", ports: { first: 0, last: 0 } };
  const transport = rtpTransport({ ...place, now: systemClock.now });
  try {
    await using lab = await startSipLab({
      engine: mediaEngine({ transports: [transport], log: () => {} }),
      transports: { ports: { UDP: 0, TLS: 0 }, certificate },
      trustedSources: ["127.0.0.1"],
    });
    lab.service.trunks.number = () => ({
      accountSid: `AC${"2".repeat(32)}`,
      numberSid: `PN${"2".repeat(32)}`,
      dialled: number,
      allowed: true,
    });
    lab.service.answer = ({ event }) =>
      event.type === "incomingNumber"
        ? [{ type: "answer" }, { type: "echo", seconds: 60 }]
        : event.type === "answered"
        ? [{ type: "echo", seconds: 60 }]
        : [];
    await body(lab);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

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
        calls: `sip:${number}@${host}:${port}`,
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
