import assert from "node:assert/strict";
import { companionOf } from "../support/service/hand_companion.ts";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

Deno.test("npm twilio starts a stream of a call with parameters, and stops it by Sid and by name", async () => {
  await using lab = await startTwilioLab();
  const { app, client } = lab;
  await app.root.post("Clients.json", { Login: "alice", Password: "pass" });
  const twiml = "<Response><Pause/></Response>";
  const call = await client.calls.create({ from: "client:bob", to: "client:alice", twiml });
  await app.runJobs();
  await companionOf(app, call.sid).report({ type: "answered" });
  const { streams } = client.calls(call.sid);

  const first = await streams.create({
    url: "wss://monitor.test/",
    name: "monitor",
    track: "both_tracks",
    "parameter1.name": "room",
    "parameter1.value": "7",
  });
  const stopped = await client.calls(call.sid).streams(first.sid).update({ status: "stopped" });
  const byName = await client.calls(call.sid).streams("monitor").update({ status: "stopped" });

  assert.deepEqual([first.callSid, first.name, first.status], [call.sid, "monitor", "in-progress"]);
  assert.deepEqual([stopped.sid, byName.sid], [first.sid, first.sid]);
  const [start, ...stops] = app.streamOrders.map(({ order }) => order);
  assert.ok(start?.type === "start");
  assert.deepEqual(start.stream.tracks, ["inbound", "outbound"]);
  assert.deepEqual(start.stream.parameters, { room: "7" });
  assert.deepEqual(stops, Array(2).fill({ type: "stop", sid: first.sid }));
  await assert.rejects(streams.create({ url: "wss://monitor.test/", name: "monitor" }), {
    status: 400,
    code: 31944,
  });
  await assert.rejects(streams.create({ url: "https://monitor.test/" }), { code: 31940 });
});
