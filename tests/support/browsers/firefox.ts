import { type Browser, firefox } from "playwright-core";
import { sharedBrowser } from "./shared_browser.ts";

/** The program; WebDriver BiDi reaches it as Debian has it. */
export const FIREFOX = Deno.env.get("FIREFOX") ?? "/usr/bin/firefox-esr";
const TEST_TIMEOUT_MS = 300_000;

/** The microphone is a tone without a prompt, and received audio is played without a click. */
const preferences = {
  "media.navigator.streams.fake": true,
  "media.navigator.permission.disabled": true,
  "media.autoplay.default": 0,
};

const installed = await Deno.stat(FIREFOX).then((file) => file.isFile, () => false);
const isSkipped = !installed && Deno.env.get("CI") === undefined;

const launch = (): Promise<Browser> =>
  firefox.launch({
    channel: "moz-firefox",
    executablePath: FIREFOX,
    firefoxUserPrefs: preferences,
  });
const shared = sharedBrowser(launch);

/**
 * A test with Firefox, which those of one file share. Without one it is skipped, but fails where `CI`
 * is set.
 */
export function firefoxTest(
  name: string,
  body: (browser: Browser) => Promise<void>,
): void {
  shared.declare();
  Deno.test({
    name: isSkipped ? `${name} (skipped: no Firefox at ${FIREFOX})` : name,
    ignore: isSkipped,
    timeout: TEST_TIMEOUT_MS,
    fn: () => shared.run(body),
  });
}

/** Starts Firefox, and ends it after what is done with it. */
export async function withFirefox(
  body: (browser: Browser) => Promise<void>,
): Promise<void> {
  const browser = await launch();
  try {
    await body(browser);
  } finally {
    await browser.close();
  }
}
