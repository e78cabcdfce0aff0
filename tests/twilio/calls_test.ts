import assert from "node:assert/strict";
import { twilioAnswerer } from "../../core/calls/answered_by.ts";
import twilio from "twilio";
import { companionOf, reportWholeCall, xml } from "../support/service/hand_companion.ts";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

const call = { to: "client:alice", from: "client:bob", url: "https://app.test/voice" };
const alice = { Login: "alice", Password: "pass" };

Deno.test("npm twilio makes a call, follows it to its end and removes it", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  app.answers = () => xml("<Say>Hi</Say>");

  const made = await client.calls.create({
    ...call,
    statusCallback: "https://app.test/status",
    statusCallbackEvent: ["initiated", "completed"],
    timeout: 20,
    machineDetection: "Enable",
  });
  assert.equal(made.status, "queued");
  assert.equal(made.direction, "outbound-api");
  assert.equal(made.startTime, null);
  await assert.rejects(client.calls(made.sid).remove(), { status: 400, code: 21221 });
  await reportWholeCall(app, made.sid);

  const ended = await client.calls(made.sid).fetch();
  assert.equal(ended.status, "completed");
  assert.equal(ended.startTime.getTime(), app.clock.now);
  assert.equal(ended.duration, "0");
  const statuses = app.fetched.filter(({ url }) => url.endsWith("/status"));
  const told = new URLSearchParams(await statuses[0]!.text());
  assert.equal(told.get("ApiVersion"), "2010-04-01");
  await assert.rejects(client.calls(made.sid).update({ status: "completed" }), { code: 21220 });
  assert.equal(await client.calls(made.sid).remove(), true);
  await assert.rejects(client.calls(made.sid).fetch(), { status: 404, code: 20404 });
});

Deno.test("validateRequest of npm twilio accepts each request of a call, and no changed one", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  app.answers = () => xml("<Say>Hi</Say>");

  const statusCallback = "https://app.test/status?of=call";
  const { sid } = await client.calls.create({ ...call, statusCallback });
  await reportWholeCall(app, sid);

  assert.equal(app.fetched.length, 2);
  for (const request of app.fetched) {
    const signature = request.headers.get("x-twilio-signature")!;
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    const { token } = app.root;
    assert.equal(twilio.validateRequest(token, signature, request.url, form), true);
    assert.equal(
      twilio.validateRequest(token, signature, request.url, { ...form, CallStatus: "x" }),
      false,
    );
  }
});

Deno.test("Twiml of a call is performed without a request, after SendDigits", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  const twiml = new twilio.twiml.VoiceResponse();
  twiml.say("Hello & welcome");

  const { sid } = await client.calls.create({
    to: call.to,
    from: call.from,
    twiml,
    sendDigits: "1w2#",
    callerId: "client:carol",
  });
  await app.runJobs();
  const script = await companionOf(app, sid).report({ type: "answered" });

  assert.deepEqual(app.fetched, []);
  assert.deepEqual(script.map(({ type }) => type), ["digits", "say", "hangup"]);
  assert.equal(script[0]?.type === "digits" && script[0].digits, "1w2#");
  assert.equal(script[1]?.type === "say" && script[1].text, "Hello & welcome");
  assert.equal((await client.calls(sid).fetch()).from, "client:carol");
});

/** So many Says of 9,600 random letters: nothing in them repeats. */
const randomWords = (count: number): string =>
  Array.from({ length: count }, () => crypto.getRandomValues(new Uint8Array(7_200)).toBase64())
    .map((text) => `<Say>${text}</Say>`).join("");

Deno.test("Twiml may have 64 KiB, as documents do, and all of it is performed", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  const half = `<Say>${"€".repeat(7_000)}</Say>`;
  const said = (length: number) =>
    `<Response>${half}${half}<Say>${"€".repeat(length)}</Say></Response>`;
  const most = Math.floor((64 * 1_024 - new TextEncoder().encode(said(0)).length) / 3);
  const { sid } = await client.calls.create({ to: call.to, from: call.from, twiml: said(most) });
  await app.runJobs();
  const [, , third] = await companionOf(app, sid).report({ type: "answered" });

  assert.equal(third?.type === "say" && third.text.length, most);
  const tooLong = { to: call.to, from: call.from, twiml: said(most + 1) };
  await assert.rejects(client.calls.create(tooLong), { status: 400, message: /65536 bytes/ });
  const letters = `<Response>${`<Say>${"Hello! ".repeat(1_300)}</Say>`.repeat(7)}</Response>`;
  await client.calls.create({ to: call.to, from: call.from, twiml: letters });
  const twiml = `<Response>${randomWords(6)}</Response>`;
  await assert.rejects(client.calls.create({ to: call.to, from: call.from, twiml }), {
    status: 400,
    message: /40960 bytes, as it cannot be compressed/,
  });
});

