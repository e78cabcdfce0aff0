import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { valueOf } from "../support/sip/sip_text.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";

/** An offer, or an answer, of G.729 alone. */
const g729 = [
  "v=0",
  "o=- 1 1 IN IP4 127.0.0.1",
  "s=-",
  "c=IN IP4 127.0.0.1",
  "t=0 0",
  "m=audio 40000 RTP/AVP 18",
  "a=rtpmap:18 G729/8000",
  "",
].join("\r\n");

const told = async (
  system: System,
): Promise<{ call_sid: string; error_code: number; message_text: string }[]> =>
  (await system.get("Notifications.json")).notifications;

Deno.test("a phone without a codec of ours is refused with 488, and a Notification says so, once a call", async () => {
  await using app = startAppServer();
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  app.pages.set("/alice", `<Response><Gather timeout="60"/></Response>`);
  const alice = { Login: "alice", Password: "alice-secret", VoiceUrl: `${app.url}/alice` };
  await system.post("Clients.json", alice);
  const phone = await system.phone("alice");

  const refused = await phone.call("sip:anything@localhost", { sdp: g729 }).final;
  assert.equal(refused.status, 488);
  assert.match(valueOf(refused, "warning"), /^305 localhost "Cannot take the SDP: it has none of /);
  await eventually("the first call is told of", async () => (await told(system)).length === 1);
  const placed = { From: "me", To: "client:alice", Url: `${app.url}/alice` };
  const { sid } = await system.post("Calls.json", placed);
  const dialog = await (await phone.nextCall()).answer(g729);
  await dialog.ended;
  await eventually("the second call is told of", async () => (await told(system)).length === 2);

  const [second, first] = await told(system);
  assert.deepEqual([first?.error_code, second?.error_code].map(Number), [13236, 13236]);
  for (const { message_text } of [first!, second!]) {
    assert.match(message_text, /none of PCMU, PCMA/);
  }
  assert.equal(second?.call_sid, sid);
  const { calls } = await system.get("Calls.json");
  assert.deepEqual(calls.map(({ status }: { status: string }) => status), ["failed", "failed"]);
});
