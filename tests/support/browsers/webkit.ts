import { endChild } from "../process/end_child.ts";
import { eventually } from "../process/eventually.ts";
import { answers, freePorts } from "../process/system.ts";

const DRIVER = Deno.env.get("WEBKIT_DRIVER") ?? "/usr/bin/WebKitWebDriver";
const XVFB = Deno.env.get("XVFB") ?? "/usr/bin/Xvfb";
const TEST_TIMEOUT_MS = 120_000;

const isFile = (path: string) => Deno.stat(path).then((file) => file.isFile, () => false);
const installed = await isFile(DRIVER) && await isFile(XVFB);
const isSkipped = !installed && Deno.env.get("CI") === undefined;

/** A window of WebKitGTK's MiniBrowser, driven by W3C WebDriver. */
export interface WebKitPage {
  open(url: string): Promise<void>;
  /** Runs the body of a function in the page; resolves with what it returns. */
  run<T>(script: string, ...args: unknown[]): Promise<T>;
  /** Types into the element that a CSS selector finds. */
  type(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Resolves when the element is visible and has the text. */
  shows(selector: string, text: string): Promise<void>;
}

/** A test with WebKitGTK. Without it and Xvfb it is skipped, but fails where `CI` is set. */
export function webkitTest(name: string, body: (page: WebKitPage) => Promise<void>): void {
  Deno.test({
    name: isSkipped ? `${name} (skipped: no WebKitGTK at ${DRIVER})` : name,
    ignore: isSkipped,
    timeout: TEST_TIMEOUT_MS,
    fn: () => withWebKit(body),
  });
}

async function withWebKit(body: (page: WebKitPage) => Promise<void>): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const home = await Deno.makeTempDir();
  stack.defer(() => removed(home));
  const display = await startDisplay(stack);
  const [port] = freePorts(1) as [number];
  const driver = new Deno.Command(DRIVER, {
    args: [`--port=${port}`],
    env: { DISPLAY: display, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1", ...homeAt(home) },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  stack.defer(() => endChild(driver));
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/status`);
  const { sessionId } = await command<{ sessionId: string }>("POST", `${url}/session`, {
    capabilities: {},
  });
  const session = `${url}/session/${sessionId}`;
  // Ends the browser, which the driver started.
  stack.defer(() => command("DELETE", session));
  await body(pageOf(session));
}

/** Removes the browser's files, which its processes write to until they have ended. */
async function removed(home: string): Promise<void> {
  const remove = () => Deno.remove(home, { recursive: true }).then(() => true, () => false);
  await eventually(`${home} is removed`, remove);
}

/** The browser keeps its files apart from those of the machine's user. */
const homeAt = (home: string) => ({
  HOME: home,
  XDG_CACHE_HOME: home,
  XDG_CONFIG_HOME: home,
  XDG_DATA_HOME: home,
  XDG_RUNTIME_DIR: home,
});

/** An X server without a screen, on the first display that is free; resolves with its name. */
async function startDisplay(stack: AsyncDisposableStack): Promise<string> {
  const child = new Deno.Command(XVFB, {
    args: ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  stack.defer(() => endChild(child));
  let printed = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += part;
    if (printed.endsWith("\n")) return `:${printed.trim()}`;
  }
  throw new Error("Cannot start Xvfb: it ended without a display");
}

/** A command of W3C WebDriver; rejects with the driver's message. */
async function command<T>(method: string, url: string, body?: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    ...body !== undefined && { body: JSON.stringify(body) },
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${url}: ${value?.error}: ${value?.message}`);
  return value;
}

function pageOf(session: string): WebKitPage {
  /** The URL of an element's commands. */
  const find = async (selector: string): Promise<string> => {
    const found = await command<Record<string, string>>("POST", `${session}/element`, {
      using: "css selector",
      value: selector,
    });
    return `${session}/element/${Object.values(found)[0]}`;
  };
  const page: WebKitPage = {
    open: (url) => command("POST", `${session}/url`, { url }),
    run: (script, ...args) => command("POST", `${session}/execute/sync`, { script, args }),
    async type(selector, text) {
      await command("POST", `${await find(selector)}/value`, { text });
    },
    async click(selector) {
      await command("POST", `${await find(selector)}/click`, {});
    },
    async shows(selector, text) {
      let seen = "";
      await eventually(() => `${selector} shows "${text}", but "${seen}"`, async () => {
        seen = await page.run<string>(
          "const [found] = document.querySelectorAll(arguments[0]);" +
            "return found?.checkVisibility() ? found.textContent : ''",
          selector,
        );
        return seen.includes(text);
      }, 30_000);
    },
  };
  return page;
}
