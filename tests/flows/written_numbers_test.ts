import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companionOf, made } from "../support/service/hand_companion.ts";
import { numberOf } from "../../core/numbers/find_number.ts";
import { spellingsOf } from "../../core/model/values/dialled.ts";

const ours = "+12125550123";
const far = "+14045550177";
const Url = "https://app.test/voice";

/** A service with a trunk, and the number that calls and texts come from. */
async function startLab(country: string | null = null): Promise<App> {
  const app = await startApp();
  Object.assign(app.ports.settings.trunks, { outboundProxy: { proxy: "edge.test" }, country });
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  return app;
}

const written = [
  "+1 (404) 555-0177",
  "00 1 404.555.0177",
  "＋１４０４５５５０１７７",
  "+1/404/555 0177",
];
const twilio = (account: ApiClient, path: string) => `/2010-04-01/Accounts/${account.sid}/${path}`;

Deno.test("calls and texts store, show and find numbers in E.164 form at both faces", async () => {
  using app = await startLab();
  const { root } = app;
  for (const To of written) {
    const From = "+1 (212) 555-0123";
    const call = await made(root, "Calls", { From, To, Url });
    assert.deepEqual([call.from, call.to], [ours, far], To);
    const text = await made(root, "SMS/Messages", { From, To, Body: "hi" });
    assert.deepEqual([text.from, text.to], [ours, far], To);
    for (
      const [path, form] of [["Calls.json", { Url }], ["Messages.json", { Body: "hi" }]] as const
    ) {
      const response = await root.post(twilio(root, path), { From, To, ...form } as never);
      assert.deepEqual([response.json().from, response.json().to], [ours, far], response.text);
    }
  }
  const totalOf = async (path: string) => (await root.get(path)).json().total;
  for (const To of [far, ...written, "+1404*", "+1 (404)*"]) {
    const query = `To=${encodeURIComponent(To)}`;
    assert.equal(await totalOf(`Calls.json?${query}`), 8, To);
    assert.equal(await totalOf(`SMS/Messages.json?${query}`), 8, To);
    for (const noun of ["calls", "messages"] as const) {
      const path = twilio(root, `${noun === "calls" ? "Calls" : "Messages"}.json?${query}`);
      assert.equal((await root.get(path)).json()[noun].length, 8, To);
    }
  }
  assert.equal(await totalOf("Calls.json?From=00+1+212+555+0123"), 8);
});

Deno.test("numbers as they are dialled in DEFAULT_COUNTRY are stored in E.164 form", async () => {
  using app = await startLab("US");
  const { root } = app;
  const call = await made(root, "Calls", { From: "(212) 555-0123", To: "404 555 0177", Url });
  assert.deepEqual([call.from, call.to], [ours, far]);
  const text = await made(root, "SMS/Messages", {
    From: "212-555-0123",
    To: "(404) 555-0177",
    Body: "hi",
  });
  assert.deepEqual([text.from, text.to], [ours, far]);
  const declared = await made(root, "OutgoingCallerIds", { PhoneNumber: "(404) 555-0178" });
  assert.equal(declared.phone_number, "+14045550178");
  const bought = await made(root, "IncomingPhoneNumbers", { PhoneNumber: "404 555 0179" });
  assert.equal(bought.phone_number, "+14045550179");
  assert.equal((await root.get("Calls.json?To=404-555-0177")).json().total, 1);
  for (const PhoneNumber of ["00 1 404 555 0178", "404-555-0178", "+1 (404) 555-0178"]) {
    const query = `PhoneNumber=${encodeURIComponent(PhoneNumber)}`;
    const found = await root.get(`OutgoingCallerIds.json?${query}`);
    assert.equal(found.json().length, 1, PhoneNumber);
    const there = await root.get(twilio(root, `OutgoingCallerIds.json?${query}`));
    assert.equal(there.json().outgoing_caller_ids.length, 1, PhoneNumber);
  }
  for (const part of ["+1 (404) 555", "404 555 0179", "001404", "5550179"]) {
    const query = `PhoneNumber=${encodeURIComponent(part)}`;
    assert.equal((await root.get(`IncomingPhoneNumbers.json?${query}`)).json().length, 1, part);
  }
});

Deno.test("a text that can be no number is refused with 21211, which names its parameter", async () => {
  using app = await startLab();
  const wrong = [
    "+1 404 CALL NOW",
    "+14045550177 ext. 5",
    "+14045550177000000",
    "+0404555",
    "call",
  ];
  for (const To of wrong) {
    const response = await app.root.post("Calls.json", { From: ours, To, Url });
    assert.deepEqual([response.status, response.json().code], [400, 21211], To);
    assert.match(response.json().message, /To must/);
  }
});

