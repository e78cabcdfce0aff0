import assert from "node:assert/strict";
import type { Message } from "../../core/model/resources/messages.ts";
import { type App, startApp } from "../support/service/app.ts";
import { notifications } from "../support/service/hand_companion.ts";

const start = Date.UTC(2024, 0, 31, 12);
const text = { From: "+15550001", To: "+4930123456", Body: "hello" };
const inAnHour = new Date(start + 3_600_000).toISOString();

/** Has every message taken, and keeps what was. */
function takeAll(app: App): Message[] {
  const taken: Message[] = [];
  app.ports.messageRoutes.push({
    reaches: () => Promise.resolve(true),
    send: (message) => Promise.resolve(void taken.push(message)),
  });
  return taken;
}

const statusOf = async (app: App, sid: string, account = app.root): Promise<string> =>
  (await account.get(`SMS/Messages/${sid}.json`)).json().status;

Deno.test("a message with SendAt waits as queued, and is sent after a restart of the service", async () => {
  const directory = await Deno.makeTempDir();
  const location = `${directory}/store`;
  try {
    let sid = "";
    {
      using app = await startApp({ shared: { location, instance: 0 } });
      const made = (await app.root.post("SMS/Messages.json", { ...text, SendAt: inAnHour })).json();
      sid = made.sid;
      assert.deepEqual([made.status, made.date_sent], ["queued", null]);
      await app.runJobs();
      assert.equal(await statusOf(app, sid), "queued");
    }
    using app = await startApp({ shared: { location, instance: 1 } });
    app.clock.now += 3_600_000;
    const taken = takeAll(app);
    await app.runJobs();
    assert.deepEqual(taken.map((message) => message.sid), [sid]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("SendAt is a time to come within 35 days, with an offset", async () => {
  using app = await startApp();
  const codeOf = async (SendAt: string) =>
    (await app.root.post("SMS/Messages.json", { ...text, SendAt })).json().code;

  assert.equal(await codeOf(new Date(start - 1).toISOString()), 35114);
  assert.equal(await codeOf(new Date(start + 35 * 86_400_000 + 1).toISOString()), 35114);
  assert.equal(await codeOf("2024-01-31T13:00:00"), 20001);
  assert.equal(await codeOf("2024-01-31T15:00:00+02:00"), undefined);
});

Deno.test("a scheduled message of an account that is suspended meanwhile fails at its time", async () => {
  using app = await startApp();
  const taken = takeAll(app);
  const child = await app.subAccount(app.root, "child");
  const { sid } = (await child.post("SMS/Messages.json", { ...text, SendAt: inAnHour })).json();
  await app.ports.accounts.update(child.sid, (account) => ({
    record: { ...account, status: "suspended" },
  }));

  app.clock.now += 3_600_000;
  await app.runJobs();

  assert.deepEqual(taken, []);
  const record = await app.ports.records.messages.get(child.sid, sid);
  assert.equal(record?.status, "failed");
});

Deno.test("an Erasure removes a scheduled message of its subject, which is never sent", async () => {
  using app = await startApp();
  const taken = takeAll(app);
  const { sid } = (await app.root.post("SMS/Messages.json", { ...text, SendAt: inAnHour })).json();
  await app.root.post("Erasures.json", { Subject: text.To });
  await app.runJobs();
  app.clock.now += 2 * 3_600_000;
  await app.runJobs();

  assert.deepEqual(taken, []);
  assert.equal((await app.root.get(`SMS/Messages/${sid}.json`)).status, 404);
  assert.deepEqual(await notifications(app), []);
});
