import type { Browser, Page } from "playwright-core";
import type { System } from "../process/system.ts";
import { assertAccessible, openAxeContext, schemes } from "./axe.ts";

/** Signs in at the console as the root account. */
export async function signIn(page: Page, system: System): Promise<void> {
  await page.goto(`${system.baseUrl}/console`);
  await page.getByLabel("E-mail address or Account Sid").fill(system.accountSid);
  await page.getByLabel("Password or AuthToken").fill(system.authToken);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** Widths in px of the windows in which pages are looked at: of a screen, and of a telephone. */
export const widths = [1280, 360] as const;

/**
 * Checks the page of the sign-in, and those of paths below the service: wide and narrow, in light
 * and dark. A path may choose wide in light and narrow in dark only.
 */
export async function judgePages(
  browser: Browser,
  { system, paths, isOnce = false }: {
    system: System;
    paths: readonly string[];
    isOnce?: boolean;
  },
): Promise<void> {
  for (const [at, width] of widths.entries()) {
    const shown = isOnce ? [schemes[at]!] as const : schemes;
    const context = await openAxeContext(browser, width);
    const page = await context.newPage();
    await page.goto(`${system.baseUrl}/console/sign-in`);
    await assertAccessible(page, `/console/sign-in at ${width}`, shown);
    await signIn(page, system);
    for (const path of paths) {
      await page.goto(system.baseUrl + path);
      await assertAccessible(page, `${path} at ${width}`, shown);
    }
    await context.close();
  }
}
