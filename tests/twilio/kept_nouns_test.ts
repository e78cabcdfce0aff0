import assert from "node:assert/strict";
import { companionOf } from "../support/service/hand_companion.ts";
import { startTwilioLab, type TwilioLab } from "../support/service/twilio_lab.ts";
import { makeSample } from "../support/service/samples.ts";

Deno.test("npm twilio reads, downloads and removes Recordings, also below their call", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const first = await makeSample(app, app.root, { name: "recordings" });
  const second = await makeSample(app, app.root, { name: "recordings", n: 2 });

  const one = await client.recordings(first).fetch();
  assert.equal(one.status, "completed");
  assert.equal(one.channels, 1);
  assert.equal(typeof one.duration, "string");
  assert.deepEqual((await client.recordings.list()).map(({ sid }) => sid), [second, first]);
  assert.deepEqual((await client.recordings.list({ callSid: one.callSid })).length, 1);
  const yesterday = new Date(app.clock.now - 86_400_000);
  assert.deepEqual(await client.recordings.list({ dateCreatedBefore: yesterday }), []);
  assert.deepEqual(await client.recordings.list({ conferenceSid: "CF1" }), []);
  assert.equal(await client.recordings(second).remove(), true);
  await assert.rejects(client.recordings(second).fetch(), { status: 404 });
});

Deno.test("the audio of a Recording is at its address with and without a suffix", async () => {
  await using lab = await startTwilioLab();
  const { app } = lab;
  const sid = await makeSample(app, app.root, { name: "recordings" });
  await app.ports.blobs.write(app.root.sid, sid, 0, new Uint8Array(44));

  for (const path of [`Recordings/${sid}`, `Recordings/${sid}.wav`]) {
    const answer = await lab.ask("GET", path);
    assert.equal(answer.headers.get("Content-Type"), "audio/wav", path);
    assert.equal((await answer.bytes()).length, 44);
  }
  assert.equal((await lab.ask("GET", `Recordings/${sid}.json`)).status, 200);
  const xml = await (await lab.ask("GET", `Recordings/${sid}.xml`)).text();
  assert.match(xml, /<TwilioResponse><Recording>/);
  const bare = await fetch(`${lab.url}/2010-04-01/Accounts/${app.root.sid}/Recordings/${sid}`);
  assert.equal(bare.status, 401);
  await bare.body?.cancel();
});

Deno.test("npm twilio reads and removes Transcriptions, also below their recording", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const recording = await makeSample(app, app.root, { name: "recordings" });
  const other = await makeSample(app, app.root, { name: "recordings", n: 2 });
  const sid = await makeSample(app, app.root, { name: "transcriptions" });
  await app.ports.records.transcriptions.update(app.root.sid, sid, (record) => ({
    record: { ...record, recordingSid: recording },
  }));

  assert.equal((await client.transcriptions(sid).fetch()).sid, sid);
  assert.equal((await client.transcriptions.list()).length, 1);
  const below = client.recordings(recording).transcriptions;
  assert.equal((await below.list()).length, 1);
  assert.equal((await below(sid).fetch()).recordingSid, recording);
  await assert.rejects(client.recordings(other).transcriptions(sid).fetch(), { status: 404 });
  assert.equal(await below(sid).remove(), true);
  await assert.rejects(client.transcriptions(sid).remove(), { status: 404 });
});

/** A call that validates a number, answered, and its leg. */
async function validation(lab: TwilioLab, more: Record<string, unknown> = {}) {
  const { app, client } = lab;
  const outboundProxy = { proxy: "edge.carrier.test", credentials: null };
  Object.assign(app.ports.settings.trunks, { outboundProxy });
  const asked = await client.validationRequests.create({
    phoneNumber: "+14155550109",
    friendlyName: "mine",
    statusCallback: "https://app.test/verified",
    ...more,
  });
  await app.runJobs();
  const leg = companionOf(app, asked.callSid);
  const script = await leg.report({ type: "answered" });
  const gather = script.find((step) => step.type === "gather");
  assert.ok(gather?.type === "gather" && gather.action !== undefined);
  const { action } = gather;
  const type = (digits: string) => leg.report({ type: "gathered", digits, action });
  const told = async () => {
    await leg.report({ type: "ended", outcome: "completed" });
    await app.runJobs();
    const sent = app.fetched.filter(({ url }) => url === "https://app.test/verified").at(-1)!;
    return new URLSearchParams(await sent.text());
  };
  return { asked, script, type, told };
}

