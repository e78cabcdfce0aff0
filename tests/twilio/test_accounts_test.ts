import assert from "node:assert/strict";
import { startTwilioLab, type TwilioLab } from "../support/service/twilio_lab.ts";
import { xml } from "../support/service/hand_companion.ts";

/** npm twilio with the credentials of a new test account. */
async function testClient({ app, clientOf }: TwilioLab) {
  const form = { EmailAddress: "ci@example.com", Password: "secret", Type: "Test" };
  const { sid, auth_token } = (await app.root.post("/2012-04-24/Accounts.json", form)).json();
  return clientOf(sid, auth_token);
}

Deno.test("npm twilio with test credentials runs whole calls, without a phone", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const client = await testClient(lab);
  const { type } = await client.api.accounts(client.accountSid).fetch();
  assert.equal(type, "Test");
  app.answers = (request) =>
    request.url.endsWith("/menu")
      ? xml('<Gather numDigits="1" action="/picked"><Say>Press 1</Say></Gather>')
      : xml("<Say>Thank you</Say>");

  const outcomes: Record<string, string> = {};
  for (const to of ["+15005550021", "+15005550011", "+15005550012", "+15005550013"]) {
    const { sid } = await client.calls.create({
      from: "+15005550006",
      to,
      url: "https://app.test/menu",
      statusCallback: "https://app.test/status",
    });
    await app.runJobs();
    outcomes[to] = (await client.calls(sid).fetch()).status;
  }
  const inline = await client.calls.create({
    from: "+15005550006",
    to: "+15005550014",
    twiml: "<Response><Pause/></Response>",
    machineDetection: "Enable",
  });
  await app.runJobs();

  assert.deepEqual(outcomes, {
    "+15005550011": "busy",
    "+15005550012": "no-answer",
    "+15005550013": "failed",
    "+15005550021": "completed",
  });
  const { answeredBy, price } = await client.calls(inline.sid).fetch();
  assert.equal(answeredBy, "machine_start");
  assert.equal(Number(price), 0);
  const picked = app.fetched.find(({ url }) => url.endsWith("/picked"));
  assert.equal(new URLSearchParams(await picked!.text()).get("Digits"), "1");
  assert.equal(app.fetched.filter(({ url }) => url.endsWith("/status")).length, 4);
  assert.deepEqual(app.scripts, []);
});

Deno.test("npm twilio with test credentials sends texts that are delivered, or fail as requested", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const client = await testClient(lab);
  const statuses: string[] = [];
  for (const to of ["+4930123456", "+15005550012", "+15005550013"]) {
    const { sid, status } = await client.messages.create({ from: "+15005550006", to, body: "Hi" });
    assert.equal(status, "queued");
    await app.runJobs();
    const message = await client.messages(sid).fetch();
    statuses.push(`${message.status} ${message.errorCode}`);
  }

  assert.deepEqual(statuses, ["delivered null", "undelivered 30005", "failed 30007"]);
  const to = "+4930123456";
  for (
    const [ends, code] of [
      [{ to: "+15005550001", from: "+15005550006" }, 21211],
      [{ to, from: "+15005550001" }, 21212],
      [{ to, from: "+15005550007" }, 21606],
    ] as const
  ) {
    await assert.rejects(client.messages.create({ ...ends, body: "Hi" }), { status: 400, code });
  }
  assert.deepEqual(app.sentOut, []);
});

Deno.test("npm twilio with test credentials records a call, and hears of a machine beside its markup", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const client = await testClient(lab);
  const { sid } = await client.calls.create({
    from: "+15005550006",
    to: "+15005550014",
    twiml: '<Response><Pause length="7"/></Response>',
    record: true,
    machineDetection: "Enable",
    asyncAmd: "true",
    asyncAmdStatusCallback: "https://app.test/amd",
  });
  await app.runJobs();

  const call = await client.calls(sid).fetch();
  assert.deepEqual([call.status, call.duration, call.answeredBy], [
    "completed",
    "7",
    "machine_start",
  ]);
  const [told] = app.fetched.filter(({ url }) => url.endsWith("/amd"));
  const params = new URLSearchParams(await told!.text());
  assert.deepEqual([params.get("CallSid"), params.get("AnsweredBy")], [sid, "machine_start"]);
  const [recording] = await client.calls(sid).recordings.list();
  assert.deepEqual([recording!.duration, recording!.status], ["7", "completed"]);
});

Deno.test("npm twilio with test credentials records a call in real time, pauses and stops", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const client = await testClient(lab);
  const { sid } = await client.calls.create({
    from: "+15005550006",
    to: "+15005551006",
    twiml: '<Response><Pause length="60"/></Response>',
  });
  const pass = async (seconds: number) => {
    app.clock.now += seconds * 1_000;
    await app.runJobs();
  };
  for (const seconds of [0, 1, 2]) await pass(seconds);
  const { recordings } = client.calls(sid);

  await assert.rejects(client.calls(sid).streams.create({ url: "wss://agent.test/" }), {
    status: 400,
    message: /a test account have no audio to stream/,
  });
  assert.deepEqual(app.streamOrders, []);
  const one = await recordings.create();
  const other = await recordings.create();
  assert.equal(one.status, "in-progress");
  await pass(4);
  await recordings(one.sid).update({ status: "paused", pauseBehavior: "skip" });
  await pass(10);
  await recordings(one.sid).update({ status: "in-progress" });
  await pass(3);
  await recordings(one.sid).update({ status: "stopped" });
  await pass(3);
  assert.equal((await client.recordings(one.sid).fetch()).duration, "7");
  await client.calls(sid).update({ status: "completed" });
  await pass(0);

  const call = await client.calls(sid).fetch();
  assert.deepEqual([call.status, call.duration], ["completed", "20"]);
  assert.equal((await client.recordings(other.sid).fetch()).duration, "20");
  assert.deepEqual(app.scripts, []);
});
