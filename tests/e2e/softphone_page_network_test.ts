import { relayAudio } from "../support/browsers/page_network.ts";
import type { SoftphonePage } from "../support/browsers/softphone_page.ts";
import { softphonePageTest } from "../support/browsers/softphone_page_lab.ts";
import { eventually } from "../support/process/eventually.ts";

const iceNames = (page: SoftphonePage) => page.run<string[]>("iceNames");

/** Resolves when both sides have names of ICE that they had not before, and the call is as it was. */
async function restarted(page: SoftphonePage, before: string[]): Promise<void> {
  await eventually("ICE is restarted", async () => {
    const now = await iceNames(page);
    return now.every((name, side) => name !== before[side]);
  });
  await page.shows("Talking");
}

/** The browser says that it has a network again. */
const beOnline = ({ page }: SoftphonePage) =>
  page.evaluate(() => void dispatchEvent(new Event("online")));

async function callEcho(phone: SoftphonePage): Promise<void> {
  await phone.page.getByRole("button", { name: /^Call\s+Echo\s*,/ }).click();
  await phone.shows("Talking");
  await phone.hears();
}

async function talk(caller: SoftphonePage, callee: SoftphonePage, login: string): Promise<void> {
  await caller.dial(login);
  await callee.shows("is calling you");
  await callee.press("Answer");
  await Promise.all([caller.hears(), callee.hears()]);
}

softphonePageTest("a call whose way for audio is gone goes on by another one", async (lab) => {
  const alice = await lab.enter("alice");
  const network = await relayAudio(alice.page);
  await callEcho(alice);

  for (let changes = 0; changes < 2; changes++) {
    const before = await iceNames(alice);
    network.change();
    await alice.shows("Reconnecting the call…");
    await restarted(alice, before);
    await alice.hears();
  }

  await alice.press("Hang up");
  await alice.shows("You hung up");
  await network.close();
});

softphonePageTest("a call whose audio finds no way any more ends, and says so", async (lab) => {
  const alice = await lab.enter("alice");
  const network = await relayAudio(alice.page);
  await callEcho(alice);

  network.cut();

  await alice.shows("Reconnecting the call…");
  await alice.shows(/The call could not be reconnected|The call ended while it was interrupted/);
  await alice.page.getByRole("button", { name: /^Call\s+Echo\s+again/ }).waitFor();
  await alice.registered("alice");
  await network.close();
});

/** Ways to lose a connection. */
const losses = {
  "that was closed": async ({ page, run }: SoftphonePage) => {
    await run("dropSocket");
    await page.getByText(/^Connection lost/).waitFor();
  },
  "that died without a word": async (alice: SoftphonePage) => {
    await alice.run("deadenSocket");
    await beOnline(alice);
  },
};

for (const [how, lose] of Object.entries(losses)) {
  softphonePageTest(
    `a call goes on after a connection ${how}, and ends by a new one`,
    async (lab) => {
      const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
      await talk(alice, bob, "bob");
      const before = await iceNames(alice);

      await lose(alice);
      await restarted(alice, before);
      await alice.registered("alice");
      await Promise.all([alice.hears(), bob.hears()]);

      await bob.press("Hang up");
      await alice.shows("bob hung up");
    },
  );
}

softphonePageTest("a page that reconnects to a call that has ended shows its end", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  await talk(alice, bob, "bob");

  await alice.run("deadenSocket");
  await bob.press("Hang up");
  await bob.shows("You hung up");
  await beOnline(alice);

  await alice.shows(/The call has ended meanwhile|The call ended while it was interrupted/);
});

softphonePageTest("a registration is renewed before it ends", async (lab) => {
  const alice = await lab.enter("alice");
  const { clock } = alice.page;
  const registrations = (count: number) =>
    eventually(
      `${count} registrations`,
      async () => await alice.run<number>("registrations") === count,
    );
  await clock.install();
  await beOnline(alice);
  await registrations(2);

  await clock.fastForward(240_000);
  await registrations(2);
  await clock.fastForward(40_000);
  await registrations(3);
  await alice.registered("alice");
});

/** Loses the connection, which comes back. */
async function reconnect(phone: SoftphonePage, login: string): Promise<void> {
  await losses["that was closed"](phone);
  await phone.registered(login);
}

softphonePageTest(
  "a callee with a new connection answers, or stops ringing",
  async (lab) => {
    const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
    await alice.dial("bob");
    await bob.shows("is calling you");
    await reconnect(bob, "bob");
    await bob.press("Answer");
    await Promise.all([alice.hears(), bob.hears()]);
    await alice.press("Hang up");
    await bob.shows("alice hung up");

    await alice.dial("bob");
    await bob.shows("is calling you");
    await reconnect(bob, "bob");
    await alice.press("Hang up");
    await bob.shows("alice hung up before you answered");
  },
);

softphonePageTest(
  "a caller that loses its connection stops calling, at either end",
  async (lab) => {
    const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
    await alice.dial("bob");
    await bob.shows("is calling you");
    await reconnect(alice, "alice");
    await alice.shows("The connection was lost before bob answered");
    await bob.shows("alice hung up before you answered");
  },
);
