import assert from "node:assert/strict";
import { openVoice } from "../support/media/voice.ts";
import { eventually } from "../support/process/eventually.ts";
import { spawnTask, startSystem, type System } from "../support/process/system.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { pageCode } from "../support/service/page_code.ts";
import {
  openPageCommands,
  type PageCommands,
  pageSettings,
  servePageMarkup,
} from "../support/service/page_commands.ts";
import { isSound, portOf } from "../support/sip/plain_peer.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import { needs } from "../support/process/programs.ts";

const timeout = 240_000;

interface Task {
  system: System;
  app: AppServer;
  commands: PageCommands;
}

/** Runs the commands of a page of how-to against a started system, with the page's own markup. */
function taskTest(
  name: string,
  what: string,
  body: (task: Task) => Promise<void>,
  env: Record<string, string> = {},
): void {
  const page = `docs/how-to/${name}.md`;
  Deno.test({
    name: `the commands of ${page} ${what}, as they stand there`,
    timeout,
    ...needs("bash", "curl", "jq"),
    async fn() {
      await using app = startAppServer();
      await using system = await startSystem({ env: { RTP_PORTS: "0", ...env } });
      await servePageMarkup(page, app);
      await using commands = await openPageCommands(page, { system, app });
      await body({ system, app, commands });
      commands.done();
    },
  });
}

/** Answers the next call and speaks. */
async function answer(phone: Softphone, hz?: number) {
  const call = await phone.nextPlainCall();
  const voice = await openVoice();
  const dialog = await call.answer(voice.sdp);
  voice.speakTo(portOf(call.invite.body));
  if (hz !== undefined) voice.say(hz);
  return { voice, dialog };
}

const heardAnything = ({ heard }: { heard: Parameters<typeof isSound>[0][] }) =>
  heard.some(isSound);

Deno.test({
  name: "the commands of docs/how-to/numbers.md load, find, buy and release, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/numbers.md";
    const directory = await Deno.makeTempDir();
    const file = `${directory}/numbers.csv`;
    await Deno.writeTextFile(file, await pageCode(page, "numbers.csv"));
    const load = spawnTask(["numbers", "import", file], { DATA_DIR: directory });
    assert.equal(await load.ended, 0, load.output());
    {
      await using app = startAppServer();
      await using system = await startSystem({ directory, env: await pageSettings(page) });
      await using commands = await openPageCommands(page, { system, app });

      const offers = JSON.parse(await commands.next());
      await commands.next();
      const [bought] = await system.get("IncomingPhoneNumbers.json?PhoneNumber=%2B14155550123");
      const other = JSON.parse(await commands.next());
      const changed = await commands.next();
      await commands.next();
      const released = await system.get("IncomingPhoneNumbers.json?PhoneNumber=%2B14155550123");
      const pattern = JSON.parse(await commands.next());
      commands.done();

      const numbers = offers.map(({ phone_number }: { phone_number: string }) => phone_number);
      assert.deepEqual(numbers, ["+14155550123"]);
      assert.equal(bought.voice_url, `${app.url}/voice`);
      assert.equal(other.phone_number, "+14155550124");
      assert.match(changed, /"sms_url":"http:[^"]+\/sms"/);
      assert.match(changed, /"category":"phonenumbers".*"count":"2".*"price":"2\.30/);
      assert.deepEqual(released, []);
      assert.equal(pattern.phone_number, "^2..$");
    }
    await Deno.remove(directory, { recursive: true });
  },
});

const recognition = () =>
  Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      await request.body?.cancel();
      return Response.json({ text: "good morning" });
    },
  );

