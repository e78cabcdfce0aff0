import { type Browser, firefox } from "playwright-core";

/** The program; WebDriver BiDi reaches it as Debian has it. */
export const FIREFOX = Deno.env.get("FIREFOX") ?? "/usr/bin/firefox-esr";
const TEST_TIMEOUT_MS = 300_000;

/** The microphone is a tone, without asking; what is heard is played without a click. */
const preferences = {
  "media.navigator.streams.fake": true,
  "media.navigator.permission.disabled": true,
  "media.autoplay.default": 0,
};

const installed = await Deno.stat(FIREFOX).then((file) => file.isFile, () => false);
const isSkipped = !installed && Deno.env.get("CI") === undefined;

/** A test with Firefox. Without one it is skipped, but fails where `CI` is set. */
export function firefoxTest(
  name: string,
  body: (browser: Browser) => Promise<void>,
): void {
  Deno.test({
    name: isSkipped ? `${name} (skipped: no Firefox at ${FIREFOX})` : name,
    ignore: isSkipped,
    timeout: TEST_TIMEOUT_MS,
    fn: () => withFirefox(body),
  });
}

/** Starts Firefox, and ends it after what is done with it. */
export async function withFirefox(
  body: (browser: Browser) => Promise<void>,
): Promise<void> {
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: FIREFOX,
    firefoxUserPrefs: preferences,
  });
  try {
    await body(browser);
  } finally {
    await browser.close();
  }
}
