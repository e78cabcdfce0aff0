import assert from "node:assert/strict";
import { Fault } from "../../core/base/faults.ts";
import { inventoryNumbers } from "../../core/numbers/inventory_provider.ts";
import {
  type NumberOffer,
  unknownPlace,
  usualCapabilities,
} from "../../core/model/values/offer.ts";
import { parseNumber } from "../../core/model/values/phone_number.ts";
import { openNumbers } from "../../core/numbers/open_provider.ts";
import type { NumberEvent } from "../../core/model/values/offer.ts";
import { openStore } from "../../kv/open_store.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";

const numbersOf = (list: Record<string, unknown>[]) => list.map((one) => one.phone_number);
const bay = "+14155550100";

async function refusal(client: ApiClient, path: string, form: Record<string, string>) {
  const { status, text } = await client.post(`${path}.json`, form);
  assert.equal(status, 400, text);
  return JSON.parse(text) as { code: number; message: string };
}

Deno.test("a number is provisioned once: the second request is refused", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const form = { PhoneNumber: bay };

  const answers = await Promise.all(
    [app.root, other, app.root, other].map((one) => one.post("IncomingPhoneNumbers.json", form)),
  );

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
  for (const answer of answers.filter(({ status }) => status === 400)) {
    assert.equal(answer.json().code, 21422);
  }
  const totals = await Promise.all([app.root, other].map((one) => one.get("Usage/Records.json")));
  const charged = totals.flatMap((answer) => answer.json())
    .filter(({ category }) => category === "phonenumbers");
  assert.deepEqual(charged.map(({ count, price }) => [count, price]), [["1", "1.15"]]);

  const winner = answers.find(({ status }) => status === 200)!.json();
  const owner = winner.account_sid === other.sid ? other : app.root;
  assert.equal((await owner.delete(`IncomingPhoneNumbers/${winner.sid}`)).status, 204);
  assert.equal((await other.post("IncomingPhoneNumbers.json", form)).status, 200);
});

Deno.test("a number that the account owns is 21422 with its Sid; another account learns neither", async () => {
  using app = await startApp();
  const form = { PhoneNumber: "+14155550133" };
  const held = (await app.root.post("IncomingPhoneNumbers.json", form)).json();
  const other = await app.subAccount(app.root, "other");

  const [own, foreign] = [
    await refusal(app.root, "IncomingPhoneNumbers", form),
    await refusal(other, "IncomingPhoneNumbers", form),
  ];

  assert.deepEqual([own.code, foreign.code], [21422, 21422]);
  assert.match(own.message, new RegExp(`belongs to this account already: its Sid is ${held.sid}$`));
  assert.match(foreign.message, /PhoneNumber \+14155550133 is not available$/);
});

Deno.test("a number is written in E.164 and named in its national format", async () => {
  using app = await startApp();

  const made = (await app.root.post("IncomingPhoneNumbers.json", {
    PhoneNumber: "+44 20 7946 0123",
  })).json();

  assert.equal(made.phone_number, "+442079460123");
  assert.equal(made.friendly_name, "020 7946 0123");
  for (const PhoneNumber of ["", "14155550100", "+1415555", "+999123456789", "<script>"]) {
    assert.equal((await refusal(app.root, "IncomingPhoneNumbers", { PhoneNumber })).code, 21421);
  }
});

Deno.test("exactly one of PhoneNumber and AreaCode is needed, and AreaCode wins", async () => {
  using app = await startApp();

  const none = await refusal(app.root, "IncomingPhoneNumbers", { FriendlyName: "x" });
  assert.match(none.message, /PhoneNumber or AreaCode is required/);
  const long = { PhoneNumber: "x".repeat(1_000), AreaCode: "415" };
  assert.equal((await app.root.post("IncomingPhoneNumbers.json", long)).status, 200);
  const both = { PhoneNumber: "not even a number", AreaCode: "415" };
  const made = (await app.root.post("IncomingPhoneNumbers.json", both)).json();
  assert.match(made.phone_number, /^\+141555501\d\d$/);
  for (const AreaCode of ["", "41", "4155", "abc", "555", "999", "340", "4 5"]) {
    assert.equal(
      (await refusal(app.root, "IncomingPhoneNumbers", { AreaCode })).code,
      21452,
      AreaCode,
    );
  }
});

