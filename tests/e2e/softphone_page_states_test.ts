import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { softphonePageTest } from "../support/browsers/softphone_page_lab.ts";
import type { SoftphonePage } from "../support/browsers/softphone_page.ts";

softphonePageTest(
  "the softphone comes back by itself after the companion was lost",
  async (lab) => {
    const { page, registered } = await lab.enter("alice");
    const [pid] = lab.system.pids("sip/main.ts");

    Deno.kill(pid!, "SIGKILL");

    await page.getByText(/^Connection lost, trying again in \d+ s$/).waitFor();
    await registered("alice");
    await lab.system.ready();
    const bob = await lab.enter("bob");
    await bob.dial("alice");
    await page.getByText("is calling you").waitFor();
  },
);

softphonePageTest("a call outlives a lost connection, and is ended by the new one", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  await alice.dial("bob");
  await bob.press("Answer");
  await Promise.all([alice.hears(), bob.hears()]);

  await alice.run("dropSocket");
  await alice.page.getByText(/^Connection lost/).waitFor();
  await alice.registered("alice");

  await Promise.all([alice.hears(), bob.hears()]);
  await alice.press("Hang up");
  await bob.shows("alice hung up");
});

softphonePageTest("a second tab is explained, and goes away again", async (lab) => {
  const alice = await lab.enter("alice");
  const [notice, other] = [alice.page.locator("#notice"), await alice.page.context().newPage()];
  await other.goto(alice.page.url());
  await other.getByLabel("Login", { exact: true }).fill("alice");
  await other.getByLabel("Password", { exact: true }).fill("secret");
  await other.getByRole("button", { name: "Log in" }).click();

  await notice.filter({ hasText: "alice is logged in in another tab too" }).waitFor();
  await other.locator("#notice").filter({ hasText: "in another tab too" }).waitFor();
  await other.close({ runBeforeUnload: false });

  await notice.waitFor({ state: "hidden" });
});

softphonePageTest("without a microphone the softphone says how to allow it", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  await bob.run("forbidMicrophone");

  await bob.dial("alice");
  await bob.shows("No microphone: allow it in the browser's address bar");
  await alice.dial("bob");
  await bob.shows("is calling you");
  await bob.press("Answer");
  await bob.shows("No microphone: allow it in the browser's address bar");
  assert.equal(await bob.call.getByRole("button", { name: "Answer" }).isEnabled(), true);
});

/** Presses Tab until the focus is on what has the name; fails when it comes round. */
async function tabTo({ page, run }: SoftphonePage, name: string) {
  for (let step = 0; step < 60; step++) {
    if (await run("focused") === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to "${name}"`);
}

softphonePageTest("everything goes by the keyboard alone", async (lab) => {
  const bob = await lab.enter("bob");
  const alice = await lab.open();
  const { keyboard } = alice.page;
  await lab.system.post("Clients.json", { Login: "alice", Password: "secret" });

  await keyboard.type("alice");
  await keyboard.press("Tab");
  await keyboard.type("secret");
  await keyboard.press("Enter");
  await alice.registered("alice");
  await keyboard.type("bob");
  await keyboard.press("Enter");
  await bob.shows("is calling you");
  await bob.page.keyboard.press("Enter");
  await alice.shows("Talking");
  await tabTo(alice, "Mute");
  await keyboard.press("Space");
  await alice.shows("you are muted");
  await keyboard.press("5");
  await tabTo(alice, "Keypad");
  await keyboard.press("Enter");
  await keyboard.press("7");
  assert.equal(await alice.call.getByLabel("Digits sent").textContent(), "57");
  await tabTo(alice, "Hang up");
  await keyboard.press("Enter");
  await bob.shows("alice hung up");
  await alice.page.locator("article").waitFor({ state: "detached" });
  assert.equal(await alice.run("focused"), "target");
});

/** Result of `flaws` in `browser/in_page.js` for a page without flaws. */
const none = { unnamed: [], twice: [], small: [], wide: false, faint: [], isTitled: true };

softphonePageTest(
  "every part is named, large enough and easy to see, in light and dark",
  async (lab) => {
    const alice = await lab.open();
    const look = async (when: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [320, 390, 1280]) {
          await alice.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await alice.page.setViewportSize({ width, height: 800 });
          assert.deepEqual(
            await alice.run("flaws"),
            none,
            `${when} ${colorScheme} ${width}`,
          );
        }
      }
    };
    await look("log in");
    await lab.system.post("Clients.json", { Login: "alice", Password: "secret" });
    await alice.logIn("alice", "wrong");
    await alice.page.getByText("Wrong login or password").waitFor();
    await look("wrong password");
    await alice.logIn("alice", "secret");
    await alice.registered("alice");
    await look("registered");
    await alice.page.getByRole("button", { name: /^Call\s+Echo\s*,/ }).click();
    await alice.shows("Talking");
    await alice.press("Keypad");
    await alice.press("Transfer");
    await look("in a call");
    await alice.press("Hang up");
    await alice.page.getByRole("button", { name: /^Call\s+Echo\s+again/ }).waitFor();
    await look("with a history");

    await alice.run("spoil");
    const found = await alice.run<Record<string, unknown[]>>("flaws");
    assert.deepEqual([found.unnamed!.length, found.small!.length, found.faint!.length], [1, 1, 1]);
    assert.deepEqual([found.twice, found.wide, found.isTitled], [["login"], true, false]);
  },
);

softphonePageTest(
  "an incoming call shows the parameters that the application gives",
  async (lab) => {
    await using app = startAppServer();
    app.pages.set(
      "/voice",
      '<Response><Dial><Client><Identity>bob</Identity><Parameter name="account" value="4711"/>' +
        "</Client></Dial></Response>",
    );
    const bob = await lab.enter("bob");
    const alice = await lab.system.phone("alice");
    const [known] = await lab.system.get("Clients.json?Login=alice");
    await lab.system.post(`Clients/${known.sid}.json`, { VoiceUrl: `${app.url}/voice` });

    const call = alice.call("anybody");
    await bob.shows("is calling you");

    await bob.call.getByText("4711").waitFor();
    assert.match((await bob.call.textContent())!, /account/i);
    await bob.press("Decline");
    assert.equal((await call.final).status, 603);
  },
);
