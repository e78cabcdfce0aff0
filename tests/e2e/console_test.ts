import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { judgePages, signIn } from "../support/browsers/judge_pages.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { startSystem, type System } from "../support/process/system.ts";

const markup = (body: string) => `<Response>${body}</Response>`;

/** A caller is in a menu, which heard two keys and whose markup had a verb that was skipped. */
async function callMenu(system: System, app: ReturnType<typeof startAppServer>) {
  app.pages.set(
    "/menu",
    markup('<Fax/><Gather action="/typed" finishOnKey="#"><Pause length="60"/></Gather>'),
  );
  app.pages.set("/typed", markup('<Pause length="60"/>'));
  const alice = await system.phone("alice");
  const [client] = await system.get("Clients.json?Login=alice");
  await system.post(`Clients/${client.sid}.json`, { VoiceUrl: `${app.url}/menu` });
  const socket = await plainSocket();
  const call = alice.call("menu", { sdp: plainOffer(socket.port) });
  const dialog = await call.answered;
  const { CallSid: sid } = await app.asked("/menu");
  for (const key of "42#") {
    await dialog.request("INFO", {
      body: { type: "application/dtmf-relay", content: `Signal=${key}\r\n` },
    });
  }
  await app.asked("/typed");
  return { sid: sid!, dialog, socket };
}

/** The main way: sign in, find a call, read why, end it, and see that it ended. */
async function steerCall(browser: Browser, system: System, sid: string): Promise<void> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (line) => line.type() === "error" && problems.push(line.text()));
  await signIn(page, system);

  await page.getByLabel("Find a Sid, a number or a Login").fill(sid);
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByText("in progress").first().waitFor();
  await page.getByText("Pressed:").waitFor();
  assert.match(
    await page.getByRole("list").filter({ hasText: "Pressed:" }).innerText(),
    /Pressed:\s*42/,
  );
  await page.getByText("Skipped: verb Fax").waitFor();
  const shown = page.locator("time[title]").first(); // Scripts run after the page can be read.
  assert.doesNotMatch(await shown.innerText(), /UTC/);

  page.once("dialog", (asked) => asked.accept());
  await page.getByRole("button", { name: "Hang up" }).click();
  await page.locator(".verdict", { hasText: "completed" }).waitFor(); // By itself: it is live.
  await page.getByRole("button", { name: "Hang up" }).waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
  await page.close();
}

/** Pages that have something to show of a call. */
const judged = (system: System, sid: string): string[] => {
  const below = `/console/${system.accountSid}`;
  return [
    below,
    `${below}/Calls`,
    `${below}/Calls/${sid}`,
    `${below}/Calls?Status=failed`,
    `${below}/Notifications`,
    `${below}/Clients/new`,
    `${below}/Webhooks/Deliveries`,
    `${below}/search?q=alice`,
    `${below}/nowhere`,
    "/console/security",
  ];
};

chromiumTest(
  "the console in Chromium: a live call is found, read and ended, and axe finds nothing",
  async (browser) => {
    await using app = startAppServer();
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const { sid, socket } = await callMenu(system, app);

    await steerCall(browser, system, sid);
    await judgePages(browser, { system, paths: judged(system, sid) });
    socket.close();
  },
);

firefoxTest("the console in Firefox: a live call is found, read and ended", async (browser) => {
  await using app = startAppServer();
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  const { sid, socket } = await callMenu(system, app);

  await steerCall(browser, system, sid);
  socket.close();
});