Deno.test("an area code gives each of its numbers once, until none is left", async () => {
  const few = {
    ...openNumbers,
    async *search(wanted: Parameters<typeof openNumbers.search>[0]) {
      let left = 8;
      for await (const offer of openNumbers.search(wanted)) if (left-- > 0) yield offer;
    },
  };
  using app = await startApp({ ports: { numbers: few } });

  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      () => app.root.post("IncomingPhoneNumbers.json", { AreaCode: "415" }),
    ),
  );

  const made = answers.filter(({ status }) => status === 200).map((answer) => answer.json());
  assert.equal(new Set(numbersOf(made)).size, 8);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(refused.map((answer) => answer.json().code), [21452, 21452]);
});

Deno.test("Local, TollFree and Mobile keep the numbers provisioned through them", async () => {
  using app = await startApp();
  const cases: [path: string, PhoneNumber: string][] = [
    ["", "+442079460123"],
    ["", "+447400123456"],
    ["", "+18005550100"],
    ["", "+14155550101"],
    ["/Local", "+14155550102"],
    ["/Mobile", "+14155550103"],
    ["/TollFree", "+18885550100"],
    ["/TollFree", "+15550000001"],
  ];
  for (const [path, PhoneNumber] of cases) {
    const made = await app.root.post(`IncomingPhoneNumbers${path}.json`, { PhoneNumber });
    assert.equal(made.status, 200, made.text);
  }

  const listed = async (path: string) =>
    numbersOf((await app.root.get(`IncomingPhoneNumbers${path}.json`)).json());
  assert.deepEqual(await listed("/Local"), ["+14155550101", "+14155550102", "+442079460123"]);
  assert.deepEqual(await listed("/Mobile"), ["+14155550103", "+447400123456"]);
  assert.deepEqual(await listed("/TollFree"), ["+15550000001", "+18005550100", "+18885550100"]);
  assert.equal((await listed("")).length, 8);
  assert.deepEqual(await listed(""), (await listed("")).toSorted());
});

Deno.test("Local, TollFree and Mobile need a PhoneNumber of their kind", async () => {
  using app = await startApp();
  const wrong: [path: string, PhoneNumber: string][] = [
    ["Local", "+18005550100"],
    ["Local", "+447400123456"],
    ["Mobile", "+442079460123"],
    ["Mobile", "+18005550100"],
    ["TollFree", bay],
  ];
  for (const [path, PhoneNumber] of wrong) {
    const { code, message } = await refusal(app.root, `IncomingPhoneNumbers/${path}`, {
      PhoneNumber,
    });
    assert.equal(code, 21421);
    assert.match(message, /PhoneNumber must be a (local|mobile|toll-free) number/);
  }
  for (const path of ["Local", "TollFree", "Mobile"]) {
    const answer = await app.root.post(`IncomingPhoneNumbers/${path}.json`, { AreaCode: "415" });
    assert.match(answer.json().message, /PhoneNumber is required$/);
    assert.match(answer.headers.get("Warning")!, /AreaCode/);
    for (const method of ["PUT", "DELETE"]) {
      const refused = await app.root.request(method, `IncomingPhoneNumbers/${path}.json`);
      assert.equal(refused.status, 405);
      assert.equal(refused.headers.get("Allow"), "GET, HEAD, POST");
    }
  }
});

Deno.test("releasing each page of numbers before the next one leaves none out", async () => {
  using app = await startApp();
  for (const line of ["0101", "0102", "0103", "0104", "0105"]) {
    await app.root.post("IncomingPhoneNumbers", { PhoneNumber: `+1415555${line}` });
  }

  let next: string | undefined = "IncomingPhoneNumbers.json?PageSize=2";
  const released: string[] = [];
  while (next !== undefined) {
    const page = await app.root.get(next);
    for (const { sid, phone_number } of page.json()) {
      assert.equal((await app.root.delete(`IncomingPhoneNumbers/${sid}`)).status, 204);
      released.push(phone_number.slice(-1));
    }
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link")!)?.[1];
  }

  assert.deepEqual(released, ["1", "2", "3", "4", "5"]);
});

