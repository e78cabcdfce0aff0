import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { type Json, startSystem, type System } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

async function post(
  { baseUrl, accountSid, authToken }: System,
  path: string,
  { requestId, ...form }: Record<string, string>,
): Promise<Json> {
  const response = await fetch(`${baseUrl}/2012-04-24/Accounts/${accountSid}/${path}`, {
    method: "POST",
    headers: {
      Authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}`,
      "X-Request-Id": requestId!,
    },
    body: new URLSearchParams(form),
  });
  assert.equal(response.headers.get("X-Request-Id"), requestId);
  assert.equal(response.status, 200);
  return await response.json();
}

const idsOf = (records: Json[]): unknown[] => [...new Set(records.map((one) => one.request_id))];

Deno.test("Deliveries, Notifications and log lines of a call have the id of its request", async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Dial><Client>bob</Client></Dial></Response>");
  app.pages.set("/events", 404); // Each callback leaves a Notification.
  await using system = await startSystem();
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];
  const { sid } = await post(system, "Calls.json", {
    From: "me",
    To: "client:alice",
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
    StatusCallbackEvent: "initiated answered completed",
    requestId: "placed-by-this",
  });
  const ringing = await alice.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  (await bob.nextCall()).decline(403);
  await dialog.ended;

  const shown = async (path: string, name: string, count: number): Promise<Json[]> => {
    let records: Json[] = [];
    await eventually(`there are ${count} ${name}`, async () => {
      records = (await system.get(path))[name];
      return records.length >= count;
    });
    return records;
  };
  const delivered = await shown("Webhooks/Deliveries.json", "deliveries", 3);
  const notified = await shown("Notifications.json", "notifications", 4);
  assert.deepEqual(idsOf(delivered), ["placed-by-this"]);
  assert.deepEqual(idsOf(notified), ["placed-by-this"]);
  const codes = notified.map(({ error_code }) => error_code);
  assert.ok(codes.includes(13228), `refused by bob: ${codes}`);
  const ended = system.output().split("\n").find((line) => line.includes(`"A call has ended"`));
  assert.equal(JSON.parse(ended ?? "{}").request_id, "placed-by-this", sid);
});

Deno.test("requests after a change of a live call have the id of the request that changed it", async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='60'/></Response>");
  await using system = await startSystem();
  const alice = await system.phone("alice");
  const { sid } = await post(system, "Calls.json", {
    From: "me",
    To: "client:alice",
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
    requestId: "placed-by-this",
  });
  const ringing = await alice.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice");
  app.pages.set("/gone", 404);
  await post(system, `Calls/${sid}.json`, { Url: `${app.url}/gone`, requestId: "changed-by-this" });
  await dialog.ended;

  let notified: Json[] = [];
  await eventually("there is a Notification", async () => {
    notified = (await system.get(`Calls/${sid}/Notifications.json`)).notifications ?? [];
    return notified.length > 0;
  });
  assert.deepEqual(idsOf(notified), ["changed-by-this"]);
});
