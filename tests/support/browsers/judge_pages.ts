import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import type { System } from "../process/system.ts";

/** A width in px, and a scheme of colours. */
export type Variant = readonly [width: number, colorScheme: "light" | "dark"];

/** The variants that pages are looked at in. */
export const variants: readonly Variant[] = [[1280, "light"], [360, "dark"], [360, "light"], [
  1280,
  "dark",
]];

/** Signs in at the console as the root account. */
export async function signIn(page: Page, system: System): Promise<void> {
  await page.goto(`${system.baseUrl}/console`);
  await page.getByLabel("E-mail address or Account Sid").fill(system.accountSid);
  await page.getByLabel("Password or AuthToken").fill(system.authToken);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** Whether axe finds nothing on a page, and nothing of it stands beside the window. */
async function judge(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source);
  // Of what is right it gathers one place each.
  const result = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ["violations"] })
  );
  assert.ok(result.passes.length > 5, what);
  assert.deepEqual(result.violations.map(({ id, nodes }) => [id, nodes[0]?.html]), [], what);
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), what);
}

/** Looks at the page of the sign-in, and at those of paths below the service, in each variant. */
export async function judgePages(
  browser: Browser,
  { system, paths, of = variants }: {
    system: System;
    paths: readonly string[];
    of?: readonly Variant[];
  },
): Promise<void> {
  for (const [width, colorScheme] of of) {
    const viewport = { width, height: 800 };
    // axe itself is a script that the policy of the pages forbids.
    const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true });
    const page = await context.newPage();
    const named = (path: string) => `${path} at ${width}, ${colorScheme}`;
    await page.goto(`${system.baseUrl}/console/sign-in`);
    await judge(page, named("/console/sign-in"));
    await signIn(page, system);
    for (const path of paths) {
      await page.goto(system.baseUrl + path);
      await judge(page, named(path));
    }
    await context.close();
  }
}
