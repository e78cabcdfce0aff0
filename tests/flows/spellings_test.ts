import assert from "node:assert/strict";
import type { Script } from "../../core/protocol/script.ts";
import { readRates } from "../../core/calls/rates.ts";
import { takeTrunkMessage } from "../../routes/protocol/trunk_message.ts";
import { checkMessage } from "../../core/messages/check_message.ts";
import { messageTaker } from "../../core/messages/take_message.ts";
import { inventoryNumbers } from "../../core/numbers/inventory_provider.ts";
import { parseNumber } from "../../core/model/values/phone_number.ts";
import { unknownPlace, usualCapabilities } from "../../core/model/values/offer.ts";
import { openStore } from "../../kv/open_store.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companionOf, made, notifications } from "../support/service/hand_companion.ts";

/** A number of one account, and texts that others may take for it. */
const held = "+14155550142";
const spellings = ["14155550142", "0014155550142", "4155550142", "1.415.555.0142", "+14155550142"];
const far = "+442079460000";

/** The operator's proxy, an account that holds a number, and one that does not. */
async function startLab() {
  const app = await startApp();
  Object.assign(app.ports.settings.trunks, {
    outboundProxy: { proxy: "carrier.test" },
    country: "US",
  });
  app.ports.settings.strictCallerId = true;
  const owner = await app.subAccount(app.root, "owner");
  const other = await app.subAccount(app.root, "other");
  await made(owner, "IncomingPhoneNumbers", { PhoneNumber: held });
  return { app, owner, other, [Symbol.dispose]: () => app[Symbol.dispose]() };
}

const virtual = (account: ApiClient, PhoneNumber: string) =>
  made(account, "IncomingPhoneNumbers", { PhoneNumber, isSIP: "true" });

const client = (account: ApiClient, Login: string) =>
  made(account, "Clients", { Login, Password: "pw-secret" });

/** The INVITE of a Client. */
async function dials(app: App, account: ApiClient, login: string, user: string): Promise<Script> {
  const { sid: clientSid } = (await app.ports.records.clients.holder("login", login))!;
  const uri = `sip:${encodeURIComponent(user)}@sip.test`;
  const event = { type: "incoming", login, clientSid, uri, sipCallId: "s", headers: {} } as const;
  return await companionOf(app, app.ports.newSid("CA"), account.sid).report(event);
}

const targetOf = ([step]: Script): string => {
  if (step?.type !== "dial") return step?.type ?? "none";
  const target = step.legs[0]?.target;
  return target?.kind === "client" ? `client:${target.login}` : target?.kind ?? "none";
};

/** The code that a call from an account is refused with; "queued" and the like where it is not. */
async function placed(app: App, account: ApiClient, form: Record<string, string>) {
  const response = await account.post("Calls.json", { Url: "https://app.test/", ...form });
  if (response.status !== 200) return response.json().code as number;
  await app.runJobs();
  return (await callOf(app, response.json().sid, account)).status;
}

Deno.test("a Login that reads as a number takes no calls of unrelated accounts to that number", async () => {
  for (const country of ["US", null]) {
    using lab = await startLab();
    const { app, owner, other } = lab;
    app.ports.settings.trunks.country = country;
    await client(owner, "owners");
    await client(app.root, "roots");
    const logins = ["14155550142", "0014155550142", held, "442079460000", far, "112", "911"];
    for (const login of logins) {
      await client(other, login);
      for (const [account, caller] of [[owner, "owners"], [app.root, "roots"]] as const) {
        assert.notEqual(
          targetOf(await dials(app, account, caller, login)),
          `client:${login}`,
          login,
        );
      }
      assert.equal(targetOf(await dials(app, other, login, login)), `client:${login}`);
    }
    await client(other, "1000");
    for (const [account, caller] of [[owner, "owners"], [app.root, "roots"]] as const) {
      assert.equal(targetOf(await dials(app, account, caller, "1000")), "client:1000");
    }
  }
});

