import type { Browser } from "playwright-core";
import { chromiumTest } from "./chromium.ts";
import { openSoftphonePage, type SoftphonePage } from "./softphone_page.ts";
import { startSystem, type System } from "../process/system.ts";

export interface SoftphonePageLab {
  system: System;
  /** The page in a browser of its own. */
  open(): Promise<SoftphonePage>;
  /** The same, logged in as a Client that is made for it, with the password `secret`. */
  enter(login: string): Promise<SoftphonePage>;
}

/** Declares a test with a browser. */
type BrowserTest = (name: string, body: (browser: Browser) => Promise<void>) => void;

/** A test with service and companion and the softphone's page; it fails when a page complains. */
export function softphonePageTest(
  name: string,
  body: (lab: SoftphonePageLab) => Promise<void>,
  browserTest: BrowserTest = chromiumTest,
): void {
  browserTest(name, async (browser) => {
    await using system = await startSystem();
    const pages: SoftphonePage[] = [];
    const open = async () => {
      const page = await openSoftphonePage(browser, system);
      pages.push(page);
      return page;
    };
    const enter = async (login: string) => {
      const page = await open();
      await system.post("Clients.json", { Login: login, Password: "secret" });
      await page.logIn(login, "secret");
      await page.registered(login);
      return page;
    };
    await body({ system, open, enter });
    for (const page of pages) await page.close();
  });
}
