import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

Deno.test("GET /Sandbox makes the one Sandbox of the account, also for two at once", async () => {
  using app = await startApp();

  const answers = await Promise.all([1, 2, 3].map(() => app.root.get("Sandbox.json")));
  const [first] = answers.map((answer) => answer.json());

  assert.match(first.pin, /^\d{8}$/);
  assert.equal(first.account_sid, app.root.sid);
  assert.equal("sid" in first, false);
  for (const answer of answers) assert.equal(answer.text, answers[0]!.text);
  assert.equal((await app.root.get(first.uri)).text, answers[0]!.text);
});

Deno.test("POST /Sandbox changes the sent parameters, and an empty value clears one", async () => {
  using app = await startApp();
  const ApplicationSid = await makeSample(app, app.root, { name: "applications" });
  app.clock.now += 1_000;

  const form = { VoiceUrl: "https://app.test/v", SmsMethod: "GET", ApplicationSid };
  const changed = (await app.root.post("Sandbox.json", form)).json();

  assert.deepEqual(
    [changed.voice_url, changed.sms_method, changed.application_sid, changed.voice_method],
    ["https://app.test/v", "GET", ApplicationSid, "POST"],
  );
  assert.deepEqual((await app.root.get("Sandbox.json")).json(), changed);
  const cleared = (await app.root.post("Sandbox.json", { VoiceUrl: "" })).json();
  assert.equal(cleared.voice_url, null);
});

Deno.test("POST /Sandbox refuses wrong parameters; other methods answer 405", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const foreign = await makeSample(app, other, { name: "applications" });

  const forms: Record<string, string>[] = [
    { VoiceUrl: "nowhere" },
    { SmsMethod: "PUT" },
    { ApplicationSid: foreign },
    { ApplicationSid: "AP1" },
  ];
  for (const form of forms) {
    const answer = await app.root.post("Sandbox.json", form);
    assert.equal(answer.status, 400);
    assert.ok(answer.json().message.includes(Object.keys(form)[0]), answer.text);
  }
  const ignored = await app.root.post("Sandbox.json", { Pin: "1" });
  assert.match(ignored.headers.get("Warning") ?? "", /Pin/);
  for (const method of ["PUT", "DELETE"]) {
    const answer = await app.root.request(method, "Sandbox");
    assert.deepEqual([answer.status, answer.headers.get("Allow")], [405, "GET, HEAD, POST"]);
  }
  assert.equal((await app.root.get("Sandbox/SB1")).status, 404);
});
