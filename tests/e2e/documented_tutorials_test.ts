import assert from "node:assert/strict";
import { leaveMessage } from "../support/service/leave_message.ts";
import { chromiumTest } from "../support/browsers/chromium.ts";
import { openVoice } from "../support/media/voice.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import { startMailServer } from "../support/service/mail_server.ts";
import { pageCode } from "../support/service/page_code.ts";
import { openPageCommands, pageSettings, pageText } from "../support/service/page_commands.ts";
import { isSound, portOf } from "../support/sip/plain_peer.ts";
import { missingOf, needs } from "../support/process/programs.ts";

const repository = new URL("../../", import.meta.url).pathname;

Deno.test({
  ...needs("bash", "curl", "jq"),
  name:
    "the flow of docs/tutorials/flow.md takes a message, mails it and dials, as it stands there",
  timeout: 240_000,
  async fn() {
    const page = "docs/tutorials/flow.md";
    await using mail = await startMailServer();
    await using system = await startSystem({
      env: { RTP_PORTS: "0", ...await pageSettings(page), SMTP_URL: mail.url },
    });
    await using commands = await openPageCommands(page, { system });
    const demo = await system.demoPhone();
    const alice = await system.phone("alice");
    await commands.next();
    await commands.next();

    const { voice, dialog: caller } = await leaveMessage(system, demo, "+14155550124");
    await caller.bye();
    const sent = await eventually("the message is mailed", () => mail.mails[0]);
    await voice.close();

    await commands.next();
    const called = await demo.nextPlainCall();
    const second = await openVoice();
    await called.answer(second.sdp);
    second.speakTo(portOf(called.invite.body));
    await eventually("the menu is heard again", () => second.heard.some(isSound));
    second.press("1");
    await (await alice.nextPlainCall()).answer(second.sdp);
    await second.close();
    commands.done();

    assert.deepEqual(sent.to, ["desk@example.com"]);
    assert.match(sent.text, /^Subject: Message from .*demo/m);
    assert.match(sent.text.replaceAll("=\r\n", ""), /Listen: http:\S+\/Recordings\/RE/);
  },
});

/** The page of the tutorial, bundled and served by the commands that it shows. */
async function servePage(wsUrl: string) {
  const page = "docs/tutorials/softphone-page.md";
  const directory = await Deno.makeTempDir();
  for (const name of ["index.html", "softphone.js"]) {
    const code = await pageCode(page, name);
    await Deno.writeTextFile(
      `${directory}/${name}`,
      code.replaceAll("ws://127.0.0.1:8088", wsUrl),
    );
  }
  // The result of `npm install` on the page.
  await Deno.symlink(`${repository}node_modules`, `${directory}/node_modules`);
  await Deno.writeTextFile(`${directory}/package.json`, `{"dependencies":{"sip.js":"*"}}`);
  const text = await pageText(page);
  const [, bundle] = /npx -y deno@\S+ (bundle .+)/.exec(text)!;
  const bundled = await new Deno.Command(Deno.execPath(), {
    args: bundle!.split(" "),
    cwd: directory,
  }).output();
  assert.ok(bundled.success, new TextDecoder().decode(bundled.stderr));
  const [, serve] = /python3 (-m http\.server .+)/.exec(text)!;
  const [port] = freePorts(1) as [number];
  const server = new Deno.Command("python3", {
    args: serve!.replace("3000", String(port)).split(" "),
    cwd: directory,
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await eventually("the page is served", async () => {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    return response?.ok;
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.kill();
      await server.status;
      await Deno.remove(directory, { recursive: true });
    },
  };
}

chromiumTest(
  "the page of docs/tutorials/softphone-page.md calls and is called in Chromium, as it stands there",
  async (browser) => {
    await using system = await startSystem();
    await using commands = await openPageCommands("docs/tutorials/softphone-page.md", { system });
    await using served = await servePage(system.wsUrl);
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.stack ?? String(error)));
    await page.addInitScript({
      path: new URL("../support/browsers/page/in_page.js", import.meta.url).pathname,
    });
    const heard = () =>
      page.evaluate(() => (globalThis as unknown as { heard(): Promise<number> }).heard());
    const hears = async (what: string) => {
      const before = await heard();
      await eventually(what, async () => await heard() - before > 1e-4);
    };
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

    await commands.next();
    await page.goto(served.url);
    await page.getByLabel("Login", { exact: true }).fill("carol");
    await page.getByLabel("Password").fill("a-long-secret");
    await press("Log in");
    await page.getByText("Registered as carol").waitFor();
    await page.getByLabel("Login or number").fill("+12125550101");
    await press("Call");
    await page.getByText("Talking").waitFor();
    await hears("the echo is heard");
    await press("Hang up");
    await page.getByText("The call is over").waitFor();

    await commands.next();
    await page.getByText("A call for you").waitFor();
    await press("Answer");
    await page.getByText("Talking").waitFor();
    await hears("the sentence is heard");
    await page.getByText("The call is over").waitFor();
    const token = JSON.parse(await commands.next());
    const { sip_username, sip_password } = JSON.parse(await commands.next());
    commands.done();
    await page.goto(served.url);
    await page.getByLabel("Login", { exact: true }).fill(sip_username);
    await page.getByLabel("Password").fill(sip_password);
    await press("Log in");
    await page.getByText("Registered as carol").waitFor();

    assert.ok(Array.isArray(token.ice_servers));
    assert.deepEqual(complaints, []);
  },
  missingOf(["bash", "curl", "python3"]).map((program) => `no ${program}`)[0],
);
