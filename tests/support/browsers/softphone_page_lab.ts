import type { Browser } from "playwright-core";
import { chromiumTest } from "./chromium.ts";
import { openSoftphonePage, type SoftphonePage } from "./softphone_page.ts";
import { demoLogin } from "../../../core/demo/demo.ts";
import { eventually } from "../process/eventually.ts";
import { type Json, startSystem, type System } from "../process/system.ts";

export interface SoftphonePageLab {
  system: System;
  /** The page in a browser of its own. */
  open(): Promise<SoftphonePage>;
  /** The same, logged in as a Client that is made for it, with the password `secret`. */
  enter(login: string): Promise<SoftphonePage>;
}

/** Declares a test with a browser. */
type BrowserTest = (name: string, body: (browser: Browser) => Promise<void>) => void;

let shared: System | undefined;
let isDeclared = false;

async function end(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await ending?.[Symbol.asyncDispose]();
}

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
  if (!isDeclared) Deno.test.afterAll(end);
  isDeclared = true;
  browserTest(name, async (browser) => {
    const system = shared ??= await startSystem();
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
    try {
      await body({ system, open, enter });
      for (const page of pages) await page.close();
      await clear(system);
    } catch (error) {
      await end();
      throw error;
    }
  });
}

/** Ends the calls, and deletes the Clients that a test made. */
async function clear(system: System): Promise<void> {
  const live = async (): Promise<Json[]> => {
    const lists = await Promise.all(
      ["queued", "ringing", "in-progress"].map((status) =>
        system.get(`Calls.json?Status=${status}`)
      ),
    );
    return lists.flatMap(({ calls }) => calls);
  };
  for (const { sid } of await live()) {
    // One that has ended meanwhile is refused.
    await system.post(`Calls/${sid}.json`, { Status: "completed" }).catch(() => {});
  }
  await eventually("no call is left", async () => (await live()).length === 0);
  const clients: Json[] = await system.get("Clients.json");
  for (const { sid, login } of clients) {
    if (login !== demoLogin) await system.remove(`Clients/${sid}`);
  }
}