Deno.test("a Login of digits takes no calls that an account dials to a number of its own", async () => {
  using lab = await startLab();
  const { app, owner, other } = lab;
  await client(owner, "owners");
  await client(other, "1000");
  await client(other, "2001");
  const below = await app.subAccount(owner, "below");
  await virtual(below, "1000");
  await virtual(below, "2...");
  assert.equal(targetOf(await dials(app, owner, "owners", "1000")), "number");
  assert.equal(targetOf(await dials(app, owner, "owners", "2001")), "number");
});

Deno.test("a Login or virtual number shows as no number that another account holds", async () => {
  using lab = await startLab();
  const { app, owner, other } = lab;
  await client(owner, "owners");
  app.ports.settings.strictCallerId = false;
  for (const text of spellings.slice(0, 3)) {
    await client(other, text);
    await virtual(other, text);
  }
  await client(other, held);
  for (const From of [...spellings, ...spellings.slice(0, 3).map((text) => `client:${text}`)]) {
    for (const To of [far, held, "client:owners"]) {
      assert.equal(await placed(app, other, { From, To }), 21210, `${From} to ${To}`);
    }
  }
  for (const login of [...spellings.slice(0, 3), held]) {
    const [step] = await dials(app, other, login, far);
    assert.equal(step?.type, "reject", login);
    const [inside] = await dials(app, other, login, "owners");
    assert.equal(inside?.type, "reject", login);
  }
  assert.match((await notifications(app, other)).join(), /Cannot use this caller ID/);
});

Deno.test("under STRICT_CALLER_ID a Login or virtual number that reads as a number needs its validation", async () => {
  using lab = await startLab();
  const { app, owner, other } = lab;
  const bank = "+18005551212";
  for (const text of ["18005551212", "8005551212"]) {
    await client(other, text);
    await virtual(other, text);
    const froms = [bank, text, `client:${text}`];
    for (const From of froms) {
      assert.equal(await placed(app, other, { From, To: far }), 21210, From);
    }
  }
  const below = await app.subAccount(other, "below");
  await made(below, "IncomingPhoneNumbers", { PhoneNumber: "+14155550150" });
  await client(below, "belows");
  await client(owner, "owners");
  app.ports.settings.trunks.numbersVouched = true;
  for (const To of [held, "client:owners"]) {
    assert.equal(await placed(app, other, { From: "client:18005551212", To }), 21210, To);
  }
  for (const To of ["+14155550150", "client:belows"]) {
    assert.equal(await placed(app, other, { From: "client:18005551212", To }), "queued", To);
  }
  const { sid: clientSid } = (await app.ports.records.clients.holder("login", "18005551212"))!;
  for (const [user, status] of [["owners", 403], ["belows", 480], ["+14155550150", 202]] as const) {
    const uri = `sip:${user}@sip.test`;
    const report = { accountSid: other.sid, clientSid, login: "18005551212", uri, body: "x" };
    assert.equal((await messageTaker(app.ports)(report)).status, status, user);
  }

  const path = `/2012-04-24/Accounts/${other.sid}/OutgoingCallerIds.json`;
  assert.equal((await app.root.post(path, { PhoneNumber: bank })).status, 200);
  assert.equal(await placed(app, other, { From: bank, To: far }), "queued");
  assert.equal(await placed(app, other, { From: "client:18005551212", To: far }), "queued");

  await client(other, "1000");
  await virtual(other, "*135#");
  for (const From of ["client:1000", "*135#"]) {
    assert.equal(await placed(app, other, { From, To: far }), "queued", From);
  }
});

