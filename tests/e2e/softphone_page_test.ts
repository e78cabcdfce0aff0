import assert from "node:assert/strict";
import type { SoftphonePage } from "../support/browsers/softphone_page.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { softphonePageTest } from "../support/browsers/softphone_page_lab.ts";
import { eventually } from "../support/process/eventually.ts";
import { tone } from "../support/media/tone.ts";
import { pcmFile } from "../support/media/wav_file.ts";

/** One calls another, which answers; both hear the other's microphone. */
async function talk(caller: SoftphonePage, callee: SoftphonePage, login: string) {
  await caller.dial(login);
  await callee.shows("is calling you");
  await caller.shows("Ringing…");
  await callee.press("Answer");
  await both(caller, callee, (page) => page.shows("Talking"));
  await both(caller, callee, (page) => page.hears());
}

const both = (
  one: SoftphonePage,
  other: SoftphonePage,
  does: (page: SoftphonePage) => Promise<void>,
) => Promise.all([does(one), does(other)]);

softphonePageTest(
  "the softphone logs in, says that a password is wrong, and logs out",
  async (lab) => {
    const { page, ...phone } = await lab.open();
    await lab.system.post("Clients.json", { Login: "alice", Password: "secret" });

    await phone.logIn("alice", "wrong");
    await page.getByRole("alert").filter({ hasText: "Wrong login or password" }).waitFor();
    await phone.logIn("alice", "secret");
    await phone.registered("alice");
    assert.equal(new URL(page.url()).search + new URL(page.url()).hash, "");
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);

    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("Not logged in").waitFor();
    const [client] = await lab.system.get("Clients.json?Login=alice");
    await eventually(
      "it is registered no longer",
      async () => (await lab.system.get(`Clients/${client.sid}/Bindings.json`)).length === 0,
    );
    await page.getByLabel("Stay logged in while this tab is open").check();
    await phone.logIn("alice", "secret");
    await phone.registered("alice");
    await page.reload();
    await phone.registered("alice");
  },
);

softphonePageTest("two pages talk, mute, hold and resume, and keep a history", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  await talk(alice, bob, "bob");
  assert.equal(await alice.page.title(), "bob – Switchboard");

  await alice.press("Mute");
  await bob.hearsNothing();
  await alice.shows("you are muted");
  await alice.press("Mute");
  await bob.hears();

  await bob.press("Hold");
  await bob.shows("On hold");
  await alice.shows("bob has put you on hold");
  await both(alice, bob, (page) => page.hearsNothing());
  await alice.press("Hold");
  await both(alice, bob, (page) => page.shows("On hold, by"));
  await bob.press("Hold");
  await bob.shows("alice has put you on hold");
  await alice.shows(/On hold\d/);
  await alice.press("Hold");
  await both(alice, bob, (page) => page.shows("Talking"));
  await both(alice, bob, (page) => page.hears());

  await bob.press("Hang up");
  await alice.shows("bob hung up");
  await alice.page.getByRole("button", { name: /^Call\s+bob\s+again\.\s+Outgoing/ }).waitFor();
  await bob.page.getByRole("button", { name: /^Call\s+alice\s+again\.\s+Incoming/ }).waitFor();
  await alice.page.getByRole("button", { name: "Clear" }).click();
  await alice.page.getByText("Calls that you make and get will be here.").waitFor();
});

softphonePageTest(
  "an incoming call rings, in the title too, is declined, and is missed",
  async (lab) => {
    const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];

    assert.equal(await bob.run("tones"), 0);
    await alice.dial("bob");
    await bob.shows("is calling you");
    await eventually("bob's page rings", async () => await bob.run<number>("tones") >= 3);
    await eventually("alice's page rings back", async () => await alice.run<number>("tones") >= 2);
    assert.equal(await bob.page.title(), "☎ alice is calling – Switchboard");
    await bob.press("Decline");
    await alice.shows("bob declined");

    await alice.dial("bob");
    await bob.shows("is calling you");
    await alice.press("Hang up");
    await bob.shows("alice hung up before you answered");
    await bob.page.getByRole("button", { name: /^Call\s+alice\s+again\.\s+Missed/ }).waitFor();
    assert.equal(await bob.page.title(), "Softphone – Switchboard");

    await alice.dial("nobody");
    await alice.shows(/no nobody here|nobody cannot be reached|nobody was not reached/);
  },
);