Deno.test({
  name: "the commands of docs/how-to/recordings.md record and transcribe, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/recordings.md";
    await using provider = recognition();
    await using app = startAppServer();
    await using system = await startSystem({
      env: { RTP_PORTS: "0", RECOGNITION_URL: `http://127.0.0.1:${provider.addr.port}/v1` },
    });
    await servePageMarkup(page, app);
    await using commands = await openPageCommands(page, { system, app });
    const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];

    await commands.next();
    const left = await answer(alice, 600);
    await eventually("the message is recorded", async () => {
      const { recordings } = await system.get("Recordings.json");
      return recordings.length > 0;
    });
    left.voice.press("#");
    const { RecordingSid } = await app.asked("/recorded");
    await app.asked("/recording");
    await app.asked("/text", ({ TranscriptionText }) => TranscriptionText === "good morning");
    await left.voice.close();
    await commands.next();
    const listed = await commands.next();

    await commands.next();
    const caller = await answer(alice, 500);
    const callee = await answer(bob, 750);
    await eventually("both sides are recorded", async () => {
      const { recordings } = await system.get("Recordings.json");
      return recordings.length === 2;
    });
    await caller.dialog.bye();
    await app.asked("/recording", (form) => form.RecordingSid !== RecordingSid);
    await Promise.all([caller.voice.close(), callee.voice.close()]);

    await commands.next();
    await eventually("it is transcribed again", () => app.sent("/text").length === 2);
    const texts = await commands.next();
    await commands.next();
    const { recordings } = await system.get("Recordings.json");
    commands.done();

    assert.equal(listed, "1\n1\n", "of the day, and from its midnight on");
    assert.equal(texts, "good morning\ngood morning\n");
    assert.equal(recordings.length, 1);
  },
});

taskTest("conferences", "meet, mute, hold, remove and end", async ({ system, app, commands }) => {
  const phones = [await system.phone("alice"), await system.phone("bob")];
  const event = (name: string) =>
    app.asked("/events", ({ StatusCallbackEvent }) => StatusCallbackEvent === name);

  await commands.next();
  const legs = await Promise.all(phones.map((phone) => answer(phone)));
  await event("conference-start");
  await commands.next();
  await commands.next();
  await Promise.all([event("participant-mute"), event("participant-hold")]);
  await commands.next();
  await event("participant-leave");
  await commands.next();
  await event("conference-end");
  await eventually("both went on", () => app.sent("/left").length === 2);
  await Promise.all(legs.map(({ voice }) => voice.close()));

  assert.equal(app.sent("/left")[0]!.DialCallStatus, "completed");
});

taskTest("queues", "connect who waits with an agent", async ({ system, app, commands }) => {
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];

  await commands.next();
  const waiting = await answer(alice, 500);
  const { QueuePosition } = await app.asked("/wait");
  await eventually("the announcement is heard", () => heardAnything(waiting.voice));
  await commands.next();
  const agent = await answer(bob);
  await eventually("the agent hears who waited", () => heardAnything(agent.voice));
  await agent.dialog.bye();
  const { QueueResult } = await app.asked("/after");
  await Promise.all([waiting.voice.close(), agent.voice.close()]);

  assert.deepEqual([QueuePosition, QueueResult], ["1", "bridged"]);
});

taskTest("transfers", "move calls as the page says", async ({ system, app, commands }) => {
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];
  const carol = await system.phone("carol");

  await commands.next();
  const moved = await answer(alice, 500);
  await eventually("she waits", () => heardAnything(moved.voice));
  await commands.next();
  const desk = await answer(bob);
  await eventually("they are connected", () => heardAnything(desk.voice));
  await commands.next();
  await eventually("both are in the room", () => app.sent("/room").length === 2);
  await moved.dialog.bye();
  await desk.dialog.bye();

  await commands.next();
  const voice = await openVoice();
  const calling = alice.call("+14155550123", { sdp: voice.sdp });
  const transferor = await answer(bob);
  const caller = await calling.answered;
  const { status } = await transferor.dialog.request("REFER", {
    headers: ["Refer-To: <sip:nobody@localhost>"],
  });
  const target = await answer(carol);
  const { ReferTarget, Transferor } = await app.asked("/referred");
  await caller.bye();
  for (const one of [moved, desk, transferor, target]) await one.voice.close();
  await voice.close();

  assert.equal(status, 202);
  assert.match(ReferTarget!, /nobody/);
  assert.match(Transferor!, /bob/);
});