Deno.test("a number is validated by a call that no number, pattern or Gateway of its account answers", async () => {
  using lab = await startLab();
  const { app, other } = lab;
  const bank = "+18005551212";
  await made(other, "IncomingPhoneNumbers", { PhoneNumber: "+14155550143" });
  await virtual(other, "18005551212");
  await virtual(other, "\\+?.*");
  await made(other, "Management/Gateways", { UserName: "u", Password: "p", Proxy: "pbx.test" });

  const path = "OutgoingCallerIds/ValidationRequests.json";
  const asked = await other.post(path, { PhoneNumber: bank });
  assert.equal(asked.status, 200, asked.text);
  await app.runJobs();

  const step = app.scripts.at(-1)?.script[0];
  assert.ok(step?.type === "invite" && step.invitation.target.kind === "trunk");
  const { dialled, routes } = step.invitation.target;
  assert.equal(dialled, bank);
  assert.deepEqual(routes.map(({ proxy }) => proxy), ["carrier.test"]);
});

Deno.test("STRICT_SMS_FROM takes no virtual number, however it is spelt", async () => {
  const store = await openStore({ location: ":memory:", secretKey: "s", now: () => 0 });
  using app = await startApp({ ports: { numbers: inventoryNumbers(store.stock) } });
  app.ports.settings.strictSmsFrom = true;
  app.ports.settings.trunks.numbersVouched = true;
  const tenant = await app.subAccount(app.root, "tenant");
  const account = (await app.ports.accounts.get(tenant.sid))!;
  for (const From of ["+18005551212", "62345", "+14155550142"]) {
    await virtual(tenant, From);
    await assert.rejects(
      checkMessage({ from: From, to: far }, account, app.ports),
      { fault: "senderNotAllowed" },
      From,
    );
    app.ports.settings.trunks.virtualNumberAccounts = [tenant.sid];
    assert.equal((await checkMessage({ from: From, to: far }, account, app.ports)).from, From);
    app.ports.settings.trunks.virtualNumberAccounts = [];
  }
  store.close();
});

Deno.test("a text of a Client whose Login reads as another's number is refused", async () => {
  using lab = await startLab();
  const { app, owner, other } = lab;
  await client(owner, "owners");
  const take = messageTaker(app.ports);
  for (const [login, status] of [["14155550142", 403], [held, 403], ["1000", 480]] as const) {
    const { sid: clientSid } = await client(other, login);
    const uri = "sip:owners@sip.test";
    const report = { accountSid: other.sid, clientSid, login, uri, body: "Your code is 1" };
    assert.equal((await take(report)).status, status, login);
  }
});

Deno.test("no spelling of a number passes DESTINATION_PREFIXES", async () => {
  using lab = await startLab();
  const { app, owner } = lab;
  const { trunks } = app.ports.settings;
  Object.assign(trunks, { prefixes: ["+49", "+1415"], sipHosts: ["pbx.test"] });
  await client(owner, "owners");
  const reaches = async (To: string, country: string | null) => {
    trunks.country = country;
    const status = await placed(app, owner, { From: held, To });
    return status === "queued";
  };
  for (
    const To of ["+4930123456", "+49 (30) 123-456", "004930123456", "+49.30.123456"]
      .concat("＋4930123456", "+٤٩٣٠١٢٣٤٥٦", "+49\u201130\u2011123456", "\u202a+4930123456\u202c")
  ) {
    assert.equal(await reaches(To, null), true, To);
  }
  assert.equal(await reaches("030 123456", "DE"), true);
  assert.equal(await reaches("415-555-0177", "US"), true);
  const forbidden = ["+881612345678", "00881612345678", "881612345678", "+8 81-6123 45678"]
    .concat(["+49*881612345678", "+49#", "+4930123456*1", "*49", "49*1", "4930123456", "112"])
    .concat(["+1 900 555 0100", "19005550100", "0049*1", "00 49 # 1"])
    .concat(["＋881612345678", "+٨٨١٦١٢٣٤٥٦٧٨", "+88\u20111612345678", "\u202a+881612345678"]);
  for (const To of forbidden) assert.equal(await reaches(To, null), false, To);
  for (const To of ["tel:+4930123456", "+٤٩٣٠x", "+4930123456;ext=1"]) {
    assert.equal(await reaches(To, null), false, To);
  }
  assert.equal(await reaches("900 555 0100", "US"), false);
  assert.equal(await reaches("sip:+881612345678@pbx.test", null), false, "at a host of trust");
  assert.equal(await reaches("sip:%2B881612345678@pbx.test", null), false);
  assert.equal(await reaches("sip:881612345678@pbx.test", null), false);
  assert.equal(await reaches("sip:+4930123456@pbx.test", null), true);
  for (
    const user of ["+8816123456789999", "+008811234567", "%2B190055501009999999", "*6719005550100"]
  ) {
    assert.equal(await reaches(`sip:${user}@pbx.test`, "US"), false, `${user} at a host of trust`);
  }
  assert.equal(await reaches("sip:100@pbx.test", null), true, "an extension there");

  app.ports.messageRoutes.push({
    reaches: () => Promise.resolve(true),
    send: () => Promise.reject(new Error("it must not leave")),
  });
  const take = messageTaker(app.ports);
  const { sid: clientSid } = (await app.ports.records.clients.holder("login", "owners"))!;
  trunks.country = null;
  for (const user of ["881612345678", "0900123456", "+881612345678", "+49*881", "112", "62345"]) {
    const uri = `sip:${encodeURIComponent(user)}@sip.test`;
    const report = { accountSid: owner.sid, clientSid, login: "owners", uri, body: "x" };
    assert.equal((await take(report)).status, 404, user);
  }
  assert.equal(
    (await take({
      accountSid: owner.sid,
      clientSid,
      login: "owners",
      uri: "tel:+49-30-123456",
      body: "x",
    })).status,
    202,
  );
});

