import type { Browser } from "playwright-core";

export interface PageEvent {
  name: string;
  detail: string;
}

/** A page of a browser that runs the scripts of the tests. Any error in it fails the test. */
export interface BrowserPage {
  /** Calls a function of the page's `lab`. */
  run<T>(name: string, ...args: unknown[]): Promise<T>;
  /** Events of the page so far. */
  events(): PageEvent[];
  /** The next event of a name that no other call has returned. */
  waitFor(name: string, timeoutMs?: number): Promise<PageEvent>;
  /** Throws what went wrong in the page and was not seen before. */
  close(): Promise<void>;
}

interface Lab {
  lab: Record<string, (...args: unknown[]) => unknown>;
}

const WAIT_MS = 60_000;
const HTML = `<!doctype html><meta charset="utf-8"><title>lab</title>
<audio id="remote" autoplay></audio><script type="module" src="/page.js"></script>`;

let bundle: Promise<string> | undefined;

/** The scripts and the two unmodified SIP libraries, bundled once for all pages of a test run. */
async function bundlePage(): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=browser", "page/page.js"],
    cwd: import.meta.dirname!,
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot bundle the page: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** Opens a page on a server of its own on the loopback, where the microphone is allowed. */
export async function openPage(browser: Browser): Promise<BrowserPage> {
  const script = await (bundle ??= bundlePage());
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const [body, type] = new URL(request.url).pathname === "/page.js"
      ? [script, "text/javascript"]
      : [HTML, "text/html"];
    return new Response(body, { headers: { "content-type": type } });
  });
  const page = await browser.newPage();
  const events = createEvents();
  page.on("pageerror", (error) => events.fail(new Error(`Page: ${error.message}`)));
  await page.exposeFunction("emit", (name: string, detail: string) => {
    if (name === "error") events.fail(new Error(`Page: ${detail}`));
    events.add({ name, detail });
  });
  await page.goto(`http://127.0.0.1:${server.addr.port}/`);

  return {
    run: <T>(name: string, ...args: unknown[]) =>
      events.orFailure(page.evaluate(
        ([name, args]) => (globalThis as unknown as Lab).lab[name]!(...args) as T,
        [name, args] as const,
      )),
    events: () => events.all,
    waitFor: events.waitFor,
    async close() {
      await page.close();
      await server.shutdown();
      events.throwFailure();
    },
  };
}

function createEvents() {
  const all: PageEvent[] = [];
  const fresh: PageEvent[] = [];
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let failure: Error | undefined;
  let changed = Promise.withResolvers<void>();

  const orFailure = <T>(promise: Promise<T>) => Promise.race([promise, failed.promise]);
  return {
    all,
    orFailure,
    add(event: PageEvent) {
      all.push(event);
      fresh.push(event);
      changed.resolve();
      changed = Promise.withResolvers();
    },
    fail(error: Error) {
      failure ??= error;
      failed.reject(error);
    },
    throwFailure() {
      if (failure !== undefined) throw failure;
    },
    async waitFor(name: string, timeoutMs = WAIT_MS): Promise<PageEvent> {
      const timeout = Promise.withResolvers<never>();
      const heard = () => all.map((event) => `${event.name} ${event.detail}`.trim()).join(", ");
      const timer = setTimeout(
        () => timeout.reject(new Error(`Cannot wait for "${name}": the page told ${heard()}`)),
        timeoutMs,
      );
      try {
        for (;;) {
          const index = fresh.findIndex((event) => event.name === name);
          if (index >= 0) return fresh.splice(index, 1)[0]!;
          await orFailure(Promise.race([changed.promise, timeout.promise]));
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
