import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { relayAudio } from "../support/browsers/page_network.ts";
import type { SoftphonePage } from "../support/browsers/softphone_page.ts";
import {
  type SoftphonePageLab,
  softphonePageTest,
} from "../support/browsers/softphone_page_lab.ts";
import { eventually } from "../support/process/eventually.ts";

/** The softphone page in Firefox, as Debian has it. */
const inFirefox = (name: string, body: (lab: SoftphonePageLab) => Promise<void>): void =>
  softphonePageTest(name, body, firefoxTest);

async function talk(caller: SoftphonePage, callee: SoftphonePage, login: string): Promise<void> {
  await caller.dial(login);
  await callee.shows("is calling you");
  await callee.press("Answer");
  await bothHear(caller, callee);
}

const bothHear = (one: SoftphonePage, other: SoftphonePage) =>
  Promise.all([one.hears(), other.hears()]);

async function callEcho(phone: SoftphonePage): Promise<void> {
  await phone.page.getByRole("button", { name: /^Call\s+Echo\s*,/ }).click();
  await phone.shows("Talking");
  await phone.hears();
}

inFirefox(
  "Firefox registers, hears itself by Echo, and again after its network changed",
  async (lab) => {
    const alice = await lab.enter("alice");
    const network = await relayAudio(alice.page);
    await callEcho(alice);
    const iceNames = () => alice.run<string[]>("iceNames");
    const before = await iceNames();

    network.change();

    await alice.shows("Reconnecting the call…");
    await eventually("ICE is restarted", async () => {
      const now = await iceNames();
      return now.every((name, side) => name !== before[side]);
    });
    await alice.shows("Talking");
    await alice.hears();
    await alice.press("Hang up");
    await alice.shows("You hung up");
    await network.close();
  },
);

inFirefox("Firefox calls and is called, holds, and transfers", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  const carol = await lab.enter("carol");
  await talk(alice, bob, "bob");

  await bob.press("Hold");
  await alice.shows("bob has put you on hold");
  await Promise.all([alice.hearsNothing(), bob.hearsNothing()]);
  await bob.press("Hold");
  await alice.shows("Talking");
  await bothHear(alice, bob);

  await alice.press("Transfer");
  await alice.page.getByLabel("Transfer to").fill("carol");
  await alice.press("Transfer now");
  await carol.shows("is calling you");
  await carol.press("Answer");
  await alice.shows("Transferred to carol");
  await bothHear(bob, carol);
});

inFirefox("a page whose modules do not load says so", async (lab) => {
  const alice = await lab.open();
  const { page } = alice;
  const notice = page.locator("#not-loaded");
  await notice.waitFor({ state: "detached" });

  await page.route("**/softphone/target.js", (route) => route.abort());
  await page.reload();

  await notice.filter({ hasText: "The softphone could not be loaded" }).waitFor();
  await page.unroute("**/softphone/target.js");
  await page.reload();
  await notice.waitFor({ state: "detached" });
});

inFirefox("Firefox sends digits by its keypad", async (lab) => {
  await using app = startAppServer();
  app.pages.set(
    "/voice",
    '<Response><Gather action="/digits" numDigits="3" timeout="30"/></Response>',
  );
  app.pages.set("/digits", "<Response><Hangup/></Response>");
  const alice = await lab.enter("alice");
  const [client] = await lab.system.get("Clients.json?Login=alice");
  await lab.system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/voice` });

  await alice.dial("application");
  await alice.shows("Talking");
  await alice.press("Keypad");
  for (const key of ["4", "0", "7"]) {
    await alice.call.getByRole("button", { name: key, exact: true }).click();
  }

  assert.equal((await app.asked("/digits")).Digits, "407");
});