Deno.test("Twiml of up to 40 KiB need not be compressible", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  const said = randomWords(4);
  const twiml = `<Response>${said}</Response>`;
  const { sid } = await client.calls.create({ to: call.to, from: call.from, twiml });
  await app.runJobs();
  const script = await companionOf(app, sid).report({ type: "answered" });

  const texts = script.map((step) => step.type === "say" ? `<Say>${step.text}</Say>` : "");
  assert.equal(texts.join(""), said);
});

Deno.test("Twiml redirects a call in progress, and is refused when it is no markup", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  const { sid } = await client.calls.create({ ...call, url: "https://app.test/voice" });
  app.answers = () => xml("<Pause/>");
  await app.runJobs();
  await companionOf(app, sid).report({ type: "answered" });

  await client.calls(sid).update({ twiml: "<Response><Say>Changed</Say></Response>" });
  await app.runJobs();

  const { script } = app.scripts.at(-1)!;
  assert.equal(script[0]?.type === "say" && script[0].text, "Changed");
  for (const twiml of ["<Response>", "<Say>Hi</Say>", `<Response>${"x".repeat(41 << 10)}`]) {
    await assert.rejects(client.calls(sid).update({ twiml }), {
      status: 400,
      message: /Twiml must/,
    });
  }
  for (const twiml of ["", "  "]) {
    const empty = await lab.ask("POST", `Calls/${sid}.json`, { Twiml: twiml });
    assert.equal(empty.status, 400);
    assert.match(
      (await empty.json()).message,
      /Twiml must be markup: it is empty; send <Response\/>/,
    );
  }
});

Deno.test("a call ends at its TimeLimit after the answer, also at one that was set later", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  app.answers = () => xml("<Pause length='600'/>");
  const { sid } = await client.calls.create({ ...call, timeLimit: 30 });
  await app.runJobs();
  await companionOf(app, sid).report({ type: "answered" });
  const ends = () =>
    app.scripts.filter(({ leg, script }) => leg === sid && script[0]?.type === "hangup").length;

  app.clock.now += 20_000;
  await client.calls(sid).update({ timeLimit: 60 });
  app.clock.now += 11_000;
  await app.runJobs();
  assert.equal(ends(), 0);
  app.clock.now += 30_000;
  await app.runJobs();
  assert.equal(ends(), 1);
});

Deno.test("each filter of the list of Calls narrows it", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  const first = await client.calls.create(call);
  await reportWholeCall(app, first.sid);
  app.clock.now += 2 * 86_400_000;
  const second = await client.calls.create({ ...call, to: "client:dora" });
  const sidsOf = async (query: Parameters<typeof client.calls.list>[0]) =>
    (await client.calls.list(query)).map(({ sid }) => sid);
  const dayAfter = new Date(app.clock.now - 86_400_000);

  assert.deepEqual(await sidsOf({ to: "dora" }), [second.sid]);
  assert.deepEqual(await sidsOf({ from: "client:bob" }), [second.sid, first.sid]);
  assert.deepEqual(await sidsOf({ status: "completed" }), [first.sid]);
  assert.deepEqual(await sidsOf({ parentCallSid: first.sid }), []);
  assert.deepEqual(await sidsOf({ startTimeBefore: dayAfter }), [first.sid]);
  assert.deepEqual(await sidsOf({ startTimeAfter: dayAfter }), []);
  assert.deepEqual(await sidsOf({ endTimeBefore: dayAfter }), [first.sid]);
  const each: string[] = [];
  await new Promise<void>((done, failed) =>
    client.calls.each({
      pageSize: 1,
      callback: ({ sid }) => void each.push(sid),
      done: (error?: Error) => error ? failed(error) : done(),
    })
  );
  assert.deepEqual(each, [second.sid, first.sid]);
});

Deno.test("Notifications of a call are listed and fetched below it", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { sid } = await client.calls.create({ ...call, to: "client:nobody" });
  const other = await client.calls.create({ ...call, to: "client:nobody" });
  await app.runJobs();

  const below = await client.calls(sid).notifications.list();
  assert.equal(below.length, 1);
  assert.equal(below[0]!.errorCode, "13224");
  const one = await client.calls(sid).notifications(below[0]!.sid).fetch();
  assert.equal(one.callSid, sid);
  assert.match(one.requestVariables, /To=client%3Anobody/);
  assert.equal((await client.notifications.list({ log: 0 })).length, 2);
  assert.equal((await client.notifications(one.sid).fetch()).messageText, one.messageText);
  await assert.rejects(client.calls(other.sid).notifications(one.sid).fetch(), { status: 404 });
  await assert.rejects(client.calls("CA" + "0".repeat(32)).notifications.list(), { status: 404 });
});

