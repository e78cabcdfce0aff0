import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

const xml = (body: string) =>
  new Response(`<Response>${body}</Response>`, { headers: { "Content-Type": "text/xml" } });

Deno.test("POST Webhooks/Tests requests markup as a call would, describes its effect, and stores nothing", async () => {
  using app = await startApp();
  app.answers = () =>
    xml(
      "<Fax/><Say>Hello &amp; welcome</Say>" +
        '<Gather numDigits="4" action="/typed"><Play>/menu.wav</Play></Gather>' +
        '<Dial callerId="+15550101"><Client>nobody</Client></Dial>',
    );
  const response = await app.root.post("Webhooks/Tests.json", {
    Url: "https://user:secret@app.test/voice?x=1",
    From: "+15550123",
    Digits: "7#",
  });
  const tried = response.json();
  assert.equal(response.status, 200);
  assert.equal(tried.url, "https://app.test/voice?x=1");
  assert.deepEqual([tried.kind, tried.method, tried.status], ["voice", "POST", 200]);
  assert.equal(tried.verbs, "Fax, Say, Gather, Dial");
  assert.deepEqual(tried.steps.map(({ text }: { text: string }) => text), [
    "Answers the call",
    "Says “Hello & welcome” (en-US)",
    "Plays https://app.test/menu.wav. Meanwhile it takes 4 keys at most, which # ends, " +
    "and waits 5 s for it; then requests POST https://app.test/typed",
    "Calls client:nobody, which has no route, for 30 s",
    "Hangs up",
  ]);
  assert.deepEqual(
    tried.problems.map(({ error_code: code, text }: { error_code: number; text: string }) => [
      code,
      text,
    ]),
    [
      [12200, "Skipped: verb Fax"],
      [13224, "Cannot route the call: the address has no destination: client:nobody"],
    ],
  );
  const [request] = app.fetched;
  const form = new URLSearchParams(await request!.text());
  assert.deepEqual([form.get("From"), form.get("Digits"), form.get("CallStatus")], [
    "+15550123",
    "7#",
    "ringing",
  ]);
  assert.match(request!.headers.get("X-Switchboard-Signature")!, /^t=\d+,v1=[0-9a-f]{64}$/);
  assert.equal(new URLSearchParams(tried.request_variables).get("Digits"), "7#");
  assert.doesNotMatch(response.text, /secret/);
  for (const list of ["Calls", "Notifications", "Webhooks/Documents"]) {
    assert.equal((await app.root.get(`${list}.json`)).json().total, 0, list);
  }
});

Deno.test("POST Webhooks/Tests says why there is no markup", async () => {
  using app = await startApp();
  const tryIt = async (answers: () => Response) => {
    app.answers = answers;
    const { problems, status } =
      (await app.root.post("Webhooks/Tests.json", { Url: "https://app.test/voice" })).json();
    return [status, problems[0].error_code, problems[0].text];
  };

  assert.deepEqual(await tryIt(() => new Response("gone", { status: 404 })), [
    404,
    11210,
    "Cannot fetch the markup document: the server answered 404",
  ]);
  const [, code] = await tryIt(() => xml("<Say>"));
  assert.equal(code, 12100);
  const [status, unreachable] = await tryIt(() => {
    throw new TypeError("connection refused");
  });
  assert.deepEqual([status, unreachable], [null, 11210]);
  const refused = await app.root.post("Webhooks/Tests.json", { From: "+15550123" });
  assert.equal(refused.status, 400);
  assert.match(refused.json().message, /Url or ApplicationSid is required/);
  const other = await app.root.post("Webhooks/Tests.json", {
    ApplicationSid: `AP${"1".repeat(32)}`,
  });
  assert.match(other.json().message, /ApplicationSid must name an application/);
});

Deno.test("POST Webhooks/Tests tries texts, USSD dialogues and flows", async () => {
  using app = await startApp();
  app.answers = () => xml("<Message>Got it</Message><Play>/x.wav</Play>");
  const sms = (await app.root.post("Webhooks/Tests.json", {
    Url: "https://app.test/sms",
    Kind: "sms",
    Body: "Hi",
  })).json();
  assert.equal(sms.steps[0].text, "Sends a text from +15550101 to +15550100: “Got it”");
  assert.match(sms.problems[0].text, /Skipped: verb Play/);
  assert.equal(new URLSearchParams(sms.request_variables).get("Body"), "Hi");

  app.answers = () => xml("<UssdMessage>1 Balance</UssdMessage>");
  const ussd = (await app.root.post("Webhooks/Tests.json", {
    Url: "https://app.test/ussd",
    Kind: "ussd",
  })).json();
  assert.deepEqual(ussd.steps, [{ text: "Shows “1 Balance”" }]);

  const flow = { start: "hi", steps: { hi: { type: "say", text: "Hello" } } };
  const { sid } = (await app.root.post("Applications.json", {
    FriendlyName: "flow",
    Flow: JSON.stringify(flow),
  })).json();
  const asFlow = await app.root.post("Webhooks/Tests", { ApplicationSid: sid });
  assert.match(asFlow.text, /<Step><Text>Says “Hello” \(en-US\)<\/Text><\/Step>/);
  assert.match(asFlow.text, new RegExp(`<Url>flow:${sid}</Url>`));
});

Deno.test("POST Webhooks/Tests is an operation of its own account", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const mine = await app.subAccount(app.root, "mine");
  const { sid } = (await other.post("Applications.json", {
    FriendlyName: "theirs",
    RcmlUrl: "https://app.test/voice",
  })).json();
  assert.equal((await mine.post("Webhooks/Tests.json", { ApplicationSid: sid })).status, 400);
  const crossed = await mine.with({ sid: other.sid }).post("Webhooks/Tests.json", {
    Url: "https://app.test/voice",
  });
  assert.equal(crossed.status, 403);
  assert.equal(app.fetched.length, 0);
});