Deno.test("the list is plain in JSON with headers, paged in XML, and filtered by a part", async () => {
  using app = await startApp();
  for (const line of ["0103", "0101", "0102"]) {
    await app.root.post("IncomingPhoneNumbers", {
      PhoneNumber: `+1415555${line}`,
      FriendlyName: `line ${line}`,
    });
  }

  const page = await app.root.get("IncomingPhoneNumbers.json?PageSize=2&Beta=true");
  assert.deepEqual(numbersOf(page.json()), ["+14155550101", "+14155550102"]);
  assert.equal(page.headers.get("X-Total-Count"), "3");
  const next = /<([^>]+)>; rel="next"/.exec(page.headers.get("Link")!)![1]!;
  assert.match(next, /Beta=true&Page=1&PageSize=2&AfterSid=PN/);
  assert.deepEqual(numbersOf((await app.root.get(next)).json()), ["+14155550103"]);
  const xml = await app.root.get("IncomingPhoneNumbers/Local?PageSize=2&Page=1");
  assert.match(xml.text, /<IncomingPhoneNumbers page="1" numpages="2" pagesize="2" total="3"/);
  assert.match(xml.text, /previouspageuri="[^"]*\/IncomingPhoneNumbers\/Local\?Page=0/);

  const found = async (query: string) =>
    numbersOf((await app.root.get(`IncomingPhoneNumbers.json?${query}`)).json());
  assert.deepEqual(await found("PhoneNumber=5*5010*"), [
    "+14155550101",
    "+14155550102",
    "+14155550103",
  ]);
  assert.deepEqual(await found("PhoneNumber=%2B1415*550102"), ["+14155550102"]);
  assert.deepEqual(await found("PhoneNumber=*1415"), []);
  assert.deepEqual(await found("FriendlyName=line+0103&Beta=false"), ["+14155550103"]);
  assert.deepEqual(await found("FriendlyName=line"), []);
  assert.equal((await app.root.get("IncomingPhoneNumbers.json?Beta=maybe")).status, 400);
});

Deno.test("every setting of a number is stored, bad ones are named, and an empty one clears", async () => {
  using app = await startApp();
  const services = ["Voice", "Sms", "Ussd"];
  const urls = [...services.flatMap((one) => [`${one}Url`, `${one}FallbackUrl`]), "ReferUrl"]
    .concat("StatusCallback");
  const methods = urls.map((url) => url.replace(/Url$/, "") + "Method");
  const all = { VoiceCallerIdLookup: "true", ApiVersion: "2012-04-24", FriendlyName: "x" };
  const form = {
    ...all,
    ...Object.fromEntries(urls.map((url) => [url, "https://app.test/"])),
    ...Object.fromEntries(methods.map((method) => [method, "GET"])),
  };
  const made = (await app.root.post("IncomingPhoneNumbers", { ...form, PhoneNumber: bay })).text;
  for (const [name, value] of Object.entries(form)) {
    assert.ok(made.includes(`<${name}>${value}</${name}>`), name);
  }

  const sid = /<Sid>(\w+)/.exec(made)![1]!;
  const emptied = Object.fromEntries(urls.map((url) => [url, ""]));
  const cleared = (await app.root.put(`IncomingPhoneNumbers/${sid}`, emptied)).text;
  for (const url of urls) assert.ok(cleared.includes(`<${url}/>`), url);
  const lower = { statusCallback: "https://app.test/s", statusCallbackMethod: "POST" };
  const twins = (await app.root.post(`IncomingPhoneNumbers/${sid}.json`, lower)).json();
  assert.deepEqual([twins.status_callback, twins.status_callback_method], [
    "https://app.test/s",
    "POST",
  ]);
  const wrong = [...urls.map((name) => [name, "ftp://x"]), ...methods.map((name) => [name, "PUT"])]
    .concat([["FriendlyName", "x".repeat(65)], ["FriendlyName", ""], ["ApiVersion", "x"]])
    .concat([["VoiceCallerIdLookup", "maybe"], ["SmsApplicationSid", "AP1"]]);
  for (const [name, value] of wrong) {
    const { message } = await refusal(app.root, `IncomingPhoneNumbers/${sid}`, { [name!]: value! });
    assert.match(message, new RegExp(`: ${name} must`));
  }
});

