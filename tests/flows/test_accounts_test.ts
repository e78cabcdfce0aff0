import assert from "node:assert/strict";
import { credentialsOf } from "../../core/accounts/credentials.ts";
import { simulationLimits } from "../../core/trials/simulation/times.ts";
import type { ApiClient, Form } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, notifications, xml } from "../support/service/hand_companion.ts";

/** A client with the credentials of a new test account. */
async function testAccount(app: App): Promise<ApiClient> {
  const form = { EmailAddress: "ci@example.com", Password: "secret", Type: "Test" };
  const made = await app.root.post("/2012-04-24/Accounts.json", form);
  assert.equal(made.status, 200, made.text);
  assert.equal(made.json().type, "Test");
  const { sid, auth_token: token } = made.json();
  return app.root.with({ sid, user: sid, token });
}

const events = ["initiated", "ringing", "answered", "completed"].join(" ");
const numbers = {
  answers: "+15005550006",
  hangsUp: "+15005550010",
  busy: "+15005550011",
  noAnswer: "+15005550012",
  fails: "+15005550013",
  machine: "+15005550014",
  presses1: "+15005550021",
  saysYes: "+15005550031",
};

async function calls(test: ApiClient, To: string, form: Form = {}): Promise<string> {
  const made = await test.post("Calls.json", {
    From: "+15005550006",
    To,
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/status",
    StatusCallbackEvent: events,
    ...form,
  });
  assert.equal(made.status, 200, made.text);
  assert.equal(made.json().status, "queued");
  return made.json().sid;
}

/** Requests to the customer's server, in order, each with its path and parameters. */
async function asked(app: App): Promise<{ path: string; params: Record<string, string> }[]> {
  return await Promise.all(app.fetched.map(async (request) => ({
    path: new URL(request.url).pathname,
    params: Object.fromEntries(new URLSearchParams(await request.clone().text())),
  })));
}

const statuses = async (app: App) =>
  (await asked(app)).filter(({ path }) => path === "/status")
    .sort((one, other) => Number(one.params.SequenceNumber) - Number(other.params.SequenceNumber))
    .map(({ params }) => params.CallStatus);

/** Nothing of a test reached a companion, a carrier or the mail server. */
function assertNothingLeft(app: App): void {
  assert.deepEqual([app.scripts, app.muted, app.messaged, app.sentOut, app.mailed], [
    [],
    [],
    [],
    [],
    [],
  ]);
}

Deno.test("a test call that is answered performs its document, and ends with it", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) =>
    request.url.endsWith("/voice")
      ? xml("<Say>Hello</Say><Redirect>/next</Redirect>")
      : xml('<Play>https://app.test/a.wav</Play><Pause length="4"/>');

  const sid = await calls(test, numbers.answers);
  await app.runJobs();

  const call = await callOf(app, sid, test);
  assert.deepEqual([call.status, call.duration, call.price], ["completed", "7", "0.00"]);
  assert.deepEqual(await statuses(app), ["initiated", "ringing", "in-progress", "completed"]);
  const paths = (await asked(app)).map(({ path }) => path).filter((path) => path !== "/status");
  assert.deepEqual(paths, ["/voice", "/next"]);
  assertNothingLeft(app);
  assert.deepEqual(await notifications(app, test), []);
  const { total } = await app.ports.records.simulatedLegs.list(test.sid, {
    where: [],
    skip: 0,
    limit: 1,
  });
  assert.equal(total, 0);
});

for (
  const [to, status, ended] of [
    [numbers.busy, "busy", ["initiated", "busy"]],
    [numbers.noAnswer, "no-answer", ["initiated", "ringing", "no-answer"]],
    [numbers.fails, "failed", ["initiated", "failed"]],
  ] as const
) {
  Deno.test(`a test call to ${to} ends as ${status}`, async () => {
    using app = await startApp();
    const test = await testAccount(app);

    const sid = await calls(test, to);
    await app.runJobs();

    const call = await callOf(app, sid, test);
    assert.deepEqual([call.status, call.duration], [status, "0"]);
    assert.deepEqual(await statuses(app), ended);
    assertNothingLeft(app);
  });
}

