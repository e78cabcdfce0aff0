import assert from "node:assert/strict";
import type { Browser, Locator, Page } from "playwright-core";
import { assertAccessible, openAxeContext } from "../support/browsers/axe.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { firefoxTest } from "../support/browsers/firefox.ts";
import { signIn } from "../support/browsers/judge_pages.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { callCentre } from "../support/service/flow_samples.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import type { IncomingCall } from "../support/sip/softphone_incoming.ts";
import { eventually } from "../support/process/eventually.ts";

async function openPage(browser: Browser, system: System, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1500, height: 950 } });
  const page = await context.newPage();
  await signIn(page, system);
  await page.goto(`${system.baseUrl}/console/${system.accountSid}/Flows${path}`);
  return page;
}

/** Errors that the page has had so far. */
function watchErrors(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (line) => {
    // The browser itself logs an answer that is no.
    const isBad = line.type() === "error" && !/status of 409/.test(line.text());
    if (isBad) problems.push(line.text());
  });
  return problems;
}

const card = (page: Page, name: string): Locator => page.locator(`.node[data-step="${name}"]`);
const panel = (page: Page) => page.locator(".side-panel");
const flowIn = async (page: Page) => JSON.parse(await page.locator("#designer-flow").inputValue());

async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  const box = (await locator.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drags from the middle of one to the middle of another. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await middleOf(from), await middleOf(to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
}

/** A menu from nothing: steps are added, filled in, connected, moved and removed by mouse. */
async function buildByMouse(page: Page): Promise<void> {
  const add = async (type: string) => {
    await page.getByLabel("Type of a new step").selectOption({ label: type });
    await page.getByRole("button", { name: "Add step" }).click();
  };
  await page.getByText("No steps yet").first().waitFor();
  await add("Gather");
  assert.equal(await page.locator("#designer-problems li").count(), 0);
  await panel(page).getByRole("button", { name: "Add to Prompts" }).click();
  await panel(page).getByLabel("Say").fill("Press 1 for the news.");
  await panel(page).getByLabel("Number of keys").fill("1");
  await panel(page).getByLabel("Longest wait (s)").fill("60");
  assert.equal(await panel(page).getByLabel("keys (DTMF)").isChecked(), true);
  await panel(page).getByRole("button", { name: "Add to Branches" }).click();
  await panel(page).getByLabel("Keys pressed", { exact: true }).fill("1");
  await page.getByText("gather, Branch 1, Next step: is required").waitFor();
  await add("Say");
  await panel(page).getByLabel("Text (required)").fill("Here is the news, $From.");
  await add("Hangup");

  // The branch that had no step leads to "say", and "say" to "hangup".
  await page.getByText("No problems").waitFor();
  await page.getByRole("button", { name: "Fit" }).click();
  const branch = card(page, "gather").locator('[data-port="branches.0.next"]');
  for (const step of ["hangup", "say"]) {
    await drag(page, branch, card(page, step));
    await page.locator(".ways", { hasText: `1 → ${step}` }).waitFor();
  }
  await drag(page, card(page, "gather").locator('[data-port="next"]'), card(page, "hangup"));
  await page.locator(".ways", { hasText: "otherwise → hangup" }).waitFor();
  assert.deepEqual(await flowIn(page), {
    start: "gather",
    steps: {
      gather: {
        type: "gather",
        prompts: [{ say: "Press 1 for the news." }],
        numDigits: 1,
        timeout: 60,
        branches: [{ digits: "1", next: "say" }],
        next: "hangup",
      },
      say: { type: "say", text: "Here is the news, $From.", next: "hangup" },
      hangup: { type: "hangup" },
    },
  });

  const before = await middleOf(card(page, "hangup"));
  await page.mouse.move(before.x, before.y - 5);
  await page.mouse.down();
  await page.mouse.move(before.x + 30, before.y + 60);
  await page.mouse.move(before.x + 40, before.y + 75);
  await page.mouse.up();
  const { positions } = await flowIn(page);
  assert.ok(Object.keys(positions).length === 3 && positions.hangup.y > positions.say.y);
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal((await flowIn(page)).positions, undefined);
  await page.getByRole("button", { name: "Redo" }).click();
  assert.deepEqual((await flowIn(page)).positions, positions);
  await page.getByRole("button", { name: "Arrange" }).click();
}

/** A step more, by keys alone: from the list to the form, and on the canvas. */
async function buildByKeys(page: Page): Promise<void> {
  const say = page.locator('[data-outline="say"]');
  await say.focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Type of a new step").focus();
  await page.keyboard.type("Dial");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(":focus").inputValue(), "dial");
  await page.keyboard.type("ring");
  await page.keyboard.press("Tab");
  await page.getByRole("heading", { name: "Step ring" }).waitFor();
  await panel(page).getByLabel("Client", { exact: true }).focus();
  await page.keyboard.type("alic");
  await panel(page).getByText("The account has none of this name.").waitFor();
  await page.keyboard.type("e");
  await panel(page).getByText("The account has none of this name.").waitFor({ state: "hidden" });
  await page.getByText("No problems").waitFor();

  await card(page, "gather").locator(".node-head").focus();
  await page.keyboard.press("ArrowRight");
  const at = () =>
    page.locator(":focus").evaluate((node) => node.closest(".node")?.getAttribute("data-step"));
  assert.equal(await at(), "say");
  await page.keyboard.press("Enter");
  await panel(page).getByLabel("Next step").selectOption("ring");
  assert.equal((await flowIn(page)).steps.say.next, "ring");
  await card(page, "hangup").locator(".node-head").focus();
  await page.keyboard.press("Shift+ArrowDown");
  const moved = (await flowIn(page)).positions.hangup;
  await page.keyboard.press("Shift+ArrowDown");
  assert.equal((await flowIn(page)).positions.hangup.y, moved.y + 20);
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  const { steps, positions } = await flowIn(page);
  assert.deepEqual([Object.keys(steps), positions], [
    ["gather", "say", "hangup", "ring"],
    undefined,
  ]);
  await page.getByText("No problems").waitFor();
}