Deno.test("applications of the account bring their names; others are refused", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const application = async (client: ApiClient, FriendlyName: string) =>
    (await client.post("Applications.json", { FriendlyName })).json().sid as string;
  const ivr = await application(app.root, "ivr");
  const foreign = await application(other, "theirs");
  const names = ["Voice", "Sms", "Ussd", "Refer"].map((service) => `${service}ApplicationSid`);
  const form = Object.fromEntries(names.map((name) => [name, ivr]));

  const made = (await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: bay, ...form }))
    .json();
  for (const service of ["voice", "sms", "ussd", "refer"]) {
    assert.equal(made[`${service}_application_sid`], ivr);
    assert.equal(made[`${service}_application_name`], "ivr");
  }
  await app.root.post(`Applications/${ivr}`, { FriendlyName: "renamed" });
  const [listed] = (await app.root.get("IncomingPhoneNumbers.json")).json();
  assert.equal(listed.sms_application_name, "renamed");
  for (const name of names) {
    const { message } = await refusal(app.root, `IncomingPhoneNumbers/${made.sid}`, {
      [name]: foreign,
    });
    assert.match(message, new RegExp(`${name} must name one of the account's applications`));
  }
  const cleared = await app.root.post(`IncomingPhoneNumbers/${made.sid}.json`, {
    VoiceApplicationSid: "",
  });
  assert.equal(cleared.json().voice_application_sid, null);
  assert.equal(cleared.json().voice_application_name, null);
});

Deno.test("a virtual number needs no provider, and may be a pattern", async () => {
  using app = await startApp();
  const numbers = ["1234", "*100#", "^+1555|4444$", "[12].."];

  for (const PhoneNumber of numbers) {
    const made = await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber, isSIP: "true" });
    assert.equal(made.json().phone_number, PhoneNumber, made.text);
    assert.equal(made.json().friendly_name, PhoneNumber);
    const again = { PhoneNumber, IsSIP: "true" };
    assert.equal((await refusal(app.root, "IncomingPhoneNumbers", again)).code, 21422);
  }
  for (const PhoneNumber of ["", "(", "(?=1)", "a b", "1".repeat(129)]) {
    const form = { PhoneNumber, isSIP: "true" };
    assert.equal((await refusal(app.root, "IncomingPhoneNumbers", form)).code, 21421, PhoneNumber);
  }
  const plain = { PhoneNumber: "9999", isSIP: "false" };
  assert.equal((await refusal(app.root, "IncomingPhoneNumbers", plain)).code, 21421);
});