Deno.test("no spelling of a number passes the prefixes of an account, nor its limits of money", async () => {
  using lab = await startLab();
  const { app, owner, other } = lab;
  const { trunks } = app.ports.settings;
  Object.assign(trunks, { country: null, rateMicros: readRates("44,0.01\n33,2\n881,2") });
  const limits = app.root.with({ sid: owner.sid });
  await made(limits, "Limits", { DestinationPrefixes: "+44" });
  await client(owner, "owners");
  for (const To of ["+33123456789*1", "+44*33123456789", "33123456789", "0033123456789", "44*1"]) {
    assert.equal(typeof await placed(app, owner, { From: held, To }), "number", To);
  }
  const { sid: clientSid } = (await app.ports.records.clients.holder("login", "owners"))!;
  app.ports.messageRoutes.push({
    reaches: () => Promise.resolve(true),
    send: () => Promise.reject(new Error("it must not leave")),
  });
  for (const user of ["+44*33123456789", "*44", "33123456789", "0900123456"]) {
    const uri = `sip:${encodeURIComponent(user)}@sip.test`;
    const report = { accountSid: owner.sid, clientSid, login: "owners", uri, body: "x" };
    assert.equal((await messageTaker(app.ports)(report)).status, 403, user);
  }

  await made(limits, "Limits", { DestinationPrefixes: "", MaxSpendPerDay: "1" });
  await client(other, "+33123456789");
  const spellings = ["+33123456789", "0033123456789", "33123456789", "00331234567899999999"]
    .concat(["*31#33123456789", "+44*33123456789", "sip:+33123456789@sip.test"]);
  for (const To of spellings) {
    assert.equal(await placed(app, owner, { From: held, To }), 20433, `${To} costs 2 a minute`);
  }
});

Deno.test("a customer's trunk uses up no id that a carrier's text comes under", async () => {
  using lab = await startLab();
  const { app, owner, other } = lab;
  await made(other, "IncomingPhoneNumbers", { PhoneNumber: "+14155550143" });
  const form = { UserName: "u", Password: "p", Proxy: "pbx.test" };
  const { sid: gatewaySid } = await made(other, "Management/Gateways", form);
  const gateway = { gatewaySid, accountSid: other.sid };
  const from = { user: far, host: "carrier.test" };
  const text = { body: "Your code is 1234", id: "call-id 1", headers: {}, from };
  const own = { ...text, dialled: ["+14155550143"], gateway };
  assert.deepEqual(await takeTrunkMessage(own, app.ports), { status: 202 });
  const carriers = { ...text, dialled: [held], gateway: null };
  for (let copy = 0; copy < 2; copy++) {
    assert.deepEqual(await takeTrunkMessage(carriers, app.ports), { status: 202 });
  }
  const { messages } = (await owner.get("SMS/Messages.json")).json();
  assert.deepEqual(messages.map(({ body }: { body: string }) => body), [text.body]);
});