Deno.test("npm twilio has a number called for its code, and added when that is typed", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await assert.rejects(client.validationRequests.create({ phoneNumber: "+14155550109" }), {
    status: 400,
    message: /no number that the call could come from/,
  });
  await app.root.post("OutgoingCallerIds.json", { PhoneNumber: "+14155550101" });
  const { asked, script, type, told } = await validation(lab, { extension: "1w2" });
  assert.deepEqual([asked.phoneNumber, asked.friendlyName], ["+14155550109", "mine"]);
  assert.match(asked.validationCode, /^\d{6}$/);
  assert.deepEqual(script.map(({ type }) => type), ["digits", "gather", "say", "hangup"]);
  const call = await client.calls(asked.callSid).fetch();
  assert.deepEqual([call.from, call.to], ["+14155550101", "+14155550109"]);
  assert.equal((await client.outgoingCallerIds.list()).length, 1);

  const wrong = await type(asked.validationCode === "000000" ? "111111" : "000000");
  assert.deepEqual(wrong.map(({ type }) => type), ["say", "gather", "say", "hangup"]);
  const right = await type(asked.validationCode);
  assert.deepEqual(right.map(({ type }) => type), ["say", "hangup"]);
  const [added] = await client.outgoingCallerIds.list({ phoneNumber: asked.phoneNumber });
  assert.equal(added?.friendlyName, "mine");
  const form = await told();
  assert.deepEqual(
    [form.get("VerificationStatus"), form.get("OutgoingCallerIdSid"), form.get("CallStatus")],
    ["success", added.sid, "completed"],
  );

  const renamed = await client.outgoingCallerIds(added.sid).update({ friendlyName: "ours" });
  assert.equal(renamed.friendlyName, "ours");
  assert.equal(await client.outgoingCallerIds(added.sid).remove(), true);
});

Deno.test("a number whose code is typed wrong three times, or never, is not added", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("OutgoingCallerIds.json", { PhoneNumber: "+14155550101" });
  const { asked, type, told } = await validation(lab);
  const other = asked.validationCode === "000000" ? "111111" : "000000";
  for (const wanted of ["gather", "gather", "hangup"]) {
    assert.equal((await type(other))[1]?.type, wanted);
  }
  assert.equal((await told()).get("VerificationStatus"), "failed");
  const silent = await validation(lab);
  assert.equal((await silent.told()).get("VerificationStatus"), "failed");
  assert.deepEqual(await client.outgoingCallerIds.list({ phoneNumber: asked.phoneNumber }), []);
  await assert.rejects(client.validationRequests.create({ phoneNumber: "x" }), { code: 21421 });
});

Deno.test("CallDelay of a validation has the number called so many seconds later", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("OutgoingCallerIds.json", { PhoneNumber: "+14155550101" });
  const outboundProxy = { proxy: "edge.carrier.test", credentials: null };
  Object.assign(app.ports.settings.trunks, { outboundProxy });
  const phoneNumber = "+14155550109";
  const { callSid } = await client.validationRequests.create({ phoneNumber, callDelay: 60 });
  await app.runJobs();
  app.clock.now += 59_000;
  await app.runJobs();
  assert.deepEqual([(await client.calls(callSid).fetch()).status, app.scripts], ["queued", []]);

  app.clock.now += 1_500;
  await app.runJobs();

  assert.deepEqual(app.scripts.map(({ leg }) => leg), [callSid]);
  for (const callDelay of [-1, 61]) {
    await assert.rejects(client.validationRequests.create({ phoneNumber, callDelay }), {
      status: 400,
      message: /CallDelay must be/,
    });
  }
});

Deno.test("markup of customers cannot name the addresses by which a number is validated", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const twiml = `<Response><Redirect>validation:check</Redirect></Response>`;
  const { sid } = await client.calls.create({ from: "client:bob", to: "client:alice", twiml });
  await app.runJobs();
  const script = await companionOf(app, sid).report({ type: "answered" });

  assert.deepEqual(script.map(({ type }) => type), ["hangup"]);
  const url = "validation:ask";
  await assert.rejects(client.calls.create({ from: "client:bob", to: "client:alice", url }), {
    status: 400,
  });
});

