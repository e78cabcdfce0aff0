import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";

/** The focused element as a screen reader names it: its role or element, and its text or label. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const at = document.activeElement;
    const label = at.labels?.[0]?.textContent;
    return (at.getAttribute("role") ?? at.localName) + " " + (label ?? at.textContent).trim();
  })()`);

/** Resolves when what is wanted has the focus. */
const untilFocused = (page: Page, wanted: RegExp): Promise<unknown> =>
  eventually(`the focus is on ${wanted}`, async () => wanted.test(await focused(page)));

/** Presses Tab until what is wanted has the focus. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (wanted.test(await focused(page))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${wanted}, but to ${await focused(page)}`);
}

/** Signs in, finds a Client, and makes one after a refusal, without a pointer. */
async function goByKeyboard(browser: Browser, system: System): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${system.baseUrl}/console`);
  await untilFocused(page, /E-mail address or Account Sid/);
  await page.keyboard.type(system.accountSid);
  await page.keyboard.press("Tab");
  await page.keyboard.type(system.authToken);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();

  await page.keyboard.press("Tab");
  await untilFocused(page, /Skip to content/);
  await page.keyboard.press("Enter");
  await untilFocused(page, /^main/);

  await page.goto(`${system.baseUrl}/console/${system.accountSid}/Clients/new`);
  await tabTo(page, /input Login/);
  await page.keyboard.type("a b");
  await tabTo(page, /input Password/);
  await page.keyboard.type("secret-1");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await untilFocused(page, /input Login/);
  const login = page.getByLabel(/^Login/);
  assert.equal(await login.getAttribute("aria-invalid"), "true");
  await login.press("ControlOrMeta+a");
  await page.keyboard.type("carol");
  await tabTo(page, /input Password/);
  await page.keyboard.type("secret-1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "carol" }).waitFor();
  await untilFocused(page, /status Created\./);
  const [client] = await system.get("Clients.json?Login=carol");
  assert.equal(client.status, "1");
  await page.close();
}

/** Pages at the width of a window of 1280 px that is magnified to 200 %, in colours of the system. */
async function magnify(browser: Browser, system: System): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 640, height: 400 },
    forcedColors: "active",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`${system.baseUrl}/console`);
  await page.getByLabel("E-mail address or Account Sid").fill(system.accountSid);
  await page.getByLabel("Password or AuthToken").fill(system.authToken);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const path of ["", "/Clients", "/Calls/new", "/live", "/Supervisor", "/Flows/new"]) {
    await page.goto(`${system.baseUrl}/console/${system.accountSid}${path}`);
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path);
    assert.equal(await page.evaluate("document.getAnimations().length"), 0, path);
  }
  await context.close();
}

chromiumTest(
  "the console in Chromium without a pointer, magnified, in forced colours",
  async (browser) => {
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await goByKeyboard(browser, system);
    await magnify(browser, system);
  },
);

firefoxTest("the console in Firefox without a pointer", async (browser) => {
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  await goByKeyboard(browser, system);
});