Deno.test("one number is held once, however it is spelt", async () => {
  using lab = await startLab();
  const { owner, other } = lab;
  const codeOf = async (account: ApiClient, PhoneNumber: string) => {
    const response = await account.post("IncomingPhoneNumbers.json", { PhoneNumber });
    return response.status === 200 ? response.json().phone_number : response.json().code;
  };
  assert.equal(await codeOf(owner, "+44 20 7946 0000"), far);
  for (
    const text of ["+44 (0)20 7946 0000", "+4402079460000", "+44-20-7946-0000", " 442079460000"]
      .concat("00442079460000", "+٤٤٢٠٧٩٤٦٠٠٠٠", "＋４４ ２０ ７９４６ ００００")
  ) {
    assert.equal(await codeOf(other, text), 21422, text);
  }
  for (const text of ["442079460000", "tel:+442079460000"]) {
    assert.equal(await codeOf(other, text), 21421, text);
  }
});

Deno.test("a virtual number keeps no number of the provider from its buyer", async () => {
  const store = await openStore({ location: ":memory:", secretKey: "s", now: () => 0 });
  using app = await startApp({ ports: { numbers: inventoryNumbers(store.stock) } });
  app.ports.settings.trunks.numbersVouched = true;
  const [squatter, buyer] = [
    await app.subAccount(app.root, "squatter"),
    await app.subAccount(app.root, "buyer"),
  ];
  const { sid } = await virtual(squatter, held);
  await store.stock.put([{
    ...unknownPlace,
    ...parseNumber(held)!,
    capabilities: usualCapabilities,
  }]);
  const offered = (await buyer.get("AvailablePhoneNumbers/US/Local.json")).json();
  assert.deepEqual(offered.map((one: { phone_number: string }) => one.phone_number), [held]);

  const bought = await buyer.post("IncomingPhoneNumbers.json", { PhoneNumber: held });
  assert.equal(bought.status, 200, bought.text);
  assert.equal((await squatter.get(`IncomingPhoneNumbers/${sid}.json`)).status, 404);
  assert.deepEqual((await squatter.get("IncomingPhoneNumbers.json")).json(), []);
  const [holder] = (await buyer.get("IncomingPhoneNumbers.json")).json();
  assert.equal(holder.phone_number, held);
  const again = await squatter.post("IncomingPhoneNumbers.json", { PhoneNumber: held });
  assert.equal(again.json().code, 21422, "a number of the provider gives way to nobody");
  assert.match(app.logged.map(({ line }) => line).join(), /takes the place of a virtual one/);
  store.close();
});

Deno.test("an e-mail address is one, in any case, and has no letters but those of ASCII", async () => {
  using app = await startApp();
  const codeOf = async (EmailAddress: string) => {
    const path = "/2012-04-24/Accounts.json";
    const response = await app.root.post(path, { EmailAddress, Password: "secret" });
    return response.status === 200 ? 200 : response.json().code;
  };
  assert.equal(await codeOf("kim@example.com"), 200);
  for (const address of ["KIM@example.com", "kim@EXAMPLE.com", "Kim@Example.Com"]) {
    assert.equal(await codeOf(address), 20409, address);
  }
  // A Kelvin sign, a dotless i, letters of full width and a Cyrillic one.
  for (const address of ["\u212aim@example.com", "k\u0131m@example.com", "ｋim@example.com"]) {
    assert.equal(await codeOf(address), 20001, address);
  }
  assert.equal(await codeOf("kim@ex\u0430mple.com"), 20001);
});
