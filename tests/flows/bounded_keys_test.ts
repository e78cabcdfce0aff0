import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { callOf, companionOf, made } from "../support/service/hand_companion.ts";
import { caller, consult } from "../support/sip/conference_callers.ts";

/** Texts of customers that stand in keys of the store, which ends keys at 2 KiB. */

/** A host name of so many characters, in labels of 63 at most. */
const hostOf = (length: number): string =>
  Array.from({ length }, (_, at) => at % 64 === 63 ? "." : "a").join("");

const longest = hostOf(limits.hostLength);
const tooLong = `https://${hostOf(limits.hostLength + 1)}/x`;
/** Of characters that take three bytes each. */
const wide = (length: number): string => "名".repeat(length);

const voice = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
const alice = (app: App) => made(app.root, "Clients", { Login: "alice", Password: "secret" });

Deno.test("a URL whose host is longer than 253 characters is refused by name, wherever one is sent", async () => {
  using app = await startApp();
  await alice(app);
  const number = { PhoneNumber: "+14155550150" };
  const client = { Login: "bob", Password: "secret" };
  const text = { From: "+15550001", To: "client:alice", Body: "Hi" };
  const look = { DeviceIdentifier: "+4930123456" };

  for (
    const [path, form, names] of [
      ["Calls", voice, ["Url", "FallbackUrl", "StatusCallback"]],
      ["UssdPush", { ...voice, To: "+4930123456" }, ["Url", "StatusCallback"]],
      ["IncomingPhoneNumbers", number, ["VoiceUrl", "SmsUrl", "StatusCallback", "UssdUrl"]],
      ["Clients", client, ["VoiceUrl", "VoiceFallbackUrl"]],
      ["Applications", { FriendlyName: "menu" }, ["RcmlUrl"]],
      ["SMS/Messages", text, ["StatusCallback"]],
      ["Geolocation/Immediate", look, ["StatusCallback"]],
    ] as const
  ) {
    for (const name of names) {
      const refused = await app.root.post(`${path}.json`, { ...form, [name]: tooLong });
      assert.equal(refused.status, 400, `${path} ${name}`);
      assert.match(refused.json().message, new RegExp(`${name} must .*253 characters`));
    }
  }
});

Deno.test("a call whose StatusCallback has a host of 253 characters ends, with its callback", async () => {
  using app = await startApp();
  await alice(app);
  const statusCallback = `https://${longest}/events`;
  const { sid } = await made(app.root, "Calls", { ...voice, StatusCallback: statusCallback });
  await app.runJobs();
  const leg = companionOf(app, sid);

  await leg.report({ type: "inviting", from: voice.From, to: voice.To, sipCallId: "x" });
  await leg.report({ type: "ended", outcome: "busy" });
  await app.runJobs();

  assert.equal((await callOf(app, sid)).status, "busy");
  assert.ok(app.fetched.some(({ url }) => url === statusCallback));
});

Deno.test("every text of a customer that becomes part of a key is stored at its longest, and found", async () => {
  using app = await startApp();
  const FriendlyName = wide(limits.friendlyNameLength);
  const pattern = `[${"0".repeat(limits.numberPatternLength - 3)}]*`;
  const sender = wide(100);

  await made(app.root, "Applications", { FriendlyName });
  await made(app.root, "Clients", { Login: "a".repeat(64), Password: "secret", FriendlyName });
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: pattern, isSIP: "true" });
  await made(app.root, "Calls", { ...voice, From: sender, To: `client:${"a".repeat(64)}` });
  const hand = await caller(
    app,
    "1",
    `<Dial><Conference>${wide(limits.conferenceNameLength)}</Conference></Dial>`,
  );
  const [step] = await consult(hand, hand.script);

  assert.equal(step?.type, "conference");
  for (
    const [list, name, value] of [
      ["Applications", "FriendlyName", FriendlyName],
      ["Clients", "FriendlyName", FriendlyName],
      ["IncomingPhoneNumbers", "PhoneNumber", pattern],
      ["Calls", "From", sender],
      ["Conferences", "FriendlyName", wide(limits.conferenceNameLength)],
    ] as const
  ) {
    const query = new URLSearchParams({ [name]: value });
    const found = await app.root.get(`${list}?${query}`);
    assert.equal(found.status, 200, found.text);
    assert.ok(found.text.includes(value), `${list} ${name}`);
  }
});
