import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { assertAccessible, openAxeContext } from "../support/browsers/axe.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { signIn, widths } from "../support/browsers/judge_pages.ts";
import { answerAt, closeAll, talkAt, there } from "../support/media/talker.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { startSystem, type System } from "../support/process/system.ts";

/** Phones of Clients that call a document. */
function startCallers(system: System, app: ReturnType<typeof startAppServer>) {
  const sockets: { close(): void }[] = [];
  return {
    async call(login: string, path: string, body: string) {
      app.pages.set(path, `<Response>${body}</Response>`);
      const phone = await system.phone(login);
      const [client] = await system.get(`Clients.json?Login=${login}`);
      await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}${path}` });
      const socket = await plainSocket();
      sockets.push(socket);
      await phone.call("anybody", { sdp: plainOffer(socket.port) }).answered;
      const { CallSid } = await app.asked(path);
      return CallSid!;
    },
    [Symbol.dispose]: () => sockets.forEach((socket) => socket.close()),
  };
}

/** Errors of a page. */
function watch(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (line) => line.type() === "error" && problems.push(line.text()));
  return problems;
}

/** The pages Live and Tail learn of calls by themselves; a participant is muted and removed. */
async function followCalls(
  browser: Browser,
  system: System,
  app: ReturnType<typeof startAppServer>,
) {
  using callers = startCallers(system, app);
  const context = await browser.newContext();
  const [page, tail] = [await context.newPage(), await context.newPage()];
  const problems = [page, tail].map(watch);
  await signIn(page, system);
  const below = `${system.baseUrl}/console/${system.accountSid}`;
  await tail.goto(`${below}/tail?Type=call&Type=participant`);
  await tail.getByText("Connected").waitFor();
  await page.bringToFront();
  await page.goto(`${below}/live`);
  await page.getByText("No call is in progress.").waitFor();

  const room = "<Dial><Conference>daily</Conference></Dial>";
  const alice = await callers.call("alice", "/room", room);
  await page.getByRole("link", { name: "daily", exact: true }).waitFor(); // By itself.
  const bob = await callers.call("bob", "/room-too", room);
  const carol = await callers.call("carol", "/queue", '<Enqueue waitUrl="">support</Enqueue>');
  await page.getByText("Queue support: 1 waiting").waitFor();
  await page.getByText("3 calls, 1 conference, 1 caller waiting.").waitFor();

  const seat = page.getByRole("row", { name: bob });
  await seat.getByRole("button", { name: "Mute" }).click();
  await page.getByRole("row", { name: bob }).getByText("muted", { exact: true }).waitFor();
  await page.getByRole("row", { name: bob }).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("row", { name: bob }).waitFor({ state: "detached" });

  await tail.bringToFront();
  const lines = tail.getByRole("log");
  await lines.getByText("joined").first().waitFor();
  await lines.getByRole("link", { name: carol }).first().waitFor();
  await tail.getByRole("button", { name: "Pause" }).click();
  await tail.getByText("Paused. 0 events wait.").waitFor();
  await system.post(`Calls/${alice}.json`, { Status: "completed" });
  await tail.getByText(/Paused\. [1-9]/).waitFor();
  await tail.getByRole("button", { name: "Go on" }).click();
  await lines.getByText("completed").first().waitFor();
  assert.deepEqual(problems.flat(), []);
  await context.close();
}

/** Meters show who speaks, and a softphone listens to a conference. */
async function watchSpeakers(
  browser: Browser,
  system: System,
  app: ReturnType<typeof startAppServer>,
): Promise<void> {
  const room = "<Dial><Conference>choir</Conference></Dial>";
  app.pages.set("/choir", `<Response>${room}</Response>`);
  const phones = [];
  for (const login of ["gina", "hugo", "iris"]) {
    phones.push(await system.phone(login));
    const [client] = await system.get(`Clients.json?Login=${login}`);
    await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/choir` });
  }
  const [gina, hugo, iris] = phones as [Softphone, Softphone, Softphone];
  const talkers = [await talkAt(gina, "anybody", 500), await talkAt(hugo, "anybody", 750)];
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems = watch(page);
  await signIn(page, system);
  await page.goto(`${system.baseUrl}/console/${system.accountSid}/live`);
  const table = page.getByRole("table", { name: "Participants of choir" });
  await table.locator("[aria-valuetext=speaks]").nth(1).waitFor();
  const shots = Deno.env.get("SHOTS");
  if (shots) await page.screenshot({ path: `${shots}/speakers.png`, fullPage: true });

  await page.getByRole("link", { name: "Listen to choir" }).click();
  await page.getByLabel("Client").selectOption("client:iris");
  if (shots) await page.screenshot({ path: `${shots}/listen.png`, fullPage: true });
  await page.getByRole("button", { name: "Ring and listen" }).click();
  await page.waitForURL(/\/Calls\/CA[0-9a-f]{32}/); // It says what becomes of the listening call.
  const listener = await answerAt(iris, 1_000);
  await listener.untilHears([500, 750], (levels) => levels.every(there));
  await listener.dialog.bye();
  await Promise.all(talkers.map(({ dialog }) => dialog.bye()));
  await closeAll([...talkers, listener]);
  assert.deepEqual(problems, []);
  await context.close();
}

/** Asserts that axe finds nothing on the pages, narrow and wide, dark and light. */
async function judgeLivePages(browser: Browser, system: System): Promise<void> {
  const below = `/console/${system.accountSid}`;
  const shots = Deno.env.get("SHOTS");
  for (const width of widths) {
    const context = await openAxeContext(browser, width);
    const page = await context.newPage();
    await signIn(page, system);
    const calls = await system.get("Calls.json?Status=in-progress");
    const listen = `live/Calls/${calls.calls[0].sid}/listen`;
    for (const path of ["live", listen, `Calls/${calls.calls[0].sid}`, "tail"]) {
      await page.goto(`${system.baseUrl}${below}/${path}`);
      if (path === "tail") {
        await page.getByText("Connected").waitFor();
        const form = { From: "+15550001", To: "client:zoe", Url: `${system.baseUrl}/demo/welcome` };
        await system.post("Calls.json", form);
        await page.getByRole("log").getByText("failed").first().waitFor();
      }
      await assertAccessible(page, `${path} at ${width}`);
      if (shots) {
        const name = path.replaceAll("/", "-").replace(/CA\w+/, "CA");
        await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true });
      }
    }
    await context.close();
  }
}

chromiumTest(
  "the console in Chromium follows calls, a conference and a queue as they happen, and axe finds nothing",
  async (browser) => {
    await using app = startAppServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    await followCalls(browser, system, app);
    await watchSpeakers(browser, system, app);

    using callers = startCallers(system, app);
    const room = "<Dial><Conference>daily</Conference></Dial>";
    await callers.call("dora", "/one", room);
    await callers.call("emil", "/two", room);
    await callers.call("fritz", "/three", '<Enqueue waitUrl="">support</Enqueue>');
    await judgeLivePages(browser, system);
  },
);

firefoxTest("the console in Firefox follows calls, a conference and a queue", async (browser) => {
  await using app = startAppServer();
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  await followCalls(browser, system, app);
});
