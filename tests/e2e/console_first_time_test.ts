import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { chromiumTest } from "../support/browsers/chromium.ts";
import type { App } from "../support/service/app.ts";
import { fillAccount } from "../support/account/busy_account.ts";
import { startConsole } from "../support/service/console_client.ts";

/** A page whose clicks and key presses that send something are counted. */
interface Counted {
  page: Page;
  steps: number;
  follow(name: string | RegExp): Promise<void>;
  press(name: string | RegExp): Promise<void>;
}

function counted(page: Page): Counted {
  const self: Counted = {
    page,
    steps: 0,
    async follow(name) {
      self.steps++;
      await page.getByRole("link", { name }).first().click();
    },
    async press(name) {
      self.steps++;
      await page.getByRole("button", { name }).first().click();
    },
  };
  return self;
}

/** Finds the reason for the end of yesterday's call from a number, from the first page on. */
async function findReason({ page }: Counted): Promise<number> {
  await page.getByPlaceholder("Sid, number or Login").fill("1 415 555 0142");
  await page.keyboard.press("Enter");
  const calls = page.getByRole("table", { name: "Calls" });
  await calls.getByRole("row", { name: "+14155550142" }).getByRole("link").first().click();
  const verdict = page.locator(".verdict");
  await verdict.getByText("Hung up by an error: Cannot fetch the markup document").waitFor();
  await verdict.getByText("https://voice.example.com/ivr/billing").waitFor();
  await verdict.getByText("Look into the log of the application server").waitFor();
  return 2;
}

/** Finds failed webhooks and registered Clients, and sends failed webhooks again. */
async function lookAround(at: Counted): Promise<void> {
  const { page } = at;
  await at.follow(/callbacks? (was|were) given up/);
  await page.getByRole("table").getByText("no complete response").first().waitFor();
  await page.getByText("Replay all that failed").click();
  await at.press("Count them");
  await at.press(/^Send \d+ again$/);
  await page.getByText(/^\d+ failed (Delivery is|Deliveries are) being sent again\.$/).waitFor();

  await at.follow("Clients");
  const bilal = page.getByRole("row", { name: "bilal" });
  await bilal.getByText("registered", { exact: true }).waitFor();
  await bilal.getByText("203.0.113.7:50412 and 1 more").waitFor();
}

/** Buys a number that answers with a text. */
async function buyAnswering(at: Counted): Promise<void> {
  const { page } = at;
  await at.follow("Numbers");
  await at.follow("Buy a number");
  await at.follow(/^Choose \+1201555/);
  await page.getByLabel("Text that callers hear").fill("We open at nine.");
  await at.press(/^Buy for/);
  await page.getByText("The number is yours.").waitFor();
  await at.press("Try calls");
  await page.getByText("Says “We open at nine.”").waitFor();
}

async function signedIn(page: Page, app: App, address: string): Promise<void> {
  await page.goto(`${address}/console`);
  await page.getByLabel("E-mail address or Account Sid").fill("root@example.com");
  await page.getByLabel("Password or AuthToken").fill("root password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.ok(page.url().endsWith(app.root.sid));
}

chromiumTest(
  "a first-time user of the console finds why a call was hung up, and more, in few steps",
  async (browser) => {
    using app = await startConsole({ madeUpWebhooks: true });
    app.clock.now = Date.now();
    await fillAccount(app);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => app.http.fetch(request, { client: "192.0.2.1" }),
    );
    const page = await browser.newPage();
    const address = `http://127.0.0.1:${server.addr.port}`;
    await signedIn(page, app, address);
    const at = counted(page);

    assert.equal(await findReason(at), 2);
    await page.goto(`${address}/console`);
    await lookAround(at);
    assert.equal(at.steps, 4);
    await buyAnswering(at);
    assert.equal(at.steps, 9);
    await page.close();
    await server.shutdown();
  },
);
