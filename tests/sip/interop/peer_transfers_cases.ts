import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { MediaEngine } from "../../../sip/media/base/port.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { webrtcTransport } from "../../../sip/media/webrtc/peer.ts";
import { ownSockets } from "../../../sip/media/webrtc/sockets.ts";
import { connect, hearEachOther } from "../../support/browsers/browser_lab.ts";
import {
  type BrowserSoftphone,
  openBrowserSoftphone,
  type SoftphoneKind,
} from "../../support/browsers/browser_softphone.ts";
import { chromiumTest } from "../../support/browsers/chromium.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { startTransferLab } from "../../support/sip/transfer_lab.ts";

const host = "127.0.0.1";

type Lab = Awaited<ReturnType<typeof startTransferLab<MediaEngine>>>;

/** A softphone in a browser that is registered at a companion, and the service knows it. */
async function open(
  lab: Lab,
  browser: Browser,
  { kind, login, at }: { kind: SoftphoneKind; login: string; at: string },
): Promise<BrowserSoftphone> {
  const phone = await openBrowserSoftphone(browser, kind, {
    login,
    password: `${login}-secret`,
    domain: testDomain,
    wsUrl: lab.at(at).sipUrl,
  });
  await phone.register();
  const { companions } = lab.app.ports;
  await lab.until(async () =>
    (await companions.holding(login, await companions.list())).length > 0
  );
  return phone;
}

const ourMedia = () =>
  mediaEngine({ transports: [webrtcTransport(ownSockets(host))], log: () => {} });

/** Who transfers is alice; the one transferred does the work where SDP passes through. */
const courses = [["sip.js", "jssip", "proxied"], ["jssip", "sip.js", "anchored"]] as const;

for (const [kind, others, media] of courses) {
  chromiumTest(
    `${kind} at one companion transfers to whom it asked at another, with ${media} media`,
    async (browser) => {
      await using lab = await startTransferLab(media, ourMedia);
      const alice = await open(lab, browser, { kind: others, login: "alice", at: "one" });
      const bob = await open(lab, browser, { kind, login: "bob", at: "two" });
      const carol = await open(lab, browser, { kind: others, login: "carol", at: "three" });
      await connect(alice, bob, "bob");
      await bob.hold();
      await bob.waitFor("held");
      await connect(bob, carol, "carol");

      await bob.transferToNewest();
      await bob.waitFor("transferred");
      await Promise.all([bob.waitFor("ended"), bob.waitFor("ended")]);
      if (media === "proxied") {
        await Promise.all([alice, carol].map((phone) => phone.waitFor("answered")));
        await Promise.all([alice, carol].map((phone) => phone.waitFor("ended")));
      }
      await hearEachOther(alice, carol);
      await carol.hangup();
      await Promise.all([alice.waitFor("ended"), carol.waitFor("ended")]);
      await lab.until(async () => (await lab.statuses()).every((status) => status === "completed"));
      await Promise.all([alice, bob, carol].map((phone) => phone.close()));
    },
  );
}

chromiumTest("sip.js and jssip send each other texts, at two companions", async (browser) => {
  await using lab = await startTransferLab("proxied", ourMedia);
  const alice = await open(lab, browser, { kind: "sip.js", login: "alice", at: "one" });
  const bob = await open(lab, browser, { kind: "jssip", login: "bob", at: "two" });

  for (const [from, to, login] of [[alice, bob, "bob"], [bob, alice, "alice"]] as const) {
    await from.message(login, "Grüße, ☎ 42");
    assert.equal((await from.waitFor("MESSAGE answered")).detail, "407");
    assert.equal((await from.waitFor("MESSAGE answered")).detail, "202");
    await lab.app.runJobs();
    assert.equal((await to.waitFor("text")).detail, "Grüße, ☎ 42");
  }
  await Promise.all([alice, bob].map((phone) => phone.close()));
});
