import type { Browser } from "playwright-core";
import { chromiumTest } from "./chromium.ts";
import { openSoftphonePage, type SoftphonePage } from "./softphone_page.ts";
import { sharedSystem } from "../process/shared_system.ts";
import type { System } from "../process/system.ts";

export interface SoftphonePageLab {
  browser: Browser;
  system: System;
  /** The page in a browser of its own. */
  open(): Promise<SoftphonePage>;
  /** The same, logged in as a Client that is made for it, with the password `secret`. */
  enter(login: string): Promise<SoftphonePage>;
}

/** Declares a test with a browser. */
type BrowserTest = (name: string, body: (browser: Browser) => Promise<void>) => void;

const withSystem = sharedSystem();

/**
 * A test with service and companion, which those of one file share, and the softphone's page; it fails
 * when a page complains. Each test finds no Client but that of the first start, and no call. One that
 * fails has the system end, and the next one a new one.
 */
export function softphonePageTest(
  name: string,
  body: (lab: SoftphonePageLab) => Promise<void>,
  browserTest: BrowserTest = chromiumTest,
): void {
  browserTest(name, (browser) =>
    withSystem(async (system) => {
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
      await body({ browser, system, open, enter });
      for (const page of pages) await page.close();
    }));
}