Deno.test("npm twilio keeps Addresses", async () => {
  await using lab = await startTwilioLab();
  const { addresses } = lab.client;
  const address = {
    customerName: "Ada",
    street: "1 Main St",
    city: "London",
    region: "London",
    postalCode: "N1",
    isoCountry: "GB",
  };

  const made = await addresses.create(address);
  const changed = await addresses(made.sid).update({ city: "Leeds", friendlyName: "Home" });
  assert.equal(changed.city, "Leeds");
  assert.equal((await addresses(made.sid).fetch()).friendlyName, "Home");
  assert.equal((await addresses.list({ isoCountry: "GB" })).length, 1);
  assert.equal((await addresses.list({ customerName: "Bob" })).length, 0);
  assert.deepEqual(await addresses(made.sid).dependentPhoneNumbers.list(), []);
  await assert.rejects(addresses.create({ ...address, emergencyEnabled: true }), { status: 400 });
  await assert.rejects(addresses.create({ ...address, city: "" }), { message: /City must not/ });
  assert.equal(await addresses(made.sid).remove(), true);
  assert.equal((await lab.app.root.get("Addresses.json")).status, 404);
});

Deno.test("npm twilio gets a Token with ICE servers", async () => {
  await using lab = await startTwilioLab();

  const token = await lab.client.tokens.create({ ttl: 600 });
  assert.equal(token.ttl, "600");
  assert.ok(token.iceServers.length > 1);
  assert.ok(token.username.length > 0);
  await assert.rejects(lab.client.tokens.create({ ttl: 1 }), { status: 400, message: /Ttl must/ });
});

Deno.test("npm twilio sums usage by category and period, and reads the balance", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  const { records } = client.usage;
  await client.incomingPhoneNumbers.create({ phoneNumber: "+14155550101" });
  const child = await client.api.accounts.create();
  const own = lab.clientOf(child.sid, child.authToken);
  await own.incomingPhoneNumbers.create({ phoneNumber: "+14155550102" });
  app.clock.now += 86_400_000; // The first of February.
  await client.incomingPhoneNumbers.create({ phoneNumber: "+14155550103" });

  const priceOf = async (list: Promise<{ price: number; startDate: Date; endDate: Date }[]>) =>
    (await list).map(({ price }) => Number(price));
  const category = "phonenumbers" as const;
  assert.deepEqual(await priceOf(records.list({ category })), [3.45]);
  assert.deepEqual(await priceOf(records.list({ category, includeSubaccounts: false })), [2.3]);
  assert.deepEqual(await priceOf(records.allTime.list({ category })), [3.45]);
  assert.deepEqual(await priceOf(records.daily.list({ category })), [1.15, 2.3]);
  assert.deepEqual(await priceOf(records.monthly.list({ category })), [1.15, 2.3]);
  assert.deepEqual(await priceOf(records.yearly.list({ category })), [3.45]);
  assert.deepEqual(await priceOf(records.today.list({ category })), [1.15]);
  assert.deepEqual(await priceOf(records.yesterday.list({ category })), [2.3]);
  assert.deepEqual(await priceOf(records.thisMonth.list({ category })), [1.15]);
  assert.deepEqual(await priceOf(records.lastMonth.list({ category })), [2.3]);
  const until = new Date(Date.UTC(2024, 0, 31));
  assert.deepEqual(await priceOf(records.list({ category, endDate: until })), [2.3]);
  const priceIn = async (query: string) => {
    const answer = await lab.ask("GET", `Usage/Records.json?Category=phonenumbers&${query}`);
    const { usage_records: found } = await answer.json();
    return found.map(({ price }: { price: string }) => Number(price));
  };
  assert.deepEqual(await priceIn("StartDate=-30days"), [3.45]);
  assert.deepEqual(await priceIn("StartDate=-0days"), [1.15]);
  assert.deepEqual(await priceIn("EndDate=-1day"), [2.3]);
  assert.deepEqual(await priceIn("StartDate=-1days&EndDate=%2B1days"), [3.45]);
  assert.deepEqual(await priceIn("StartDate=+1days"), []);
  for (const wrong of ["-30", "30days", "-30weeks", "--30days", "-999999days"]) {
    const answer = await lab.ask("GET", `Usage/Records.json?StartDate=${wrong}`);
    assert.equal(answer.status, 400, wrong);
    assert.match((await answer.json()).message, /StartDate must be a date .*, or days .* -30days/);
  }
  const [january] = (await records.monthly.list({ category })).slice(1);
  assert.equal(january!.startDate.toISOString().slice(0, 10), "2024-01-01");
  assert.equal(january!.endDate.toISOString().slice(0, 10), "2024-01-31");
  assert.equal((await client.balance.fetch()).balance, "-2.30");
  // Calls are charged without their direction: an empty list would say that none came.
  await assert.rejects(records.list({ category: "calls-inbound" }), {
    status: 400,
    message: /Category must be one of calls, sms/,
  });
});