Deno.test("absent parts of a call answer 501, records that are missing do not", async () => {
  await using lab = await startTwilioLab();
  const { sid } = await lab.client.calls.create(call);
  const of = lab.client.calls(sid);

  const payment = { idempotencyKey: "1", statusCallback: "https://app.test/pay" };
  const absent = { status: 501, code: 20501 };
  await assert.rejects(of.payments.create(payment), absent);
  await assert.rejects(of.userDefinedMessages.create({ content: "{}" }), absent);
  await assert.rejects(of.siprec.create(), absent);
});

Deno.test("Events of a call are its status callbacks with their responses", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  app.answers = () => xml("<Pause/>");
  const { sid } = await client.calls.create({ ...call, statusCallback: "https://app.test/status" });
  await reportWholeCall(app, sid);

  const [event, ...others] = await client.calls(sid).events.list();
  assert.deepEqual(others, []);
  const { request, response } = event as unknown as {
    request: { url: string; parameters: Record<string, string> };
    response: { response_code: number };
  };
  assert.equal(request.url, "https://app.test/status");
  assert.equal(request.parameters.CallSid, sid);
  assert.equal(response.response_code, 200);
});

Deno.test("AsyncAmd lets the markup run, and its callback gets AnsweredBy in Twilio's words", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  app.answers = () => xml("<Say>Hi</Say>");
  const { sid } = await client.calls.create({
    ...call,
    machineDetection: "DetectMessageEnd",
    machineDetectionTimeout: 20,
    asyncAmd: "true",
    asyncAmdStatusCallback: "https://app.test/amd",
    asyncAmdStatusCallbackMethod: "GET",
  });
  await app.runJobs();
  const [invite] = app.scripts.find(({ leg }) => leg === sid)!.script;
  assert.ok(invite?.type === "invite");
  const callback = { url: "https://app.test/amd", method: "GET" } as const;
  const { isAsync, timeoutS, untilEnd } = invite.machineDetection!;
  assert.deepEqual([isAsync, timeoutS, untilEnd], [true, 20, true]);
  assert.deepEqual(invite.machineDetection!.callback, callback);

  const leg = companionOf(app, sid);
  const script = await leg.report({ type: "answered" });
  assert.deepEqual(script.map(({ type }) => type), ["say", "hangup"]);
  const detected = {
    type: "detected",
    answeredBy: "machine",
    greetingEnd: "beep",
    durationMs: 1_200,
    callback,
  } as const;
  await leg.report(detected, { wantsScript: false });
  await app.runJobs();

  const told = app.fetched.filter(({ url }) => url.startsWith(callback.url));
  const params = new URL(told[0]!.url).searchParams;
  assert.deepEqual(
    [told.length, params.get("AnsweredBy"), params.get("MachineDetectionDuration")],
    [1, "machine_end_beep", "1200"],
  );
  assert.equal((await client.calls(sid).fetch()).answeredBy, "machine_end_beep");
  assert.equal((await app.root.get(`Calls/${sid}.json`)).json().answered_by, "machine");
});

Deno.test("a machine is named by the end of its greeting, or by its start", () => {
  const record = {
    answeredBy: "machine",
    machineDetection: "DetectMessageEnd",
    greetingEnd: null,
  } as const;
  const named = (more: Partial<Parameters<typeof twilioAnswerer>[0]>) =>
    twilioAnswerer({ ...record, ...more });

  assert.equal(named({ greetingEnd: "beep" }), "machine_end_beep");
  assert.equal(named({ greetingEnd: "silence" }), "machine_end_silence");
  assert.equal(named({ greetingEnd: "other" }), "machine_end_other");
  // Of a companion of a former version.
  assert.equal(named({}), "machine_end_other");
  assert.equal(named({ machineDetection: "Enable" }), "machine_start");
  // A leg of a Dial: its noun asked, and no record.
  assert.equal(named({ machineDetection: null, greetingEnd: "beep" }), "machine_end_beep");
  assert.equal(named({ answeredBy: "human" }), "human");
  assert.equal(named({ answeredBy: null }), null);
});

Deno.test("MachineDetection of a participant goes on while it joins, with its AmdStatusCallback", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", alice);
  const { callSid } = await client.conferences("Room").participants.create({
    from: call.from,
    to: call.to,
    machineDetection: "Enable",
    amdStatusCallback: "https://app.test/amd",
  });
  await app.runJobs();
  const [invite] = app.scripts.find(({ leg }) => leg === callSid)!.script;
  assert.ok(invite?.type === "invite");
  assert.deepEqual(
    [invite.machineDetection?.isAsync, invite.machineDetection?.callback],
    [true, { url: "https://app.test/amd", method: "POST" }],
  );
});