/** The dry run: a key, what is said then, and the variables. */
async function dryRun(page: Page): Promise<void> {
  await page.locator("#designer-tabs").getByRole("button", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("#designer-run").getByLabel("Keys pressed").fill("1");
  await page.keyboard.press("Enter");
  await page.getByText("Say “Here is the news, +12025550123.”").waitFor();
  await page.getByRole("heading", { name: "ring waits" }).waitFor();
  assert.match(await card(page, "ring").getAttribute("class") ?? "", /current/);
  await page.locator("#designer-run summary", { hasText: "$Digits" }).first().click();
  const variable = page.locator(".fresh", { hasText: "$Digits" }).locator("dd").first();
  await variable.waitFor();
  assert.equal(await variable.innerText(), "1");
  await page.locator("#designer-run").getByRole("button", { name: "Hang up" }).click();
  await page.getByText("The caller hung up; what is left needs a caller").first().waitFor();
}

/** The text and the canvas follow each other. */
async function editText(page: Page): Promise<void> {
  await page.locator("#designer-tabs").getByRole("button", { name: "JSON" }).click();
  const area = page.getByLabel("Flow as JSON");
  const text = await area.inputValue();
  await area.fill(`${text}x`);
  await page.getByText(/The JSON cannot be read/).waitFor();
  await area.fill(text.replaceAll('"ring"', '"reach"'));
  await card(page, "reach").waitFor();
  await page.getByText("No problems").waitFor();
}

/** Publishes the flow, keeps a draft of a change over a reload, and publishes that. */
async function save(page: Page): Promise<void> {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.getByLabel("Name", { exact: true }).first().fill("News");
  await button("Publish").click();
  await page.waitForURL(/Flows\/AP[0-9a-f]{32}/);
  await page.getByRole("heading", { name: "News" }).waitFor();
  await page.locator('[data-outline="say"]').click();
  await panel(page).getByLabel("Text (required)").fill("No news.");
  await page.getByText("not saved").waitFor();
  await button("Save draft").click();
  await page.getByText("not saved").waitFor({ state: "hidden" });
  await page.getByText("draft, not published").waitFor();
  await page.reload();
  await page.getByText("draft, not published").waitFor();
  assert.equal((await flowIn(page)).steps.say.text, "No news.");
  await page.getByRole("link", { name: "Version 1" }).waitFor();
  await button("Publish").click();
  await page.getByRole("link", { name: "Version 2" }).waitFor();
  await page.getByText("draft, not published").waitFor({ state: "hidden" });
}

/** The first version is compared with the second, and restored. */
async function restore(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Version 2" }).click();
  await page.getByRole("link", { name: "Version 1" }).click();
  await page.locator("ins", { hasText: "Here is the news, $From." }).waitFor();
  assert.equal(await page.locator("del").first().innerText(), "No news.");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("link", { name: "Version 3" }).waitFor();
  assert.equal((await flowIn(page)).steps.say.text, "Here is the news, $From.");
}

/** Another user publishes meanwhile: nothing is overwritten without a request. */
async function publishOver(page: Page, system: System): Promise<void> {
  const sid = new URL(page.url()).pathname.split("/").at(-1)!;
  const other = { start: "bye", steps: { bye: { type: "hangup" } } };
  await system.post(`Applications/${sid}.json`, { Flow: JSON.stringify(other) });
  await page.locator('[data-outline="say"]').click();
  await panel(page).getByLabel("Text (required)").fill("Here is more, $From.");
  const publish = page.getByRole("button", { name: "Publish", exact: true });
  await publish.click();
  await page.getByRole("link", { name: "Look at the versions" }).waitFor();
  assert.deepEqual(JSON.parse((await system.get(`Applications/${sid}.json`)).flow), other);
  await page.getByRole("button", { name: "Publish over version 4" }).click();
  await page.getByRole("link", { name: "Version 5" }).waitFor();
}

/** Two people at one draft: neither loses anything unasked. */
async function shareDraft(browser: Browser, page: Page, system: System): Promise<void> {
  const other = await openPage(browser, system, new URL(page.url()).pathname.match(/\/AP\w+$/)![0]);
  const write = async (at: Page, text: string) => {
    await at.locator('[data-outline="say"]').click();
    await panel(at).getByLabel("Text (required)").fill(text);
    await at.getByRole("button", { name: "Save draft" }).click();
  };
  const isSaved = (at: Page) => at.locator("#designer-unsaved").waitFor({ state: "hidden" });
  await write(other, "Of the other one.");
  await isSaved(other);
  await write(page, "Of the first one.");
  await page.getByText(/another draft of its flow was saved meanwhile/).waitFor();
  await page.getByRole("button", { name: "Save over it" }).click();
  await isSaved(page);
  await write(other, "Once more.");
  other.once("dialog", (dialog) => void dialog.accept());
  await other.getByRole("button", { name: "Load their draft" }).click();
  await other.locator(".outline", { hasText: "Of the first one." }).waitFor();
  assert.equal((await flowIn(other)).steps.say.text, "Of the first one.");
  await other.context().close();
}

/** Fails if no call is live any more, with the account's calls and Notifications. */
async function assertLive(system: System): Promise<void> {
  const { calls } = await system.get("Calls.json");
  const isLive = ({ status }: { status: string }) => /queued|ringing|in-progress/.test(status);
  if (calls.some(isLive)) return;
  const { notifications } = await system.get("Notifications.json");
  assert.fail(`the call is over: ${JSON.stringify({ calls, notifications })}`);
}

/** The designer calls the phone, which presses 1: the flow then calls it once more. */
async function callMe(page: Page, alice: Softphone, system: System): Promise<void> {
  await page.locator("#designer-tabs").getByRole("button", { name: "Try it" }).click();
  await panel(page).getByLabel("Client").selectOption("alice");
  await page.getByRole("button", { name: "Call me" }).click();
  const call = await alice.nextPlainCall();
  const socket = await plainSocket();
  const dialog = await call.answer(plainOffer(socket.port));
  // A key that comes before the flow listens is lost, as on any telephone.
  let second: IncomingCall | undefined;
  void alice.nextPlainCall().then((call) => second = call);
  const called = await eventually("the flow calls", async () => {
    if (second === undefined) {
      const { status } = await dialog.request("INFO", {
        body: { type: "application/dtmf-relay", content: "Signal=1\r\n" },
      });
      if (status !== 200) await assertLive(system);
    }
    return second;
  });
  called.decline(486);
  await page.getByRole("link", { name: "See what becomes of it" }).click();
  await page.getByText("Pressed:").waitFor();
  socket.close();
}

for (const [test, name] of [[chromiumTest, "Chromium"], [firefoxTest, "Firefox"]] as const) {
  test(
    `the designer in ${name}: a flow is built by mouse and keys, tried, saved, restored, and calls a phone`,
    async (browser) => {
      await using system = await startSystem({ env: { RTP_PORTS: "0" } });
      const alice = await system.phone("alice");
      const page = await openPage(browser, system, "/new");
      const problems = watchErrors(page);

      await buildByMouse(page);
      await buildByKeys(page);
      await dryRun(page);
      await editText(page);
      await save(page);
      await restore(page);
      await publishOver(page, system);
      await shareDraft(browser, page, system);
      await callMe(page, alice, system);
      assert.deepEqual(problems, []);
    },
  );
}

chromiumTest(
  "axe finds nothing in the designer, narrow and wide, dark and light",
  async (browser) => {
    await using system = await startSystem({ env: { RTP_PORTS: "0" } });
    const { sid } = await system.post("Applications.json", {
      FriendlyName: "Call centre",
      Flow: JSON.stringify(callCentre),
    });
    await system.post(`Applications/${sid}.json`, {
      Flow: JSON.stringify({ ...callCentre, variables: { tries: "1" } }),
    });
    const { flow_versions: versions } = await system.get(`FlowVersions.json?ApplicationSid=${sid}`);
    const below = `${system.baseUrl}/console/${system.accountSid}/Flows`;
    const pages = ["", "/new", `/${sid}/versions`, `/${sid}/versions/${versions[1].sid}`];
    for (const width of [1500, 360]) {
      const context = await openAxeContext(browser, width);
      const page = await context.newPage();
      const at = (what: string) => `${what} at ${width}`;
      await signIn(page, system);
      for (const path of pages) {
        await page.goto(below + path);
        await assertAccessible(page, at(path));
      }
      await page.goto(`${below}/${sid}`);
      await page.getByText("No problems").waitFor();
      await assertAccessible(page, at("step"));
      await page.locator("#designer-tabs").getByRole("button", { name: "JSON" }).click();
      await assertAccessible(page, at("JSON"));
      await page.locator("#designer-tabs").getByRole("button", { name: "Try it" }).click();
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.getByRole("heading", { name: "ask waits" }).waitFor();
      await assertAccessible(page, at("dry run"));
      await context.close();
    }
  },
);
