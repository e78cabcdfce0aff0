import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { assertAccessible, openAxeContext } from "../support/browsers/axe.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { widths } from "../support/browsers/judge_pages.ts";
import { sharedSystem } from "../support/process/shared_system.ts";

const withSystem = sharedSystem();

/** A test with a browser, of the pages of a service that those of this file share. */
function pagesTest(name: string, body: (browser: Browser, service: string) => Promise<void>): void {
  chromiumTest(name, (browser) => withSystem(({ baseUrl }) => body(browser, baseUrl)));
}

/** One page of each kind. */
const kinds = ["/", "/docs", "/docs/api/overview", "/docs/api/call", "/docs/search?q=recording"]
  .concat("/no-such-page", "/2012-04-25/Accounts/AC1/Call");

/** Every page that the sidebar leads to. */
const sidebar = (page: Page) =>
  page.locator(".side .always a").evaluateAll((links) =>
    links.map((link) => link.getAttribute("href")!)
  );

/**
 * Puts another page in place of the one that was loaded; gives the styles and scripts of both. Run in the
 * browser, of which this file has no types.
 */
const swap = `async (path) => {
  const looks = (of) =>
    [...of.querySelectorAll("script, style, link[rel=stylesheet]")].map((one) => one.outerHTML);
  const text = await (await fetch(path)).text();
  const other = new DOMParser().parseFromString(text, "text/html");
  const both = [looks(document), looks(other)];
  document.title = other.title;
  document.body.replaceWith(document.adoptNode(other.body));
  return both;
}`;

/**
 * Shows a page as if it was loaded, which it is not: axe, which a page that is loaded compiles again,
 * takes a third of the time so. Both pages have the same style, and no script but that.
 */
async function show(page: Page, path: string): Promise<void> {
  const [before, after] = await page.evaluate<string[][]>(`(${swap})(${JSON.stringify(path)})`);
  assert.deepEqual(after, before, path);
}

const isOfReference = (path: string) => path.includes("/api/");

pagesTest(
  "axe-core finds nothing on the pages, and none is too wide, on wide and narrow screens, light and dark",
  async (browser, service) => {
    for (const width of widths) {
      const context = await openAxeContext(browser, width);
      const page = await context.newPage();
      await page.goto(`${service}/docs`);
      const written = (await sidebar(page)).filter((path) => !isOfReference(path));
      for (const path of kinds) {
        await page.goto(service + path);
        await assertAccessible(page, `${path} at ${width}`);
      }
      for (const path of width === 360 ? written : []) {
        await show(page, path);
        await assertAccessible(page, `${path} at ${width}`, ["dark"]);
      }
      await context.close();
    }
  },
);

pagesTest("no page of the reference is wider than 360 pixels", async (browser, service) => {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
  await page.goto(`${service}/docs`);
  const paths = (await sidebar(page)).filter(isOfReference);
  assert.ok(paths.length > 30);
  for (const path of paths) {
    await page.goto(service + path);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(width, 360, path);
  }
});

pagesTest(
  "the documentation is searched and read with the keyboard alone",
  async (browser, service) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    const failures: string[] = [];
    page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
    await page.goto(`${service}/docs/api/call`);

    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").textContent(), "Skip to content");
    await tabTo(page, "#q");
    await page.keyboard.type("machine detection");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Search", level: 1 }).waitFor();
    await tabTo(page, ".results a");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/.+#/);

    await page.goto(`${service}/docs/api/token`);
    await tabTo(page, "main summary");
    const open = () =>
      page.locator("main details").first().evaluate((one) => one.hasAttribute("open"));
    assert.equal(await open(), true);
    await page.keyboard.press("Enter");
    assert.equal(await open(), false);
    assert.deepEqual(failures, []);
  },
);

/** Presses Tab until an element that fits has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const focused = page.locator(`${selector}:focus`);
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press("Tab");
    if (await focused.count() > 0) return;
  }
  assert.fail(`Tab does not reach ${selector}`);
}