Deno.test("the called side of a test call hangs up where its number says so", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = () => xml('<Say loop="0">Hello</Say>');

  const [sid, endless] = [await calls(test, numbers.hangsUp), await calls(test, numbers.answers)];
  await app.runJobs();

  assert.equal((await callOf(app, sid, test)).duration, "3");
  assert.equal((await callOf(app, endless, test)).duration, "600");
});

Deno.test("an answering machine is detected in a test call, before its document is requested", async () => {
  using app = await startApp();
  const test = await testAccount(app);

  for (const to of [numbers.machine, numbers.answers]) {
    await calls(test, to, { MachineDetection: "Enable" });
  }
  await app.runJobs();

  const answeredBy = (await asked(app)).filter(({ path }) => path === "/voice")
    .map(({ params }) => params.AnsweredBy).sort();
  assert.deepEqual(answeredBy, ["human", "machine"]);
});

Deno.test("a test call presses keys and says words at each Gather, or nothing", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const gather = '<Gather input="dtmf speech" numDigits="1" action="/gathered"><Say>Menu</Say>' +
    "</Gather><Redirect>/nothing</Redirect>";
  let gathered = 0;
  app.answers = (request) => {
    if (request.url.endsWith("/voice")) return xml(gather);
    if (request.url.endsWith("/gathered") && ++gathered === 1) return xml(gather);
    return xml("<Hangup/>");
  };
  for (const to of [numbers.presses1, numbers.saysYes, numbers.answers]) {
    await calls(test, to);
    await app.runJobs();
    gathered = 0;
  }

  const inputs = (await asked(app)).filter(({ path }) => /gathered|nothing/.test(path))
    .map(({ path, params }) => [path, params.Digits ?? params.SpeechResult ?? ""]);
  assert.deepEqual(inputs, [
    ["/gathered", "1"],
    ["/gathered", "1"],
    ["/gathered", "yes"],
    ["/gathered", "yes"],
    ["/nothing", ""],
  ]);
});

Deno.test("headers of a SIP address select the behaviour of a test call", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const gather = '<Gather numDigits="2" action="/next" timeout="1"/><Redirect>/next</Redirect>';
  app.answers = () => xml(gather);

  const sid = await calls(test, "sip:any@example.com?X-Test-Digits=12,34&X-Test-HangUp=5");
  const busy = await calls(test, "sip:any@example.com?X-Test-Answer=busy");
  await app.runJobs();

  const digits = (await asked(app)).filter(({ path }) => path === "/next")
    .map(({ params }) => params.Digits);
  assert.deepEqual(digits.slice(0, 3), ["12", "34", undefined]);
  assert.equal((await callOf(app, sid, test)).duration, "5");
  assert.equal((await callOf(app, busy, test)).status, "busy");
});

Deno.test("a Dial of a test call rings, connects and is reported, with a recording", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) =>
    request.url.endsWith("/voice")
      ? xml(
        `<Dial action="/dialled" record="record-from-answer"><Number>${numbers.busy}</Number>` +
          `<Number>+4930123456</Number></Dial>`,
      )
      : xml("<Hangup/>");

  const sid = await calls(test, numbers.answers);
  await app.runJobs();

  const [dialled] = (await asked(app)).filter(({ path }) => path === "/dialled");
  const { DialCallStatus, DialCallDuration, DialCallSid, RecordingDuration } = dialled!.params;
  assert.deepEqual([DialCallStatus, DialCallDuration, RecordingDuration], ["completed", "5", "5"]);
  const { calls: legs } = (await test.get(`Calls.json?ParentCallSid=${sid}`)).json();
  assert.deepEqual(
    legs.map((leg: Record<string, string>) => [leg.to, leg.status, leg.duration]).sort(),
    [["+15005550011", "busy", "0"], ["+4930123456", "completed", "5"]],
  );
  assert.equal(legs.find((leg: { sid: string }) => leg.sid === DialCallSid).status, "completed");
  assert.equal((await callOf(app, sid, test)).status, "completed");
  assertNothingLeft(app);
});

