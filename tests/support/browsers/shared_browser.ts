import type { Browser } from "playwright-core";

/** A browser that the tests of a file have one after the other. */
export interface SharedBrowser {
  /** Has it end after the tests of the file; called where a test of it is declared. */
  declare(): void;
  /**
   * Runs a test with it. Each finds it without pages, and its pages have cookies, storage and
   * permissions of their own. A test that fails has it end, and the next one a new one.
   */
  run(body: (browser: Browser) => Promise<void>): Promise<void>;
}

/** Starts a browser for the first test of a file that has it: a start takes about a second of a core. */
export function sharedBrowser(launch: () => Promise<Browser>): SharedBrowser {
  let browser: Browser | undefined;
  let isDeclared = false;

  async function end(): Promise<void> {
    const ending = browser;
    browser = undefined;
    await ending?.close();
  }

  return {
    declare() {
      if (!isDeclared) Deno.test.afterAll(end);
      isDeclared = true;
    },
    async run(body) {
      if (!browser?.isConnected()) browser = await launch();
      try {
        await body(browser);
        await Promise.all(browser.contexts().map((context) => context.close()));
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}
