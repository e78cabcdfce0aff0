import assert from "node:assert/strict";
import type axe from "axe-core";
import minified from "axe-core/axe.min.js";
import type { Browser, BrowserContext, Page } from "playwright-core";

/** The schemes of colours. */
export const schemes = ["light", "dark"] as const;
export type Scheme = typeof schemes[number];

/**
 * The rules of axe-core that read colours. A scheme sets colours and nothing else, so what the others
 * find in one scheme they find in the other.
 */
const ofColours = ["color-contrast", "link-in-text-block"];

/**
 * Resolves when a page has the colours of a scheme. Some elements change by transitions, which it
 * ends; waiting for them lasts as long as a browser draws no frame.
 */
async function wear(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(`document.getAnimations().forEach((one) => {
    if (one instanceof CSSTransition) one.finish();
  })`);
}

/**
 * A context of pages that have axe from the start. Their policy forbids it, as any script that is not
 * theirs, and is passed over.
 */
export async function openAxeContext(browser: Browser, width: number): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, bypassCSP: true });
  await context.addInitScript(minified.source);
  return context;
}

/**
 * Asserts that axe finds nothing on a page as it stands, and that nothing of it is outside the
 * window. It uses every rule in the first of the schemes, those of colours in the others.
 */
export async function assertAccessible(
  page: Page,
  what: string,
  [first, ...others]: readonly [Scheme, ...Scheme[]] = schemes,
): Promise<void> {
  await wear(page, first);
  const { passes, violations } = await findings(page);
  assert.ok(passes > 5, what);
  assert.deepEqual(violations, [], `${what}, ${first}`);
  const isWithin = await page.evaluate("document.documentElement.scrollWidth <= innerWidth");
  assert.ok(isWithin, what);
  for (const colorScheme of others) {
    await wear(page, colorScheme);
    const { passes, violations } = await findings(page, ofColours);
    assert.ok(passes > 0, `${what}, ${colorScheme}`);
    assert.deepEqual(violations, [], `${what}, ${colorScheme}`);
  }
}

/**
 * Violations that axe finds, with the first place of each; of passed rules it collects one place.
 */
async function findings(page: Page, rules?: string[]) {
  const { passes, violations } = await page.evaluate(
    (runOnly) =>
      (globalThis as unknown as { axe: typeof axe }).axe
        .run({ resultTypes: ["violations"], ...runOnly && { runOnly } }),
    rules,
  );
  return {
    passes: passes.length,
    violations: violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
  };
}