Deno.test("a number is transferred within the caller's subtree, and nowhere else", async () => {
  using app = await startApp();
  const [child, sibling] = [
    await app.subAccount(app.root, "child"),
    await app.subAccount(app.root, "sibling"),
  ];
  const grandchild = await app.subAccount(child, "grandchild");
  const ivr = (await child.post("Applications.json", { FriendlyName: "ivr" })).json().sid;
  const form = { PhoneNumber: bay, VoiceApplicationSid: ivr, VoiceUrl: "https://app.test/v" };
  const { sid } = (await child.post("IncomingPhoneNumbers.json", form)).json();
  const path = `IncomingPhoneNumbers/${sid}`;

  for (const AccountSid of [app.root.sid, sibling.sid, `AC${"0".repeat(32)}`]) {
    const { message } = await refusal(child, path, { AccountSid });
    assert.match(message, /AccountSid must be the caller's account/);
  }
  const stays = await child.post(`${path}.json`, { AccountSid: child.sid, FriendlyName: "a" });
  assert.equal(stays.json().friendly_name, "a");

  app.clock.now += 1_000;
  const moved = await child.post(`${path}.json`, { AccountSid: grandchild.sid, SmsMethod: "GET" });
  assert.equal(moved.status, 200, moved.text);
  const { account_sid, voice_application_sid, voice_url, sms_method, uri } = moved.json();
  assert.deepEqual([account_sid, voice_application_sid, voice_url, sms_method], [
    grandchild.sid,
    null,
    "https://app.test/v",
    "GET",
  ]);
  assert.equal((await child.get(`${path}.json`)).status, 404);
  assert.equal((await grandchild.get(uri)).text, moved.text);
  const held = await app.ports.records.incomingPhoneNumbers.holder("phoneNumber", bay);
  assert.equal(held?.accountSid, grandchild.sid);
  assert.equal((await refusal(child, "IncomingPhoneNumbers", { PhoneNumber: bay })).code, 21422);

  const through = app.root.with({ sid: grandchild.sid });
  const back = await through.put(`${path}.json`, { AccountSid: sibling.sid });
  assert.equal(back.json().account_sid, sibling.sid);
  assert.equal((await sibling.delete(path)).status, 204);
  assert.equal((await child.post("IncomingPhoneNumbers", { PhoneNumber: bay })).status, 200);
});

Deno.test("two transfers at once leave a number in one account", async () => {
  using app = await startApp();
  const receivers = [await app.subAccount(app.root, "a"), await app.subAccount(app.root, "b")];
  const { sid } = (await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: bay })).json();

  const answers = await Promise.all(
    receivers.map((one) =>
      app.root.post(`IncomingPhoneNumbers/${sid}.json`, { AccountSid: one.sid })
    ),
  );

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
  const lists = await Promise.all(
    [app.root, ...receivers].map((one) => one.get("IncomingPhoneNumbers.json")),
  );
  const all = lists.flatMap((answer) => answer.json());
  assert.deepEqual(all.map(({ sid }) => sid), [sid]);
  const held = await app.ports.records.incomingPhoneNumbers.holder("phoneNumber", bay);
  assert.equal(held?.accountSid, all[0].account_sid);
});

Deno.test("the provider is notified of every number that is added, moved and removed", async () => {
  const told: NumberEvent[] = [];
  const tell = (event: NumberEvent) => Promise.resolve(void told.push(event));
  using app = await startApp({ ports: { numbers: { ...openNumbers, notify: tell } } });
  const child = await app.subAccount(app.root, "child");

  const { sid } = (await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: bay })).json();
  await app.runJobs();
  await app.root.post(`IncomingPhoneNumbers/${sid}`, { AccountSid: child.sid });
  await app.runJobs();
  await child.delete(`IncomingPhoneNumbers/${sid}`);
  await app.runJobs();
  await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: "1234", isSIP: "true" });
  await app.runJobs();

  assert.deepEqual(told.map(({ event, accountSid }) => [event, accountSid]), [
    ["provisioned", app.root.sid],
    ["transferred", child.sid],
    ["released", child.sid],
  ]);
});

const offerOf = (phoneNumber: string, changes: Partial<NumberOffer> = {}): NumberOffer => ({
  ...unknownPlace,
  ...parseNumber(phoneNumber)!,
  capabilities: usualCapabilities,
  ...changes,
});