Deno.test("a Record of a test call leaves audio, and an Sms of it is not sent", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) =>
    request.url.endsWith("/voice")
      ? xml('<Record action="/recorded" transcribe="true"/>')
      : request.url.endsWith("/recorded")
      ? xml('<Sms from="+15005550006" to="+4930123456" action="/sent">Hi</Sms>')
      : xml("<Hangup/>");

  const sid = await calls(test, numbers.answers);
  await app.runJobs();

  const [recorded] = (await asked(app)).filter(({ path }) => path === "/recorded");
  assert.equal(recorded!.params.RecordingDuration, "3");
  const { recordings } = (await test.get(`Calls/${sid}/Recordings.json`)).json();
  assert.deepEqual(recordings.map((one: { duration: string }) => one.duration), ["3"]);
  const audio = await test.request("GET", `Recordings/${recordings[0].sid}.wav`);
  assert.equal(audio.status, 200);
  const { transcriptions: [words] } = (await test.get("Transcriptions.json")).json();
  assert.deepEqual([words.transcription_text, words.price], ["This is a test.", "0.00"]);
  const { messages } = (await test.get("SMS/Messages.json")).json();
  assert.deepEqual(messages.map((one: { status: string }) => one.status), ["sent"]);
  assertNothingLeft(app);
});

Deno.test("a test call in real time takes its time, survives a restart and is ended by REST", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = () => xml('<Say loop="0">Hello</Say>');
  const sid = await calls(test, "+15005551006");
  const status = async () => (await callOf(app, sid, test)).status;

  await app.runJobs();
  assert.equal(await status(), "queued");
  app.clock.now += 500;
  await app.runJobs();
  assert.equal(await status(), "ringing");
  app.clock.now += 2_500;
  await app.runJobs(); // Each run has a worker of its own, as after a restart.
  assert.equal(await status(), "in-progress");
  app.clock.now += 20_000;
  await app.runJobs();
  assert.equal(await status(), "in-progress");
  await test.post(`Calls/${sid}.json`, { Status: "completed" });
  await app.runJobs();

  const call = await callOf(app, sid, test);
  assert.deepEqual([call.status, call.duration], ["completed", "20"]);
  assertNothingLeft(app);
});

Deno.test("a test call in real time is redirected, and canceled before it is answered", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) =>
    request.url.endsWith("/voice") ? xml('<Pause length="60"/>') : xml('<Pause length="5"/>');
  const [sid, canceled] = [await calls(test, "+15005551006"), await calls(test, "+15005551012")];
  await app.runJobs();
  app.clock.now += 500;
  await app.runJobs();
  await test.post(`Calls/${canceled}.json`, { Status: "canceled" });
  app.clock.now += 2_500; // The ringing and the order come at once.
  await app.runJobs();
  assert.equal((await callOf(app, canceled, test)).status, "canceled");

  app.clock.now += 1_000;
  const moved = await test.post(`Calls/${sid}.json`, { Url: "https://app.test/other" });
  assert.equal(moved.status, 200, moved.text);
  await app.runJobs();
  app.clock.now += 5_000;
  await app.runJobs();

  const call = await callOf(app, sid, test);
  assert.deepEqual([call.status, call.duration], ["completed", "6"]);
});

Deno.test("test calls in real time meet in a conference, which REST ends", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) =>
    request.url.endsWith("/voice")
      ? xml('<Dial action="/left"><Conference endConferenceOnExit="true">room</Conference></Dial>')
      : xml("<Hangup/>");
  const sids = [await calls(test, "+15005551006"), await calls(test, "+15005551006")];
  await app.runJobs();
  app.clock.now += 3_000;
  await app.runJobs();

  const [room] = (await test.get("Conferences.json")).json().conferences;
  assert.equal(room.status, "in-progress");
  const { participants } = (await test.get(`Conferences/${room.sid}/Participants.json`)).json();
  assert.deepEqual(
    participants.map((one: { call_sid: string }) => one.call_sid).sort(),
    sids.toSorted(),
  );
  app.clock.now += 2_000;
  const removed = await test.delete(`Conferences/${room.sid}/Participants/${sids[0]}.json`);
  assert.equal(removed.status, 204);
  await app.runJobs();

  for (const sid of sids) assert.equal((await callOf(app, sid, test)).status, "completed");
  assertNothingLeft(app);
});

