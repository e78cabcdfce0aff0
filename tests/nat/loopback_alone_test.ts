import assert from "node:assert/strict";
import { candidatesOf } from "../../sip/media/webrtc/host_candidates.ts";
import { withFirefox } from "../support/browsers/firefox.ts";
import { type NatLab, natTest } from "../support/process/nat_lab.ts";
import { hosts } from "../support/process/nat_network.ts";
import { openSoftphonePage } from "../support/browsers/softphone_page.ts";
import type { System } from "../support/process/system.ts";
import { talkAt } from "../support/media/talker.ts";

/** A machine that has the loopback and no network: service, companion, phones and the tests are on it. */
const aloneTest = (name: string, body: (lab: NatLab) => Promise<void>) =>
  natTest(import.meta.url, name, body, "alone");

/** The password that the scripted phone uses too. */
const makeAlice = (lab: NatLab, system: System) =>
  system.post("Clients.json", {
    Login: "alice",
    Password: "alice-secret",
    VoiceUrl: `${lab.app.url}/echo`,
  });

aloneTest(
  "without a network the start says where it is, and a plain phone hears itself",
  async (lab) => {
    const system = await lab.start("alone", hosts.alone, {});
    await makeAlice(lab, system);

    const alice = await system.phone("alice");
    const call = await talkAt(alice, "sip:application@localhost", 500);
    await call.untilHearsOnly(500);

    const printed = system.output();
    assert.ok(printed.includes(`REST interface: ${system.baseUrl}`), printed);
    assert.ok(printed.includes(`SIP over WebSocket: ${system.wsUrl}`), printed);
    assert.match(printed, /no network address but the loopback's.*Firefox/);
    await call.close();
  },
);

aloneTest(
  "without a network Chromium hears itself, set as the start says, at HOST=0.0.0.0",
  async (lab) => {
    const system = await lab.start("alone", hosts.alone, { HOST: "0.0.0.0" });
    const page = await lab.enter("alone", system, "alice");

    await lab.hearsItself(page);

    await page.close();
  },
);

aloneTest(
  "without a network Firefox registers, and says that audio has no connection",
  async (lab) => {
    const system = await lab.start("alone", hosts.alone, {});
    await makeAlice(lab, system);
    await withFirefox(async (browser) => {
      const page = await openSoftphonePage(browser, system);
      await page.logIn("alice", "alice-secret");
      await page.registered("alice");

      await page.dial("application");
      await page.shows("There is no connection for audio");

      // Firefox itself says why, on its console.
      await assert.rejects(page.close(), /WebRTC: ICE failed/);
    });
  },
);

aloneTest("without a network a socket of every address has the loopback as its candidate", () => {
  const [candidate, ...others] = candidatesOf({ bindAddress: "0.0.0.0", port: 5000 });

  assert.match(candidate ?? "none", / 127\.0\.0\.1 5000 typ host$/);
  assert.deepEqual(others, []);
  return Promise.resolve();
});
