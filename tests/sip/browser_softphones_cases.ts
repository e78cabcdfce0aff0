import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { Script } from "../../core/bridge.ts";
import { type Companion, startCompanion } from "../../sip/companion.ts";
import { mediaEngine } from "../../sip/media/engine.ts";
import { webrtcTransport } from "../../sip/media/peer.ts";
import {
  type BrowserSoftphone,
  openBrowserSoftphone,
  type SoftphoneKind,
} from "../support/browser_softphone.ts";
import { chromiumTest } from "../support/chromium.ts";
import { type FakeService, startFakeService, testDomain } from "../support/fake_service.ts";
import { invite, inviteScript } from "../support/sip_lab.ts";
import { tone } from "../support/tone.ts";

/** A companion with real media, and softphones in a browser. */
interface Lab {
  service: FakeService;
  run(leg: string, script: Script): Promise<void>;
  /** A registered softphone of a Client. */
  phone(kind: SoftphoneKind, login: string): Promise<BrowserSoftphone>;
}

const softphoneTest = (name: string, body: (lab: Lab) => Promise<void>) =>
  chromiumTest(name, async (browser) => {
    await using service = startFakeService();
    const companion = await start(service);
    const phones: BrowserSoftphone[] = [];
    try {
      await body({
        service,
        async run(leg, script) {
          await service.order(companion.bridgeUrl, "/run", { leg, script });
        },
        async phone(kind, login) {
          const phone = await open(browser, kind, { service, companion, login });
          phones.push(phone);
          await phone.register();
          return phone;
        },
      });
      await Promise.all(phones.map((phone) => phone.close()));
    } finally {
      await companion.stop();
    }
  });

const start = (service: FakeService) =>
  startCompanion({
    sipHost: "127.0.0.1",
    sipPort: 0,
    bridgeHost: "127.0.0.1",
    bridgePort: 0,
    serviceUrl: service.url,
    bridgeSecret: service.secret,
    sipDomain: testDomain,
    id: "lab",
    media: mediaEngine({
      transports: [webrtcTransport({ bindAddress: "127.0.0.1" })],
      log: () => {},
    }),
    loadAudio: () => Promise.resolve(tone(1_200, 0.5)),
    log: () => {},
  });

function open(
  browser: Browser,
  kind: SoftphoneKind,
  { service, companion, login }: { service: FakeService; companion: Companion; login: string },
): Promise<BrowserSoftphone> {
  service.addClient(login, `${login}-secret`);
  return openBrowserSoftphone(browser, kind, {
    login,
    password: `${login}-secret`,
    domain: testDomain,
    wsUrl: companion.sipUrl,
  });
}

for (const kind of ["sip.js", "jssip"] as const) {
  softphoneTest(`${kind} is rung, hears the audio, holds and hangs up`, async (lab) => {
    const phone = await lab.phone(kind, "alice");
    await phone.setAnswerMode("manual");
    lab.service.answer = ({ event }) =>
      event.type === "answered" ? [{ type: "play", url: "http://app.test/a.wav", loop: 0 }] : [];
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    await phone.waitFor("incoming");
    await phone.answer();
    await phone.waitFor("answered");
    await phone.awaitTone(1_200);
    await phone.hold();
    await phone.waitFor("held");
    await phone.resume();
    await phone.waitFor("resumed");
    await phone.awaitTone(1_200);
    await phone.hangup();
    const { event } = await lab.service.event("ended", invitation.leg);

    assert.deepEqual(event, { type: "ended", outcome: "completed" });
    await phone.waitFor("ended");
    await phone.unregister();
  });

  softphoneTest(`${kind} declines a call`, async (lab) => {
    const phone = await lab.phone(kind, "alice");
    await phone.setAnswerMode("decline");
    const invitation = invite("alice");

    await lab.run(invitation.leg, inviteScript(invitation));
    const { event } = await lab.service.event("ended", invitation.leg);

    // Both libraries decline with 480 unless told otherwise.
    assert.equal(event.sipStatus, 480);
    await phone.waitFor("ended");
  });
}

for (const media of ["anchored", "proxied"] as const) {
  softphoneTest(`sip.js and jssip hear each other in a call with ${media} media`, async (lab) => {
    const [caller, callee] = [await lab.phone("sip.js", "alice"), await lab.phone("jssip", "bob")];
    const legs = [invite("bob")];
    lab.service.answer = ({ event }) =>
      event.type === "incoming"
        ? [{ type: "dial", legs, media, timeoutS: 10, timeLimitS: 60 }, { type: "hangup" }]
        : [];

    await caller.call("bob");
    await Promise.all([caller.waitFor("answered"), callee.waitFor("answered")]);
    await Promise.all([caller.awaitAudio(50), callee.awaitAudio(50)]);
    const sent = await Promise.all([caller.stats(), callee.stats()]);
    await callee.hangup();
    await Promise.all([caller.waitFor("ended"), callee.waitFor("ended")]);

    for (const { packetsSent } of sent) assert.ok(packetsSent >= 50, `${packetsSent} packets sent`);
  });
}