const text = { From: "+15005550006", Body: "Hello", StatusCallback: "https://app.test/sms" };

Deno.test("texts of a test account end as their numbers say, free of charge", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const outcomes = [
    ["+4930123456", "sent"],
    [numbers.fails, "failed"],
    [numbers.noAnswer, "failed"],
    ["+15005550002", "failed"],
  ] as const;
  for (const [To] of outcomes) {
    assert.equal((await test.post("SMS/Messages.json", { ...text, To })).status, 200);
  }
  await app.runJobs();

  const { messages } = (await test.get("SMS/Messages.json")).json();
  const told = (await asked(app)).map(({ params }) => [params.To, params.MessageStatus]).sort();
  assert.deepEqual(
    messages.map((one: Record<string, string>) => [one.to, one.status]).sort(),
    outcomes.toSorted(),
  );
  assert.deepEqual(told, outcomes.toSorted());
  const usage = (await test.get("Usage/Records.json")).json();
  assert.ok(usage.length > 0);
  assert.ok(usage.every((one: { price: string }) => Number(one.price) === 0));
  assertNothingLeft(app);
});

Deno.test("numbers of a test account are refused at once where the table says so", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const call = { Url: "https://app.test/voice" };
  for (
    const [path, form, code] of [
      ["Calls.json", { ...call, From: numbers.answers, To: "+15005550001" }, 21211],
      ["Calls.json", { ...call, From: "+15005550001", To: numbers.answers }, 21212],
      ["Calls.json", { ...call, From: "+15005550007", To: numbers.answers }, 21210],
      ["SMS/Messages.json", { ...text, To: "+15005550001" }, 21211],
      ["SMS/Messages.json", { ...text, From: "+15005550001", To: "+4930123456" }, 21212],
      ["SMS/Messages.json", { ...text, From: "+15005550007", To: "+4930123456" }, 21606],
    ] as const
  ) {
    const refused = await test.post(path, form);
    assert.deepEqual([refused.status, refused.json().code], [400, code], JSON.stringify(form));
  }
});

Deno.test("a test call to a number without a route fails with a Notification", async () => {
  using app = await startApp();
  const test = await testAccount(app);

  const sids = [await calls(test, "+15005550002"), await calls(test, "+15005550003")];
  await app.runJobs();

  for (const sid of sids) assert.equal((await callOf(app, sid, test)).status, "failed");
  const { notifications: told } = (await test.get("Notifications.json")).json();
  assert.deepEqual(
    told.map((one: { error_code: number }) => one.error_code).sort(),
    [13224, 21215],
  );
});

Deno.test("a test account reaches nothing beyond the service", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const gateway = { UserName: "trunk", Password: "secret", Proxy: "sip.carrier.test" };
  const twilio = `/2010-04-01/Accounts/${test.sid}`;
  for (
    const [path, form] of [
      ["Management/Gateways.json", gateway],
      [`${twilio}/Management/Gateways.json`, gateway],
      ["IncomingPhoneNumbers.json", { PhoneNumber: "+14155550150" }],
      ["IncomingPhoneNumbers/Local.json", { PhoneNumber: "+14155550150" }],
      [`${twilio}/IncomingPhoneNumbers.json`, { PhoneNumber: "+14155550150" }],
    ] as const
  ) {
    const refused = await test.post(path, form);
    assert.equal(refused.status, 403, path);
    assert.match(refused.json().message, /a test account has no/);
  }
  const number = (await app.root.post("IncomingPhoneNumbers.json", {
    PhoneNumber: "+14155550150",
  })).json();
  const moved = await app.root.post(`IncomingPhoneNumbers/${number.sid}.json`, {
    AccountSid: test.sid,
  });
  assert.equal(moved.status, 400);
  await test.post("Clients.json", { Login: "bob", Password: "secret" });
  assert.equal((await credentialsOf("bob", app.ports))!.allowed, false);
  await test.post("Email/Messages.json", {
    From: "a@example.com",
    To: "b@example.com",
    Subject: "Hi",
    Body: "Hello",
  });
  await test.post("Calls.json", { ...text, To: "client:bob", Url: "https://app.test/voice" });
  await test.post("SMS/Messages.json", { ...text, To: "client:bob" });
  await test.post("SMS/Messages.json", { ...text, To: "+14155550150" });
  await test.post("UssdPush.json", { ...text, To: "+15005550006", Url: "https://app.test/ussd" });
  await app.runJobs();

  assertNothingLeft(app);
  assert.equal((await app.root.get("SMS/Messages.json")).json().total, 0);
  const { calls: made } = (await test.get("Calls.json")).json();
  assert.deepEqual(made.map((one: { status: string }) => one.status).sort(), [
    "completed",
    "failed",
  ]);
});

