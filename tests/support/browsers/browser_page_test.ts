import assert from "node:assert/strict";
import { openPage } from "./browser_page.ts";
import { chromiumTest } from "./chromium.ts";

chromiumTest(
  "openPage() fails pending waits, and close(), when the page fails",
  async (browser) => {
    const page = await openPage(browser);

    await page.run("failLater", "broken");

    await assert.rejects(page.waitFor("registered"), /Page: broken/);
    await assert.rejects(page.close(), /Page: broken/);
  },
);

chromiumTest(
  "waitFor() gives each event once, and names the events that came instead",
  async (browser) => {
    const page = await openPage(browser);
    await page.run("emit", "answered", "first");
    await page.run("emit", "answered", "second");

    assert.equal((await page.waitFor("answered")).detail, "first");
    assert.equal((await page.waitFor("answered")).detail, "second");
    await assert.rejects(
      page.waitFor("answered", 50),
      /the page told answered first, answered sec/,
    );
    await page.close();
  },
);
