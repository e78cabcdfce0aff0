import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { judgePages, signIn } from "../support/browsers/judge_pages.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import type { Softphone } from "../support/sip/softphone.ts";

type AppServer = ReturnType<typeof startAppServer>;

const markup = "<Response><Fax/><Say>Hello</Say></Response>";

/** A secret of the configuration, beside what every test has. */
const env = { RTP_PORTS: "0", NUMBERS_TOKEN: "a token of the tests" };

/** A page on which nothing may fail; errors are in `problems`. */
async function openPage(browser: Browser, system: System) {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (line) => line.type() === "error" && problems.push(line.text()));
  await signIn(page, system);
  return { page, problems };
}

/** Searches for a number, buys it with what it does, and tries its markup from its page. */
async function buyAndTry(page: Page, app: AppServer): Promise<void> {
  app.pages.set("/voice", markup);
  await page.getByRole("link", { name: "Numbers", exact: true }).click();
  await page.getByRole("link", { name: "Buy a number" }).click();
  await page.getByLabel("With the digits").fill("2125550177");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: "Choose +12125550177" }).click();
  await page.getByText("Price a month").waitFor();
  await page.getByLabel("URL of the markup that handles calls").fill(`${app.url}/voice`);
  await page.getByRole("button", { name: "Take +12125550177" }).click();
  await page.getByText("The number is yours.").waitFor();

  await page.getByRole("button", { name: "Try calls" }).click();
  await page.getByText("Says “Hello”").waitFor();
  await page.getByText("Skipped: verb Fax").waitFor();
  assert.equal((await app.asked("/voice")).To, "+12125550177");
}

/** Rings a registered phone from the page of its Client, and reads the call there. */
async function testCall(page: Page, { system, alice }: { system: System; alice: Softphone }) {
  const [client] = await system.get("Clients.json?Login=alice");
  await page.goto(`${system.baseUrl}/console/${system.accountSid}/Clients/${client.sid}`);
  await page.getByRole("table", { name: "Registered now" }).getByText("127.0.0.1").waitFor();
  assert.equal(await page.getByRole("img", { name: /QR code/ }).count(), 2);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const ringing = await alice.nextPlainCall();
  const socket = await plainSocket();
  const dialog = await ringing.answer(plainOffer(socket.port));
  await page.getByText("in progress").first().waitFor();
  await dialog.request("BYE");
  await page.locator(".verdict", { hasText: "completed" }).waitFor();
  socket.close();
  const sid = /CA[0-9a-f]{32}/.exec(page.url())![0];

  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".tile", { hasText: "Answered" }).getByText("100 %").waitFor();
  await page.locator(".tile", { hasText: "Registered" }).getByText("of 2 Clients").waitFor();
  await page.getByText("As a table").click();
  await page.getByRole("table", { name: "Calls by outcome" }).waitFor();
  return { sid, clientSid: String(client.sid) };
}

/**
 * Finds the reason for the end of a call in three steps from the first page: find it, open it,
 * read.
 */
async function findReason(page: Page, system: System): Promise<void> {
  const [From, To] = ["+12125550177", "client:bob"];
  await system.post("Clients.json", { Login: "bob", Password: "secret" });
  const { sid } = await system.post("Calls.json", {
    From,
    To,
    Url: `${system.baseUrl}/demo/welcome`,
  });
  await eventually(
    "the end of the call",
    async () => (await system.get(`Calls/${sid}.json`)).end_time ?? undefined,
  );
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByLabel("Find a Sid, a number or a Login").fill("1 (212) 555-0177");
  await page.getByRole("button", { name: "Find" }).click();
  const row = page.getByRole("table", { name: "Calls" }).getByRole("row", { name: To });
  await row.getByRole("link").first().click();
  await page.locator(".verdict", { hasText: "none of its phones is registered" }).waitFor();
}

/** Begins to validate a caller ID; the path of its page. */
async function validateNumber(browser: Browser, system: System): Promise<string> {
  const page = await browser.newPage();
  await signIn(page, system);
  await page.goto(`${system.baseUrl}/console/${system.accountSid}/OutgoingCallerIds/validate`);
  await page.getByLabel("Phone number").fill("+14155550123");
  await page.getByRole("button", { name: "Call this number" }).click();
  await page.getByRole("heading", { name: "Validate +14155550123" }).waitFor();
  const { pathname } = new URL(page.url());
  await page.close();
  return pathname;
}

/** The root account looks at the service itself. */
async function lookAtService(page: Page): Promise<void> {
  await page.locator(".side .wide summary", { hasText: "Service" }).click();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("table", { name: "Companions" }).getByText("live").waitFor();
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByText("No job is dead: none has used up its attempts.").waitFor();
  await page.getByRole("link", { name: "Configuration" }).click();
  const secret = page.locator(".variables > div", { hasText: "NUMBERS_TOKEN" });
  await secret.getByText("********").waitFor();
  assert.doesNotMatch(await page.content(), new RegExp(env.NUMBERS_TOKEN));
}

async function mainWays(browser: Browser, system: System, app: AppServer) {
  const alice = await system.phone("alice");
  const { page, problems } = await openPage(browser, system);
  await buyAndTry(page, app);
  const { sid, clientSid } = await testCall(page, { system, alice });
  await findReason(page, system);
  await lookAtService(page);
  assert.deepEqual(problems, []);
  await page.close();
  return { sid, clientSid };
}

chromiumTest(
  "numbers, test calls, the overview and the service in Chromium, and axe finds nothing",
  async (browser) => {
    await using app = startAppServer();
    await using system = await startSystem({ env });
    const { clientSid } = await mainWays(browser, system, app);
    const below = `/console/${system.accountSid}`;
    const [number] = await system.get("IncomingPhoneNumbers.json");
    const gateway = await system.post("Management/Gateways.json", {
      UserName: "trunk",
      Password: "secret",
      Proxy: "127.0.0.1:9",
    });
    const paths = [
      `${below}/OutgoingCallerIds`,
      `${below}/OutgoingCallerIds/validate`,
      await validateNumber(browser, system),
      `${below}?span=day`,
      `${below}/Clients/${clientSid}`,
      `${below}/Management/Gateways/${gateway.sid}`,
      `${below}/IncomingPhoneNumbers/${number.sid}`,
      `${below}/IncomingPhoneNumbers/buy`,
      `${below}/IncomingPhoneNumbers/buy/confirm?PhoneNumber=%2B12125550199`,
      `${below}/Webhooks/Tests?Url=https://app.test/voice`,
      `${below}/Usage/Records`,
      `${below}/Accounts`,
      `${below}/Accounts/${system.accountSid}`,
      `${below}/Keys/new`,
      `${below}/Email/Messages`,
      `${below}/Geolocation`,
      `${below}/Supervisor`,
      `${below}/Supervisor/jobs`,
      `${below}/Supervisor/configuration`,
    ];
    await judgePages(browser, { system, paths, isOnce: true });
  },
);

firefoxTest("numbers, test calls, the overview and the service in Firefox", async (browser) => {
  await using app = startAppServer();
  await using system = await startSystem({ env });
  await mainWays(browser, system, app);
});