Deno.test({
  name: "the commands of docs/how-to/sub-accounts.md create, use and close, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    await using system = await startSystem();
    await using commands = await openPageCommands("docs/how-to/sub-accounts.md", { system });

    await commands.next();
    const used = await commands.next();
    await commands.next();
    const ended = await commands.next();
    commands.done();

    assert.match(used, /"login":"dave"/);
    assert.match(used, /"email_address":"sub@example.com"/);
    assert.deepEqual(
      [...ended.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status),
      ["suspended", "active", "closed"],
    );
  },
});

Deno.test({
  name: "the commands of docs/how-to/spending-limits.md set and show limits, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    await using system = await startSystem();
    const page = "docs/how-to/spending-limits.md";
    await using commands = await openPageCommands(page, { system });

    const set = JSON.parse(await commands.next());
    const shown = JSON.parse(await commands.next());
    const stopped = JSON.parse(await commands.next());
    commands.done();

    assert.equal(set.max_spend_per_day, "25.00");
    assert.equal(set.destination_prefixes, "+49,+43");
    assert.deepEqual(shown, set);
    assert.equal(stopped.max_spend_per_day, "0.00");
  },
});

Deno.test({
  name: "the commands of docs/how-to/deliveries.md find and repeat callbacks, as they stand there",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/deliveries.md";
    await using app = startAppServer();
    await using system = await startSystem({ env: await pageSettings(page) });
    await using commands = await openPageCommands(page, { system, app });
    const hasDeliveries = (status: string, count: number) =>
      eventually(`${count} ${status}`, async () => {
        const { total } = await system.get(`Webhooks/Deliveries.json?Status=${status}`);
        return total === count;
      });
    app.pages.set("/events", 500);

    await commands.next();
    await hasDeliveries("failed", 1);
    const found = await commands.next();
    app.pages.delete("/events");
    await commands.next();
    await hasDeliveries("delivered", 1);

    app.pages.set("/events", 500);
    await system.post("Calls.json", {
      From: "me",
      To: "client:erin",
      Url: `${app.url}/voice`,
      StatusCallback: `${app.url}/events`,
    });
    await hasDeliveries("failed", 1);
    app.pages.delete("/events");
    const replayed = JSON.parse(await commands.next());
    await hasDeliveries("delivered", 2);
    commands.done();

    const [first, again, second, ...rest] = app.requests.map(({ headers }) =>
      headers.get("x-switchboard-delivery")
    );
    assert.equal(again, first);
    assert.notEqual(second, first);
    assert.deepEqual(rest, [second]);
    assert.match(found, /"status": 500/);
    assert.match(found, /given up/);
    assert.equal(replayed.count, 1);
  },
});

Deno.test({
  name: "the commands of docs/how-to/safe-retries.md send one text for two requests",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/safe-retries.md";
    await using system = await startSystem();
    await using commands = await openPageCommands(page, { system });

    const [first, second] = (await commands.next()).trim().split("\n");

    commands.done();
    assert.match(first!, /^SM[0-9a-f]{32}$/);
    assert.equal(second, first);
    assert.equal((await system.get("SMS/Messages.json")).total, 1);
  },
});

Deno.test({
  name: "the commands of docs/how-to/api-keys.md use and revoke a key, and change the AuthToken",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/api-keys.md";
    await using system = await startSystem();
    await using commands = await openPageCommands(page, { system });

    const [total, used] = (await commands.next()).trim().split("\n");
    assert.equal(total, "0");
    assert.match(used!, /:00:00 \+0000$/);
    assert.equal((await commands.next()).trim(), "");
    assert.equal((await commands.next()).trim(), "0");
    assert.match((await commands.next()).trim(), /^[0-9a-f]{32}$/);
    commands.done();
    await assert.rejects(system.get("Calls.json"), /401/);
  },
});

Deno.test({
  name: "the commands of docs/how-to/test-your-application.md make a test account and a busy call",
  timeout,
  ...needs("bash", "curl", "jq"),
  async fn() {
    const page = "docs/how-to/test-your-application.md";
    await using system = await startSystem();
    await using commands = await openPageCommands(page, { system });

    await commands.next();
    assert.match((await commands.next()).trim(), /busy$/);
    commands.done();
  },
});