Deno.test("virtual numbers stay as they are spelt, patterns and keys too", async () => {
  using app = await startLab("DE");
  const { root } = app;
  for (const PhoneNumber of ["0301234567", "90.*", "^[12]000#$", "*135#"]) {
    await made(root, "IncomingPhoneNumbers", { PhoneNumber, isSIP: "true", VoiceUrl: Url });
  }
  for (const To of ["0301234567", "9089123456", "1000#", "*135#"]) {
    const call = await made(root, "Calls", { From: ours, To, Url });
    assert.equal(call.to, To);
  }
  const own = await made(root, "Calls", { From: "030 1234567", To: far, Url });
  assert.equal(own.from, "0301234567");
  const free = await made(root, "Calls", { From: ours, To: "030 7654321", Url });
  assert.equal(free.to, "+49307654321");
  for (const To of ["112", "1000"]) {
    const call = await made(root, "Calls", { From: ours, To, Url });
    assert.equal(call.to, To, "a short number is none of the national plan");
  }
  assert.equal((await root.get("Calls.json?To=0301234567")).json().total, 1);
  // A pattern that the number fits in both forms gives it no other form.
  await made(root, "IncomingPhoneNumbers", { PhoneNumber: "\\+?0*49?89\\d+", isSIP: "true" });
  const both = await made(root, "Calls", { From: ours, To: "+49 (89) 7654321", Url });
  assert.equal(both.to, "+49897654321");
  const client = await made(root, "Clients", { Login: "alice", Password: "pw-pw" });
  for (const To of ["client:alice", "sip:alice@sip.test"]) {
    assert.equal((await made(root, "Calls", { From: "alice", To, Url })).to, To, client.login);
  }
});

Deno.test("the caller of a trunk is stored in E.164 form, and the dialled number of a Client too", async () => {
  using app = await startLab();
  const { root } = app;
  const numbers = (await root.get("IncomingPhoneNumbers.json")).json();
  for (const user of ["14045550177", "00 1 404 555 0177", "+1-404-555-0177"]) {
    const leg = app.ports.newSid("CA");
    await companionOf(app, leg).report({
      type: "incomingNumber",
      numberSid: numbers[0].sid,
      dialled: "12125550123",
      from: { user, host: "carrier.test" },
      forwardedFrom: user,
      hops: 0,
      sipCallId: "s",
      headers: {},
    });
    const { from, to, forwarded_from } = await callOf(app, leg);
    assert.deepEqual([from, to, forwarded_from], [far, ours, far], user);
  }
  const { sid: clientSid } = await made(root, "Clients", { Login: "alice", Password: "pw-pw" });
  const leg = app.ports.newSid("CA");
  const uri = "sip:001-404-555-0177@sip.test";
  const [step] = await companionOf(app, leg).report({
    type: "incoming",
    login: "alice",
    clientSid,
    uri,
    sipCallId: "s",
    headers: {},
  });
  assert.equal((await callOf(app, leg)).to, far);
  assert.equal(step?.type === "dial" && step.legs[0]?.to, far);
});

Deno.test("numbers of former plans are those of today: held, dialled, shown and found", async () => {
  using app = await startLab();
  const { root } = app;
  const bought = await made(root, "IncomingPhoneNumbers", { PhoneNumber: "+52 1 55 6200 0000" });
  assert.equal(bought.phone_number, "+525562000000");
  for (const dialled of ["+5215562000000", "5215562000000", "+525562000000"]) {
    const found = await numberOf({ dialled: [dialled], gateway: null }, app.ports);
    assert.equal(found?.numberSid, bought.sid, dialled);
  }
  const declared = await made(root, "OutgoingCallerIds", { PhoneNumber: "+22507123456" });
  assert.equal(declared.phone_number, "+2250707123456");
  const call = await made(root, "Calls", { From: "+225 07 12 34 56", To: "+55 31 8888 7777", Url });
  assert.deepEqual([call.from, call.to], ["+2250707123456", "+5531988887777"]);
  assert.equal((await root.get("Calls.json?To=%2B553188887777")).json().total, 1);
});

Deno.test("spellingsOf() finds a number as it was sent and as it is stored", () => {
  assert.deepEqual(spellingsOf(far, null), [far]);
  assert.deepEqual(spellingsOf("1 404 555 0177", null), ["1 404 555 0177", "14045550177"]);
  assert.deepEqual(spellingsOf("404 555 0177", "US"), ["404 555 0177", far]);
  assert.deepEqual(spellingsOf("client:alice", "US"), ["client:alice"]);
  assert.deepEqual(spellingsOf("+1 (404)*", null), ["+1404*"]);
  assert.deepEqual(spellingsOf("*135#", null), ["*135#"]);
});
