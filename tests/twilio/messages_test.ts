import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

const text = { to: "+14155550102", from: "+14155550101", body: "Hello" };

Deno.test("npm twilio sends, fetches and lists Messages, also below SMS", async () => {
  await using lab = await startTwilioLab();

  const made = await lab.client.messages.create(text);
  const fetched = await lab.client.messages(made.sid).fetch();

  assert.equal(fetched.body, "Hello");
  assert.equal(fetched.apiVersion, "2010-04-01");
  assert.equal((await lab.client.messages.list({ to: text.to })).length, 1);
  const other = await (await lab.ask("GET", "SMS/Messages.json")).json();
  assert.equal(other.messages[0].sid, made.sid);
});

Deno.test("a Message without To, From or Body is refused with Twilio's code", async () => {
  await using lab = await startTwilioLab();
  const { messages } = lab.client;
  const codeOf = async (form: Record<string, string>) =>
    (await (await lab.ask("POST", "Messages.json", form)).json()).code;

  assert.equal(await codeOf({ From: text.from, Body: "a" }), 21604);
  assert.equal(await codeOf({ To: text.to, Body: "a" }), 21603);
  assert.equal(await codeOf({ To: text.to, From: text.from }), 21602);
  await assert.rejects(messages.create({ ...text, mediaUrl: ["https://app.test/a.png"] }), {
    status: 400,
    message: /MediaUrl is not supported/,
  });
});
