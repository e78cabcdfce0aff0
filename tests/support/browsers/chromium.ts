import { type Browser, chromium } from "playwright-core";
import { sharedBrowser } from "./shared_browser.ts";

/** The program. */
export const CHROMIUM = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
const TEST_TIMEOUT_MS = 300_000;

/** Flags with which every test starts it. */
export const chromiumFlags: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // The microphone beeps without a prompt, and received audio is played without a click.
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  "--autoplay-policy=no-user-gesture-required",
  // Media over the loopback, with addresses in place of mDNS names.
  "--allow-loopback-in-peer-connection",
  "--disable-features=WebRtcHideLocalIpsWithMdns",
];
/** No name leads out of this machine. */
const noNames = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

const installed = await Deno.stat(CHROMIUM).then((file) => file.isFile, () => false);

const shared = sharedBrowser(() =>
  chromium.launch({ executablePath: CHROMIUM, args: [...chromiumFlags, noNames] })
);

const missing = installed || Deno.env.get("CI") !== undefined
  ? undefined
  : `no Chromium at ${CHROMIUM}`;

/**
 * A test with a real browser, which those of one file share. Without one it is skipped, but fails where `CI` is set; also for
 * another reason, where there is one.
 */
export function chromiumTest(
  name: string,
  body: (browser: Browser) => Promise<void>,
  why: string | undefined = undefined,
): void {
  const skipped = missing ?? why;
  shared.declare();
  Deno.test({
    name: skipped === undefined ? name : `${name} (skipped: ${skipped})`,
    ignore: skipped !== undefined,
    timeout: TEST_TIMEOUT_MS,
    fn: () => shared.run(body),
  });
}
