import type { Browser, Locator, Page } from "playwright-core";
import type { System } from "../process/system.ts";
import { eventually } from "../process/eventually.ts";

/** The softphone page in a browser of its own, as one person has it. */
export interface SoftphonePage {
  page: Page;
  /** The newest call's card. */
  call: Locator;
  logIn(login: string, password: string): Promise<void>;
  /** Resolves when it says so. */
  registered(login: string): Promise<void>;
  /** Calls by the form. */
  dial(whom: string): Promise<void>;
  /** Presses a button of the newest call, or of that with a name. */
  press(button: string, who?: string): Promise<void>;
  /** Resolves when the newest call is described so. */
  shows(text: string | RegExp): Promise<void>;
  /** Resolves when so much sound came in from now on, as the browser itself measures it. */
  hears(): Promise<void>;
  /** Resolves when nothing came in for longer than a talking microphone's pauses. */
  hearsNothing(): Promise<void>;
  /** Calls a function of `page/in_page.js`. */
  run<T>(name: string): Promise<T>;
  /** Throws what the page complained of. */
  close(): Promise<void>;
}

export const waitMs = 60_000;
/** Sums of `totalAudioEnergy` below are comfort noise. */
const soundEnergy = 1e-4;
const silenceMs = 1_500;

const inPage = new URL("page/in_page.js", import.meta.url).pathname;

/** Log lines of the browser about an unreachable server and about a refused WebSocket. */
const expected = /WebSocket connection to 'ws:.*failed/;

export async function openSoftphonePage(
  browser: Browser,
  system: Pick<System, "baseUrl">,
): Promise<SoftphonePage> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.stack ?? String(error)));
  page.on("console", (message) => {
    const isBad = ["error", "warning"].includes(message.type());
    if (isBad && !expected.test(message.text())) complaints.push(message.text());
  });
  await page.addInitScript({ path: inPage });
  await page.goto(`${system.baseUrl}/softphone`);
  const call = page.locator("article.call").first();
  const run = <T>(name: string) =>
    page.evaluate(
      (name) => (globalThis as unknown as Record<string, () => T>)[name]!(),
      name,
    );
  const heard = () => run<number>("heard");

  return {
    page,
    call,
    run,
    async logIn(login, password) {
      await page.getByLabel("Login", { exact: true }).fill(login);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Log in" }).click();
    },
    registered: (login) => page.getByText(`Registered as ${login}`).waitFor(),
    async dial(whom) {
      await page.getByLabel("Login, number or SIP address").fill(whom);
      await page.locator("#dial [type=submit]").click();
    },
    async press(button, who) {
      const card = who === undefined ? call : page.getByRole("article", { name: who });
      await card.getByRole("button", { name: button, exact: true }).click();
    },
    async shows(text) {
      await call.filter({ hasText: text }).waitFor();
    },
    async hears() {
      const before = await heard();
      await eventually("it hears", async () => await heard() - before > soundEnergy);
    },
    async hearsNothing() {
      let [energy, since] = [await heard(), Date.now()];
      await eventually("it hears silence", async () => {
        const now = await heard();
        if (now - energy > soundEnergy) [energy, since] = [now, Date.now()];
        return Date.now() - since > silenceMs;
      });
    },
    async close() {
      await context.close();
      if (complaints.length > 0) throw new Error(`The page complained: ${complaints.join("; ")}`);
    },
  };
}