const ussdAnswers = (request: Request): Response =>
  request.url.endsWith("/chosen") ? xml("<UssdMessage>Your balance is 12.50.</UssdMessage>") : xml(
    `<UssdCollect action="/chosen"><UssdMessage>1 Balance, 2 Top up</UssdMessage></UssdCollect>`,
  );

Deno.test("a USSD dialogue of a test account is replied to with the keys of the number", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = ussdAnswers;
  const push = async (To: string) => {
    const form = {
      From: "+15005550006",
      To,
      Url: "https://app.test/menu",
      StatusCallback: "https://app.test/status",
      StatusCallbackEvent: events,
    };
    const { sid } = (await test.post("UssdPush.json", form)).json();
    app.fetched.length = 0;
    await app.runJobs();
    const told = await asked(app);
    const { status, price } = await callOf(app, sid, test);
    return { status, price, told };
  };

  const replied = await push(numbers.presses1);
  const chosen = replied.told.filter(({ path }) => path === "/chosen");
  assert.deepEqual(chosen.map(({ params }) => params.Digits), ["1"]);
  assert.deepEqual([replied.status, Number(replied.price)], ["completed", 0]);
  assert.deepEqual(
    replied.told.filter(({ path }) => path === "/status").map(({ params }) => params.CallStatus)
      .toSorted(),
    ["completed", "in-progress", "initiated", "ringing"],
  );

  const silent = await push(numbers.answers);
  assert.equal(silent.status, "completed");
  assert.ok(silent.told.every(({ path }) => path !== "/chosen"));
  const busy = await push(numbers.busy);
  assert.equal(busy.status, "busy");
  assert.deepEqual(await notifications(app, test), []);
  assertNothingLeft(app);
});

Deno.test("a look-up of a test account finds the numbers that answer calls, in a network for tests", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const lookUp = async (DeviceIdentifier: string) => {
    const form = { DeviceIdentifier, StatusCallback: "https://app.test/located" };
    const { sid } = (await test.post("Geolocation/Immediate.json", form)).json();
    await app.runJobs();
    return (await test.get(`Geolocation/Immediate/${sid}.json`)).json();
  };

  const found = await lookUp("+15005550006");
  assert.equal(found.response_status, "successful");
  assert.deepEqual(
    [found.geolocation_data.mobile_country_code, found.geolocation_data.mobile_network_code],
    [1, "01"],
  );
  for (const number of ["+15005550002", numbers.noAnswer, numbers.fails]) {
    assert.equal((await lookUp(number)).response_status, "failed", number);
  }
  const told = (await asked(app)).filter(({ path }) => path === "/located");
  assert.deepEqual(told.map(({ params }) => params.GeolocationStatus), [
    "successful",
    "failed",
    "failed",
    "failed",
  ]);
});

