import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { axeSource, skipped } from "../support/service/openapi_tools.ts";
import { startSystem } from "../support/process/system.ts";

const schemes = ["light", "dark"] as const;
/** One page of each kind. */
const kinds = ["/", "/docs", "/docs/api/overview", "/docs/api/call", "/docs/search?q=recording"];

/** What axe-core finds wrong, with the first place of each; of what is right it gathers no places. */
const findings = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`;

/** Every page that the sidebar leads to. */
const sidebar = (page: Page) =>
  page.locator(".side .always a").evaluateAll((links) =>
    links.map((link) => link.getAttribute("href")!)
  );

chromiumTest(
  "axe-core finds nothing on the pages, narrow and wide, light and dark",
  async (browser) => {
    await using system = await startSystem();
    const axe = await axeSource();
    for (const colorScheme of schemes) {
      for (const width of [360, 1280]) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
        await page.goto(`${system.baseUrl}/docs`);
        const written = (await sidebar(page)).filter((path) => !path.includes("/api/"));
        const paths = colorScheme === "dark" && width === 360 ? [...kinds, ...written] : kinds;
        for (const path of paths) {
          await page.goto(system.baseUrl + path);
          await page.evaluate(axe);
          assert.deepEqual(await page.evaluate(findings), [], `${path} ${colorScheme} ${width}`);
        }
        await page.close();
      }
    }
  },
  skipped || undefined,
);

chromiumTest("no page is wider than a screen of 360 pixels", async (browser) => {
  await using system = await startSystem();
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
  await page.goto(`${system.baseUrl}/docs`);
  const paths = [...kinds, ...await sidebar(page)];
  assert.ok(paths.length > 30);
  for (const path of paths) {
    await page.goto(system.baseUrl + path);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(width, 360, path);
  }
});

chromiumTest("the documentation is searched and read with the keyboard alone", async (browser) => {
  await using system = await startSystem();
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
  const failures: string[] = [];
  page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
  await page.goto(`${system.baseUrl}/docs/api/call`);

  await page.keyboard.press("Tab");
  assert.equal(await page.locator(":focus").textContent(), "Skip to content");
  await tabTo(page, "#q");
  await page.keyboard.type("machine detection");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search", level: 1 }).waitFor();
  await tabTo(page, ".results a");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/.+#/);

  await page.goto(`${system.baseUrl}/docs/api/token`);
  await tabTo(page, "main summary");
  const open = () =>
    page.locator("main details").first().evaluate((one) => one.hasAttribute("open"));
  assert.equal(await open(), true);
  await page.keyboard.press("Enter");
  assert.equal(await open(), false);
  assert.deepEqual(failures, []);
});

/** Presses Tab until an element that fits has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const focused = page.locator(`${selector}:focus`);
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press("Tab");
    if (await focused.count() > 0) return;
  }
  assert.fail(`Tab does not reach ${selector}`);
}
