import assert from "node:assert/strict";
import { snake } from "../../core/base/wire.ts";
import type { Answer, ApiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";
import { makeParticipant, makeSample } from "../support/service/samples.ts";

/** The interface as it is written down: every name that may be sent, with a value that is no default. */

const url = (name: string) => `https://app.test/${name}?a=1&b=%2B`;
const urls = (...names: string[]) => Object.fromEntries(names.map((name) => [name, url(name)]));
const gets = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "GET"]));

const voice = {
  ...urls("VoiceUrl", "VoiceFallbackUrl"),
  ...gets("VoiceMethod", "VoiceFallbackMethod"),
};
const number = {
  FriendlyName: "Support",
  ApiVersion: "2010-04-01",
  VoiceCallerIdLookup: "true",
  ...voice,
  ...urls("StatusCallback", "SmsUrl", "SmsFallbackUrl", "UssdUrl", "UssdFallbackUrl", "ReferUrl"),
  ...gets("StatusCallbackMethod", "SmsMethod", "SmsFallbackMethod"),
  ...gets("UssdMethod", "UssdFallbackMethod", "ReferMethod"),
};
const applications = [
  "VoiceApplicationSid",
  "SmsApplicationSid",
  "UssdApplicationSid",
  "ReferApplicationSid",
];

/** Asserts that an answer shows what was sent, and that no name of it was unknown. */
function assertShown(answer: Answer, sent: Record<string, string>): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get("Warning"), null);
  const shown = answer.json();
  for (const [name, value] of Object.entries(sent)) {
    const key = name === "TTL" ? "ttl" : snake(name.charAt(0).toLowerCase() + name.slice(1));
    assert.equal(String(shown[key]), value, name);
  }
}

const application = async (client: ApiClient): Promise<string> =>
  (await client.post("Applications.json", { FriendlyName: "ivr" })).json().sid;

Deno.test("Accounts take and show every field", async () => {
  using app = await startApp();
  const shown = { FriendlyName: "Child", Role: "Developer", Status: "suspended" };
  const form = { ...shown, EmailAddress: "child@example.com" };

  const made = await app.root.post("/2012-04-24/Accounts.json", { ...form, Password: "secret" });
  assertShown(made, form);
  const changes = { FriendlyName: "Kid", Role: "Administrator", Status: "active" };
  const changed = await app.root.put(made.json().uri, { ...changes, Password: "other" });
  assertShown(changed, changes);
  assert.notEqual(changed.json().auth_token, made.json().auth_token);
});

Deno.test("Clients and Applications take and show every field", async () => {
  using app = await startApp();
  const sid = await application(app.root);
  const client = { FriendlyName: "Bob", Password: "secret", Status: "0", ...voice };
  const form = { ...client, VoiceApplicationSid: sid };
  const made = await app.root.post("Clients.json", { ...form, Login: "bob" });
  assertShown(made, { ...form, Login: "bob" });
  const bare = (await app.root.post("Clients.json", { Login: "al", Password: "secret" })).json();
  assertShown(await app.root.put(bare.uri, form), form);

  const kind = { FriendlyName: "menu", RcmlUrl: url("menu"), Kind: "ussd" };
  const versioned = { ...kind, ApiVersion: "2010-04-01", HasVoiceCallerIdLookup: "true" };
  const menu = await app.root.post("Applications.json", versioned);
  assertShown(menu, { ...kind, ApiVersion: "2010-04-01", VoiceCallerIdLookup: "true" });
  const changes = { ...kind, FriendlyName: "ivr", VoiceCallerIdLookup: "false" };
  assertShown(await app.root.post(menu.json().uri, changes), changes);
});

Deno.test("IncomingPhoneNumbers take and show every field, and the names of applications", async () => {
  using app = await startApp();
  const sid = await application(app.root);
  const form = { ...number, ...Object.fromEntries(applications.map((name) => [name, sid])) };
  const names = applications.map((name) => [name.replace("Sid", "Name"), "ivr"]);
  const shown = { ...form, ...Object.fromEntries(names) };

  const PhoneNumber = "+14155550150";
  const made = await app.root.post("IncomingPhoneNumbers.json", { ...form, PhoneNumber });
  assertShown(made, { ...shown, PhoneNumber });
  const local = { PhoneNumber: "+14155550151" };
  const bare = (await app.root.post("IncomingPhoneNumbers/Local.json", local)).json();
  assertShown(await app.root.put(bare.uri, form), shown);
  const small = { statusCallback: url("small"), statusCallbackMethod: "POST" };
  const spelled = await app.root.post(bare.uri, small);
  assertShown(spelled, { StatusCallback: url("small"), StatusCallbackMethod: "POST" });
  const virtual = { PhoneNumber: "*123#", isSIP: "true" };
  assertShown(await app.root.post("IncomingPhoneNumbers.json", virtual), { PhoneNumber: "*123#" });
});

