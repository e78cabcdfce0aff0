import assert from "node:assert/strict";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

Deno.test("npm twilio finds a number, buys it, changes it and gives it back", async () => {
  await using lab = await startTwilioLab();
  const { client } = lab;
  const [offer] = await client.availablePhoneNumbers("US").local.list({
    areaCode: 415,
    contains: "555",
    smsEnabled: true,
    limit: 1,
  });
  assert.equal(offer!.isoCountry, "US");
  assert.equal(offer!.capabilities.voice, true);

  const bought = await client.incomingPhoneNumbers.create({
    phoneNumber: offer!.phoneNumber,
    voiceUrl: "https://app.test/voice",
    smsUrl: "https://app.test/sms",
    statusCallback: "https://app.test/status",
    emergencyStatus: "Inactive",
  });
  assert.deepEqual({ ...bought.capabilities }, { voice: true, sms: true, mms: false, fax: false });
  assert.equal(bought.apiVersion, "2010-04-01");
  const { sid } = bought;
  const changed = await client.incomingPhoneNumbers(sid).update({
    friendlyName: "Front desk",
    voiceUrl: "",
    voiceMethod: "GET",
  });
  assert.equal(changed.friendlyName, "Front desk");
  assert.equal(changed.voiceUrl, null);
  const found = await client.incomingPhoneNumbers.list({ friendlyName: "Front desk" });
  assert.deepEqual(found.map(({ sid }) => sid), [sid]);
  assert.equal((await client.incomingPhoneNumbers(sid).fetch()).voiceMethod, "GET");
  assert.deepEqual(await client.incomingPhoneNumbers(sid).assignedAddOns.list(), []);
  assert.equal(await client.incomingPhoneNumbers(sid).remove(), true);
  await assert.rejects(client.incomingPhoneNumbers(sid).fetch(), { status: 404 });
});

Deno.test("numbers are listed by kind, page by page, in the order of their digits", async () => {
  await using lab = await startTwilioLab();
  const { client } = lab;
  const { incomingPhoneNumbers } = client;
  for (const phoneNumber of ["+14155550103", "+14155550101", "+14155550102"]) {
    await incomingPhoneNumbers.local.create({ phoneNumber });
  }
  await incomingPhoneNumbers.tollFree.create({ phoneNumber: "+18005550100" });
  await incomingPhoneNumbers.mobile.create({ phoneNumber: "+491711234567" });
  const byArea = await incomingPhoneNumbers.create({ areaCode: "212" });

  const numbersOf = (records: { phoneNumber: string }[]) =>
    records.map(({ phoneNumber }) => phoneNumber);
  const all = await incomingPhoneNumbers.list({ pageSize: 2 });
  assert.deepEqual(numbersOf(all), numbersOf(all).toSorted());
  assert.equal(all.length, 6);
  assert.match(byArea.phoneNumber, /^\+1212/);
  assert.equal((await incomingPhoneNumbers.local.list({ phoneNumber: "4155550" })).length, 3);
  assert.deepEqual(numbersOf(await incomingPhoneNumbers.tollFree.list()), ["+18005550100"]);
  assert.deepEqual(numbersOf(await incomingPhoneNumbers.mobile.list()), ["+491711234567"]);
  const [first] = await incomingPhoneNumbers.list({ limit: 1 });
  assert.equal(first!.type, "local");
});

Deno.test("a number moves to a sub-account by AccountSid", async () => {
  await using lab = await startTwilioLab();
  const child = await lab.client.api.accounts.create({ friendlyName: "child" });
  const { sid } = await lab.client.incomingPhoneNumbers.create({ phoneNumber: "+14155550101" });

  await lab.client.incomingPhoneNumbers(sid).update({ accountSid: child.sid });

  const there = lab.clientOf(child.sid, child.authToken).incomingPhoneNumbers;
  assert.equal((await there(sid).fetch()).accountSid, child.sid);
  await assert.rejects(lab.client.incomingPhoneNumbers(sid).fetch(), { status: 404 });
});

Deno.test("refusals of numbers have Twilio's codes", async () => {
  await using lab = await startTwilioLab();
  const { incomingPhoneNumbers, availablePhoneNumbers } = lab.client;
  await incomingPhoneNumbers.create({ phoneNumber: "+14155550101" });

  await assert.rejects(incomingPhoneNumbers.create({ phoneNumber: "+14155550101" }), {
    status: 400,
    code: 21422,
  });
  await assert.rejects(incomingPhoneNumbers.create({ phoneNumber: "x" }), { code: 21421 });
  await assert.rejects(
    incomingPhoneNumbers.create({ phoneNumber: "+14155550102", bundleSid: "BU1", trunkSid: "TK1" }),
    { status: 400, message: /TrunkSid is not supported: .*; BundleSid is not supported/ },
  );
  const us = availablePhoneNumbers("US").local;
  await assert.rejects(us.list({ nearNumber: "+14155550101" }), {
    status: 400,
    message: /NearNumber is not supported: distances/,
  });
  assert.ok(
    (await us.list({ contains: "415555TALK", limit: 3 })).every(({ phoneNumber }) =>
      phoneNumber.includes("4155558255")
    ),
  );
  assert.deepEqual(await us.list({ inRegion: "Nowhere", limit: 1 }), []);
  assert.equal((await availablePhoneNumbers("US").fetch()).countryCode, "US");
  assert.ok((await availablePhoneNumbers.list()).some(({ countryCode }) => countryCode === "US"));
  await assert.rejects(availablePhoneNumbers("US").national.list(), { status: 404, code: 20404 });
});