Deno.test("an account below a test account is one too, and no account becomes one later", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const below = await test.post("/2012-04-24/Accounts.json", {
    EmailAddress: "below@example.com",
    Password: "secret",
    Type: "Full",
  });
  assert.equal(below.json().type, "Test");
  const wrong = await app.root.post("/2012-04-24/Accounts.json", {
    EmailAddress: "x@example.com",
    Password: "secret",
    Type: "Trial",
  });
  assert.equal(wrong.status, 400);
  const child = await app.subAccount(app.root, "child");

  await app.root.post(`/2012-04-24/Accounts/${child.sid}.json`, { Type: "Test" });

  assert.equal((await child.get(`/2012-04-24/Accounts/${child.sid}.json`)).json().type, "Full");
});

Deno.test("a step that is not simulated leaves a Notification, and the call goes on", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = () => xml('<Start><Stream url="wss://app.test/"/></Start><Pause length="2"/>');

  const sid = await calls(test, numbers.answers);
  await app.runJobs();

  assert.equal((await callOf(app, sid, test)).duration, "2");
  assert.match((await notifications(app, test)).join(), /the step "stream" is not simulated/);
});

Deno.test("a test call goes on where a run was killed between a report and its commit", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = () => xml('<Sms from="+15005550006" to="+4930123456">Hi</Sms><Pause length="2"/>');
  const { simulatedLegs } = app.ports.records;
  const update = simulatedLegs.update;
  let writes = 0;
  simulatedLegs.update = (...args) => {
    if (++writes % 2 === 0) throw new Error("killed");
    return update(...args);
  };

  const sid = await calls(test, numbers.answers);
  for (let n = 0; n < 20; n++) {
    await app.runJobs();
    app.clock.now += 20_000;
  }

  const call = await callOf(app, sid, test);
  assert.deepEqual([call.status, call.duration], ["completed", "2"]);
  assert.deepEqual(await statuses(app), ["initiated", "ringing", "in-progress", "completed"]);
  assert.equal((await test.get("SMS/Messages.json")).json().total, 1);
});

Deno.test("a test call waits in a queue until it is redirected, and hangs up after its time", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) =>
    request.url.endsWith("/voice")
      ? xml('<Enqueue action="/dequeued">support</Enqueue>')
      : xml('<Pause length="5"/>');
  const sids = [await calls(test, "+15005551006"), await calls(test, "+15005551006")];
  await app.runJobs();
  app.clock.now += 3_000;
  await app.runJobs();
  const twilio = `/2010-04-01/Accounts/${test.sid}/Queues`;
  const [queue] = (await test.get(`${twilio}.json`)).json().queues;
  assert.equal(queue.current_size, 2);

  app.clock.now += 10_000;
  await test.post(`Calls/${sids[0]}.json`, { Url: "https://app.test/agent" });
  await app.runJobs();

  const size = async () => (await test.get(`${twilio}/${queue.sid}.json`)).json().current_size;
  assert.equal(await size(), 1);
  app.clock.now += 5_000;
  await app.runJobs();
  assert.equal((await callOf(app, sids[0]!, test)).duration, "15");
  app.clock.now += 600_000;
  await app.runJobs();
  assert.equal(await size(), 0);
  const dequeued = (await asked(app)).filter(({ path }) => path === "/dequeued")
    .map(({ params }) => [params.QueueResult, params.QueueTime]);
  assert.deepEqual(dequeued, [["redirected", "10"], ["hangup", "600"]]);
});