Deno.test("with an inventory only its numbers may be bought, and a release returns them", async () => {
  const store = await openStore({ location: ":memory:", secretKey: "s", now: () => 0 });
  using app = await startApp({ ports: { numbers: inventoryNumbers(store.stock) } });
  await store.stock.put([
    offerOf(bay, { kinds: ["local"], region: "CA" }),
    offerOf("+14155550101", { kinds: ["mobile"] }),
    offerOf("+442079460123"),
  ]);
  const offered = async (path: string) =>
    numbersOf((await app.root.get(`AvailablePhoneNumbers/${path}`)).json());

  assert.deepEqual(await offered("US/Local.json"), [bay]);
  assert.deepEqual(await offered("US/Mobile.json"), ["+14155550101"]);
  assert.deepEqual(await offered("GB/Local.json"), ["+442079460123"]);
  const countries = (await app.root.get("AvailablePhoneNumbers.json")).json();
  assert.deepEqual(
    countries.map(({ iso_country }: { iso_country: string }) => iso_country),
    ["GB", "US"],
  );
  const unknown = { PhoneNumber: "+14155550999" };
  assert.equal((await refusal(app.root, "IncomingPhoneNumbers", unknown)).code, 21422);
  assert.equal((await refusal(app.root, "IncomingPhoneNumbers", { AreaCode: "212" })).code, 21452);
  const mobile = { PhoneNumber: "+14155550101" };
  assert.equal((await refusal(app.root, "IncomingPhoneNumbers/Local", mobile)).code, 21421);

  const made = (await app.root.post("IncomingPhoneNumbers/Local.json", { PhoneNumber: bay }))
    .json();
  assert.deepEqual(await offered("US/Local.json"), []);
  const virtual = { PhoneNumber: bay, isSIP: "true" };
  assert.equal((await refusal(app.root, "IncomingPhoneNumbers", virtual)).code, 21422);
  await app.root.delete(`IncomingPhoneNumbers/${made.sid}`);
  assert.deepEqual(await offered("US/Local.json"), [bay]);
  const byArea = (await app.root.post("IncomingPhoneNumbers.json", { AreaCode: "415" })).json();
  assert.ok([bay, "+14155550101"].includes(byArea.phone_number));
  store.close();
});

Deno.test("an account's numbers are another's to neither see, change nor release", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const sibling = await app.subAccount(app.root, "sibling");
  const { sid } = (await child.post("IncomingPhoneNumbers.json", { PhoneNumber: bay })).json();

  for (
    const stranger of [sibling, sibling.with({ sid: child.sid }), child.with({ sid: app.root.sid })]
  ) {
    const isOwnPath = stranger.sid === sibling.sid;
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const { status } = await stranger.request(method, `IncomingPhoneNumbers/${sid}.json`);
      assert.equal(status, isOwnPath ? 404 : 403, method);
    }
    for (const list of ["", "/Local", "/TollFree", "/Mobile"]) {
      const { status, text } = await stranger.get(`IncomingPhoneNumbers${list}.json`);
      assert.deepEqual([status, text.includes(sid)], [isOwnPath ? 200 : 403, false]);
    }
  }
  assert.equal((await child.get(`IncomingPhoneNumbers/${sid}.json`)).status, 200);
});

Deno.test("a provider that is out of reach answers 503, and nothing is provisioned", async () => {
  const fail = () => Promise.reject(new Fault("unavailable", "The numbers endpoint is silent"));
  using app = await startApp({ ports: { numbers: { ...openNumbers, offer: fail } } });

  const answer = await app.root.post("IncomingPhoneNumbers.json", { PhoneNumber: bay });

  assert.equal(answer.status, 503);
  assert.ok(answer.headers.has("Retry-After"));
  assert.deepEqual((await app.root.get("IncomingPhoneNumbers.json")).json(), []);
});

Deno.test("an OutgoingCallerId is a real number, and apart from the IncomingPhoneNumbers", async () => {
  using app = await startApp();
  const form = { PhoneNumber: "+1 415 555 0100" };

  const callerId = (await app.root.post("OutgoingCallerIds.json", form)).json();
  const number = (await app.root.post("IncomingPhoneNumbers.json", form)).json();

  assert.equal(callerId.phone_number, bay);
  assert.equal(callerId.friendly_name, "(415) 555-0100");
  assert.equal((await app.root.get(`IncomingPhoneNumbers/${callerId.sid}.json`)).status, 404);
  assert.equal((await app.root.get(`OutgoingCallerIds/${number.sid}.json`)).status, 404);
  for (const list of ["IncomingPhoneNumbers", "OutgoingCallerIds"]) {
    assert.equal((await app.root.get(`${list}.json`)).json().length, 1);
  }
  for (const PhoneNumber of ["", "911", "+1415", "client:alice"]) {
    assert.equal((await refusal(app.root, "OutgoingCallerIds", { PhoneNumber })).code, 21421);
  }
  const kept = await app.root.post(`OutgoingCallerIds/${callerId.sid}.json`, {
    PhoneNumber: "+14155550101",
  });
  assert.equal(kept.json().phone_number, bay);
  assert.match(kept.headers.get("Warning")!, /PhoneNumber/);
});