Deno.test("Calls take every parameter, in both spellings, and keep it", async () => {
  using app = await startApp();
  const ends = { From: "+15550001", To: "client:bob" };
  const form = {
    ...ends,
    ...urls("Url", "FallbackUrl", "statusCallback"),
    ...gets("Method", "FallbackMethod", "statusCallbackMethod"),
    statusCallbackEvent: "ringing completed",
    Timeout: "30",
  };
  const made = await app.root.post("Calls.json", form);
  assertShown(made, ends);

  const kept = (await app.ports.records.calls.get(app.root.sid, made.json().sid))!;
  assert.deepEqual(
    [kept.url, kept.fallbackUrl, kept.statusCallback],
    [url("Url"), url("FallbackUrl"), url("statusCallback")],
  );
  assert.deepEqual([kept.method, kept.fallbackMethod, kept.statusCallbackMethod], gotten);
  assert.deepEqual([kept.statusCallbackEvent, kept.timeout], [["ringing", "completed"], 30]);
  const changes = {
    ...urls("FallbackUrl", "StatusCallback"),
    ...gets("FallbackMethod", "StatusCallbackMethod"),
    MoveConnectedCallLeg: "false",
    Status: "completed",
  };
  assertShown(await app.root.post(`Calls.json/${kept.sid}`, changes), { Status: "canceled" });
});
const gotten = ["GET", "GET", "GET"];

Deno.test("messages, e-mail, gateways, caller ids, look-ups and the Sandbox show every field", async () => {
  using app = await startApp();
  const sms = { From: "+15550001", To: "+15550009", Body: "Hello" };
  const callback = { StatusCallback: url("sms"), StatusCallbackMethod: "GET" };
  assertShown(await app.root.post("SMS/Messages.json", { ...sms, ...callback }), sms);
  const email = { From: "a@app.test", To: "b@app.test", Body: "Hello", Subject: "Hi" };
  const copies = { CC: "c@app.test", BCC: "d@app.test" };
  assertShown(await app.root.post("Email/Messages.json", { ...email, ...copies }), email);
  const gateway = {
    FriendlyName: "Carrier",
    UserName: "trunk",
    Password: "secret",
    Proxy: "sip.carrier.test",
    Register: "false",
    TTL: "600",
  };
  const made = await app.root.post("Management/Gateways.json", gateway);
  assertShown(made, gateway);
  const other = { ...gateway, FriendlyName: "Other", UserName: "b", Password: "c", TTL: "60" };
  assertShown(await app.root.put(made.json().uri, other), other);
  const callerId = { FriendlyName: "Office", PhoneNumber: "+14155550100" };
  assertShown(await app.root.post("OutgoingCallerIds.json", callerId), callerId);

  const device = { DeviceIdentifier: "59899077937" };
  const asked = { ...device, StatusCallback: url("found") };
  const fence = { EventGeofenceLatitude: "-33.426280", EventGeofenceLongitude: "-70.566560" };
  const immediate = await app.root.post("Geolocation/Immediate.json", asked);
  assertShown(immediate, { ...device, GeolocationType: "Immediate" });
  const event = { ...asked, ...fence, GeofenceRange: "500", GeofenceEvent: "in-out" };
  const notification = await app.root.post("Geolocation/Notification.json", event);
  assertShown(notification, { ...device, GeolocationType: "Notification" });
  assert.deepEqual(notification.json().geolocation_data, {
    event_geofence_latitude: "-33.426280",
    event_geofence_longitude: "-70.566560",
  });

  const ApplicationSid = await application(app.root);
  const tried = {
    ApplicationSid,
    ...urls("VoiceUrl", "SmsUrl", "StatusCallback"),
    ...gets("VoiceMethod", "SmsMethod", "StatusCallbackMethod"),
  };
  assertShown(await app.root.post("Sandbox.json", tried), tried);
});

Deno.test("Conferences and Participants take and show every parameter", async () => {
  using app = await startApp();
  const conference = await makeSample(app, app.root, { name: "conferences" });
  const call = await makeSample(app, app.root, { name: "calls" });
  const companion = { id: "companion", runId: "run" };
  await app.ports.records.conferences.update(
    app.root.sid,
    conference,
    (conference) => ({ record: { ...conference, companion } }),
  );
  await makeParticipant(app, conference, call);

  const path = `Conferences/${conference}/Participants/${call}.json`;
  const muted = await app.root.post(path, { Mute: "true", Hold: "true" });
  assertShown(muted, { Hold: "true" });
  assert.equal(muted.json().muted, true);
  assertShown(await app.root.put(path, { Muted: "false", Hold: "false" }), {
    Muted: "false",
    Hold: "false",
  });
  const ended = { Status: "completed" };
  assertShown(await app.root.post(`Conferences/${conference}.json`, ended), ended);
});
