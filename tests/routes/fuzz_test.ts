import assert from "node:assert/strict";
import { resources } from "../../core/model/resources/mod.ts";
import { startApp } from "../support/service/app.ts";
import { makeSample, sampledNames } from "../support/service/samples.ts";

const requests = Deno.env.get("CI") === undefined ? 2_000 : 20_000;

/** Numbers below `bound`, the same in every run (Lehmer's generator). */
function generator(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => (state = (state * 48_271) % 2_147_483_647) % bound;
}

const odd = ["", " ", "%", "%00", "%zz", "..", "null", "-1", "1e9", "é", "'\"<&>", "A".repeat(300)];
const names = [
  "Page",
  "PageSize",
  "AfterSid",
  "StartTime",
  "StartTime>",
  "EndTime<",
  "Status",
  "To",
]
  .concat(["Body", "Subject", "CC", "Proxy", "TTL", "DeviceIdentifier", "StatusCallback"])
  .concat(["EventGeofenceLatitude", "GeofenceRange", "LiveCallDetails", "Mute", "Muted"])
  .concat(["Login", "Password", "VoiceUrl", "FriendlyName", "Url", "From", "__proto__", "Role"])
  .concat(["PhoneNumber", "AreaCode", "isSIP", "AccountSid", "Contains", "Beta", "Category"]);
const values = ["0", "50", "busy", "2024-01-31", "<=2024-01-31", "*", "+1555*", "https://a.test/"]
  .concat(["+14155550150", "415", "true", "(?:1|[2-4]+)", "+1555**1*8"]);
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const types = ["application/x-www-form-urlencoded", "application/json", "text/xml", ""];

Deno.test("no request makes a 5xx, or an answer without its form", async () => {
  using app = await startApp();
  const { root } = app;
  const sids: string[] = [];
  const lists = Object.values(resources).map(({ path }) => path)
    .concat(["Supervisor/metrics", "Supervisor/livecalls", "Supervisor/jobs", "Supervisor/store"])
    .concat(["Geolocation/Immediate", "Geolocation/Notification", "Management/Gateways"])
    .concat(["IncomingPhoneNumbers/Local", "AvailablePhoneNumbers", "Usage/Records"])
    .concat(["AvailablePhoneNumbers/US/TollFree", "IncomingPhoneNumbers/Mobile"]);
  const records: string[] = [];
  for (const name of sampledNames) {
    for (let n = 1; n <= 5; n++) sids.push(await makeSample(app, root, { name, n }));
    records.push(...sids.slice(-5).map((sid) => `${resources[name].path}/${sid}`));
  }
  const random = generator(20_240_131);
  const pick = <T>(from: T[]): T => from[random(from.length)]!;
  const segments = ["2012-04-24", "Accounts", root.sid, "Clients", "Applications", "Calls"]
    .concat(["Sandbox", "Supervisor", "metrics", "SMS", "Email", "Messages", "Participants"])
    .concat(["Recordings", `RE${"0".repeat(32)}.wav`, "Geolocation", "Immediate", "2010-04-01"])
    .concat(["Notifications", "root%40example.com", "health", "errors", "20001"], sids, odd);
  const pairs = (count: number) =>
    new URLSearchParams(
      Array.from({ length: random(count) }, () => [pick(names), pick(values.concat(odd))]),
    );

  const seen = new Map<number, number>();
  for (let n = 0; n < requests; n++) {
    const parts = random(4) === 0
      ? Array.from({ length: 1 + random(4) }, () => pick(segments))
      : ["2012-04-24/Accounts", root.sid, pick(random(2) === 0 ? lists : records)];
    const path = parts.map((part) => `/${part}${pick(["", "", ".json"])}`).join("");
    const method = pick(methods);
    const headers = { "Content-Type": pick(types), Accept: pick(["", "application/json", "*/*"]) };
    const form = pairs(5);
    const body = pick([form.toString(), JSON.stringify(Object.fromEntries(form)), pick(odd)]);
    const init = method === "GET" || method === "HEAD" ? { headers } : { headers, body };

    const { status } = await root.request(method, `${path}?${pairs(4)}`, init);

    assert.ok(status < 500, `${method} ${path} ${body}`);
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  assert.deepEqual(app.logged, []);
  for (const status of [200, 204, 400, 404, 405]) assert.ok(seen.has(status), `no ${status}`);
  assert.equal((await root.get("Calls.json")).status, 200);
});