for (const stepS of [20, -20, 3_600, -3_600, 3 * 3_600]) {
  Deno.test(`test calls in real time go on as before when the clock is set by ${stepS} s`, async () => {
    using app = await startApp();
    const test = await testAccount(app);
    app.answers = ({ url }) => xml(documents[new URL(url).pathname] ?? "<Hangup/>");
    const documents: Record<string, string> = {
      "/voice": '<Pause length="10"/>',
      "/dial": '<Dial action="/over"><Number>+15005550010</Number></Dial>',
      "/wait": '<Enqueue action="/dequeued">support</Enqueue>',
      "/agent": '<Dial action="/over"><Queue>support</Queue></Dial>',
      "/over": '<Pause length="1"/>',
    };
    const place = (path: string) => calls(test, "+15005551006", { Url: `https://app.test${path}` });
    const shown = async (sid: string) => {
      const { status, duration } = await callOf(app, sid, test);
      return [status, duration];
    };
    const passing = async (seconds: number) => {
      app.clock.now += seconds * 1_000;
      await app.runJobs();
    };
    const [talks, dials, waits] = [
      await place("/voice"),
      await place("/dial"),
      await place("/wait"),
    ];
    await app.runJobs();
    app.clock.step(stepS * 1_000);
    await app.runJobs();
    assert.equal((await shown(talks))[0], "queued", "it does not ring yet");
    await passing(0.5);
    await passing(2.5);
    assert.equal((await shown(talks))[0], "in-progress");
    const agent = await place("/agent"); // Its time differs by the step from that of the one that waits.
    await passing(9);
    assert.deepEqual(await shown(waits), ["in-progress", null]);
    app.clock.step(-stepS * 1_000);
    await passing(1);
    assert.deepEqual(await shown(talks), ["completed", "10"]);
    for (let s = 0; s < 20; s++) await passing(1);
    for (const sid of [dials, agent]) {
      const [status, duration] = await shown(sid);
      assert.equal(status, "completed");
      assert.ok(Number(duration) >= 1 && Number(duration) <= 20, `lasted ${duration} s`);
    }
    const [left] = (await asked(app)).filter(({ path }) => path === "/dequeued");
    assert.equal(left?.params.QueueResult, "bridged");
    assert.ok(Number(left.params.QueueTime) <= 20, `waited ${left.params.QueueTime} s`);
    const all = (await test.get("Calls.json?PageSize=50")).json().calls;
    for (const { start_time: start, end_time: end, duration } of all) {
      if (end === null) continue;
      const lastedS = (Date.parse(end) - Date.parse(start)) / 1_000;
      assert.ok(lastedS >= 0 && lastedS < 60 && Number(duration) < 60, `${start} to ${end}`);
    }
    await test.post(`Calls/${waits}.json`, { Status: "completed" });
    await app.runJobs();
    const { total } = await app.ports.records.simulatedLegs.list(test.sid, {
      where: [],
      skip: 0,
      limit: 1,
    });
    assert.equal(total, 0);
  });
}

Deno.test("a test call that is redirected leaves its conference, and its Dial ends", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/voice") return xml("<Dial><Conference>room</Conference></Dial>");
    if (pathname === "/dial") return xml('<Dial action="/dialled">+4930123456</Dial>');
    return xml('<Pause length="5"/>');
  };
  const meeting = await calls(test, "+15005551006");
  const dialling = await calls(test, "+15005551006", { Url: "https://app.test/dial" });
  await app.runJobs();
  app.clock.now += 3_000;
  await app.runJobs();
  app.clock.now += 3_000;
  await app.runJobs();
  const [room] = (await test.get("Conferences.json")).json().conferences;
  assert.equal(room.status, "init"); // It waits for a second participant.

  app.clock.now += 1_000;
  for (const sid of [meeting, dialling]) {
    await test.post(`Calls/${sid}.json`, { Url: "https://app.test/next" });
  }
  await app.runJobs();

  const after = (await test.get(`Conferences/${room.sid}.json`)).json();
  assert.equal(after.status, "completed");
  const { calls: [leg] } = (await test.get(`Calls.json?ParentCallSid=${dialling}`)).json();
  assert.deepEqual([leg.status, leg.duration], ["completed", "1"]);
  const [dialled] = (await asked(app)).filter(({ path }) => path === "/dialled");
  assert.deepEqual([dialled!.params.DialCallStatus, dialled!.params.DialCallDuration], [
    "completed",
    "1",
  ]);
  app.clock.now += 5_000;
  await app.runJobs();
  for (const sid of [meeting, dialling]) {
    assert.equal((await callOf(app, sid, test)).status, "completed");
  }
});

Deno.test("a document that leads to itself ends a test call after so many steps", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = () => xml("<Say>a</Say><Redirect>/voice</Redirect>");

  const sid = await calls(test, numbers.answers);
  await app.runJobs();

  assert.equal((await callOf(app, sid, test)).status, "completed");
  const documents = (await asked(app)).filter(({ path }) => path === "/voice").length;
  assert.ok(documents > 100 && documents <= simulationLimits.acts, String(documents));
});