softphonePageTest(
  "a transfer without and with asking first leaves the others talking",
  async (lab) => {
    const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
    const carol = await lab.enter("carol");

    await talk(alice, bob, "bob");
    await alice.press("Transfer");
    await alice.page.getByLabel("Transfer to").fill("carol");
    await alice.press("Transfer now");
    await carol.shows("is calling you");
    await carol.press("Answer");
    await alice.shows("Transferred to carol");
    await both(bob, carol, (page) => page.hears());
    await carol.press("Hang up");
    await eventually(
      "all cards are gone",
      async () =>
        (await Promise.all([alice, bob, carol].map(({ page }) => page.locator("article").count())))
          .every((count) => count === 0),
    );

    await talk(alice, bob, "bob");
    await alice.press("Transfer");
    await alice.page.getByLabel("Transfer to").fill("carol");
    await alice.press("Ask first");
    await carol.shows("is calling you");
    await carol.press("Answer");
    await both(alice, carol, (page) => page.hears());
    await alice.press("Connect with carol", "bob");
    await alice.page.getByText("Transferred to carol").first().waitFor();
    await both(bob, carol, (page) => page.hears());
  },
);

softphonePageTest("the numbers of a first start echo, take keys, record and join", async (lab) => {
  const { system } = lab;
  const { demo_login: login, demo_password: password } = JSON.parse(
    await Deno.readTextFile(`${system.directory}/credentials.json`),
  );
  assert.match(system.output(), new RegExp(`/softphone, login ${login}\\. Its password is in `));
  assert.match(system.output(), /\+12125550101 \(Echo\)/);
  const phone = await lab.open();
  await phone.logIn(login, password);
  await phone.registered(login);
  const tried = (name: string) =>
    phone.page.getByRole("button", { name: new RegExp(`^Call\\s+${name}\\s*,`) }).click();

  await tried("Echo");
  await phone.shows("Talking");
  await phone.hears();
  await phone.press("Hang up");

  await tried("Menu");
  await phone.shows("Talking");
  await phone.hears();
  await phone.press("Keypad");
  await phone.call.getByRole("button", { name: "3", exact: true }).click();
  const [recording] = await eventually("the voice mail is kept", async () => {
    const { recordings } = await system.get("Recordings.json");
    return recordings.length > 0 && recordings;
  }, 40_000).catch(async (error) => {
    throw new Error(`${error}: ${JSON.stringify(await system.get("Notifications.json"))}`);
  });
  assert.ok(recording.sid);
  assert.equal(await phone.call.locator(".sent").textContent(), "3");
  await phone.press("Hang up");

  await tried("Conference");
  await phone.shows("Talking");
  await phone.hears();
});

softphonePageTest(
  "a page shows a hold in a Dial whose media are relayed by us",
  async (lab) => {
    await using app = startAppServer();
    app.pages.set(
      "/voice",
      '<Response><Dial action="/after"><Client>bob</Client></Dial></Response>',
    );
    app.pages.set("/after", '<Response><Play loop="0">/tone.wav</Play></Response>');
    app.pages.set("/tone.wav", pcmFile(tone(1_500, 1)));
    const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
    const [client] = await lab.system.get("Clients.json?Login=alice");
    await lab.system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/voice` });
    await talk(alice, bob, "bob");

    await bob.press("Hold");
    await alice.shows("bob has put you on hold");
    await both(alice, bob, (page) => page.hearsNothing());
    await alice.press("Hold");
    await both(alice, bob, (page) => page.shows("On hold, by"));
    await bob.press("Hold");
    await bob.shows("alice has put you on hold");
    await alice.shows(/On hold\d/);
    await alice.press("Hold");
    await both(alice, bob, (page) => page.shows("Talking"));
    await both(alice, bob, (page) => page.hears());

    await bob.press("Hold");
    await alice.shows("bob has put you on hold");
    const { CallSid } = await app.asked("/voice");
    await lab.system.post(`Calls/${CallSid}.json`, { Url: `${app.url}/after` });
    await alice.shows("Talking");
    await alice.hears();
    await alice.press("Hang up");
  },
);

softphonePageTest("of several calls one talks, and the others are on hold", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  const carol = await lab.enter("carol");
  const cardOf = (name: string) => alice.page.getByRole("article", { name });
  await talk(alice, bob, "bob");

  await carol.dial("alice");
  await cardOf("carol").waitFor();
  await alice.press("Answer", "carol");
  await cardOf("bob").getByText("On hold").waitFor();
  await both(alice, carol, (page) => page.hears());
  await bob.hearsNothing();
  await alice.press("Hold", "bob");
  await cardOf("carol").getByText("On hold").waitFor();
  await bob.hears();
  await alice.press("Hang up", "carol");
  await carol.shows("alice hung up");
  await both(alice, bob, (page) => page.hears());
});