Deno.test("a suspension ends test calls in real time, and a test call needs no companion", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = () => xml('<Pause length="60"/>');
  const drained = { id: "c", runId: "r", seenAt: app.clock.now, isDraining: true };
  await app.ports.companions.beat(drained);
  const sid = await calls(test, "+15005551006");
  await app.runJobs();
  app.clock.now += 3_000;
  await app.runJobs();
  assert.equal((await callOf(app, sid, test)).status, "in-progress");

  await app.root.post(`/2012-04-24/Accounts/${test.sid}.json`, { Status: "suspended" });
  await app.runJobs();

  const call = await callOf(app, sid, app.root.with({ sid: test.sid }));
  assert.equal(call.status, "completed");
});

Deno.test("a simulated leg whose jobs fail again and again ends its call", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  const sid = await calls(test, numbers.answers);
  const { simulatedLegs } = app.ports.records;
  simulatedLegs.update = () => Promise.reject(new Error("broken"));

  for (let n = 0; n < 12; n++) {
    await app.runJobs();
    app.clock.now += 60_000;
  }

  const call = await callOf(app, sid, test);
  assert.equal(call.status, "failed");
  const none = { where: [], skip: 0, limit: 1 };
  assert.equal((await simulatedLegs.list(test.sid, none)).total, 0);
});

Deno.test("a test call takes another one out of its queue, and both go on when they have talked", async () => {
  using app = await startApp();
  const test = await testAccount(app);
  app.answers = (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/voice") return xml('<Enqueue action="/dequeued">support</Enqueue>');
    if (pathname === "/agent") return xml('<Dial action="/talked"><Queue>support</Queue></Dial>');
    return xml('<Pause length="2"/>');
  };
  const caller = await calls(test, "+15005551006");
  await app.runJobs();
  app.clock.now += 10_000;
  await app.runJobs();
  await calls(test, "+15005551006", { Url: "https://app.test/agent" });
  await app.runJobs();
  for (let n = 0; n < 20; n++) {
    app.clock.now += 1_000;
    await app.runJobs();
  }

  const told = Object.fromEntries(
    (await asked(app)).filter(({ path }) => /dequeued|talked/.test(path))
      .map(({ path, params }) => [path, params]),
  );
  const { QueueResult, QueueTime } = told["/dequeued"]!;
  assert.deepEqual([QueueResult, QueueTime], ["bridged", "10"]);
  const { DialCallStatus, DialCallSid, DialCallDuration } = told["/talked"]!;
  assert.deepEqual([DialCallStatus, DialCallSid, DialCallDuration], ["completed", caller, "5"]);
  const { calls: all } = (await test.get("Calls.json")).json();
  assert.deepEqual(all.map((one: { status: string }) => one.status), ["completed", "completed"]);
  assert.deepEqual(await notifications(app, test), []);
  assertNothingLeft(app);
});

Deno.test("a conversation out of a queue ends for both when one of them is ended", async () => {
  for (const ended of ["caller", "agent"]) {
    using app = await startApp();
    const test = await testAccount(app);
    app.answers = (request) =>
      request.url.endsWith("/voice")
        ? xml("<Enqueue>support</Enqueue>")
        : xml("<Dial><Queue>support</Queue></Dial>");
    const caller = await calls(test, "+15005551006");
    await app.runJobs();
    app.clock.now += 3_000;
    await app.runJobs();
    const agent = await calls(test, "+15005551006", { Url: "https://app.test/agent" });
    await app.runJobs();
    for (let n = 0; n < 4; n++) {
      app.clock.now += 1_000;
      await app.runJobs();
    }

    const sid = ended === "caller" ? caller : agent;
    await test.post(`Calls/${sid}.json`, { Status: "completed" });
    await app.runJobs();

    for (const one of [caller, agent]) {
      assert.equal((await callOf(app, one, test)).status, "completed", ended);
    }
  }
});
