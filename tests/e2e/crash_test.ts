import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

/** A call that alice has answered and that lasts. */
async function answeredCall(system: System, app: AppServer) {
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  const phone = await system.phone("alice");
  const { sid } = await system.post("Calls.json", {
    From: "me",
    To: "client:alice",
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
  });
  const ringing = await phone.nextCall();
  ringing.ring();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice");
  return { sid, dialog };
}

/** Kills a process of the system and waits until the supervisor has started another. */
async function killHard(system: System, script: "main.ts" | "sip/main.ts"): Promise<void> {
  const [pid] = system.pids(script) as [number];
  Deno.kill(pid, "SIGKILL");
  await eventually(`${script} runs again`, () => {
    const [now] = system.pids(script);
    return now !== undefined && now !== pid;
  });
  await system.ready();
}

Deno.test("a killed companion is started again, and its calls are completed once", async () => {
  await using app = startAppServer();
  await using system = await startSystem();
  const { sid } = await answeredCall(system, app);
  await killHard(system, "sip/main.ts");

  const told = await app.asked("/events");
  assert.equal(told.CallStatus, "completed");
  assert.equal((await system.get(`Calls/${sid}.json`)).status, "completed");

  const phone = await system.phone("alice"); // The phone whose call was cut off.
  const second = await system.post("Calls.json", {
    From: "me",
    To: "client:alice",
    Url: `${app.url}/voice`,
  });
  (await phone.nextCall()).decline(486);
  await eventually(
    "the next call works",
    async () => (await system.get(`Calls/${second.sid}.json`)).status === "busy",
  );
  assert.equal(app.sent("/events").length, 1);
});

Deno.test("a killed service is started again, and the call it did not see end is completed once", async () => {
  await using app = startAppServer();
  await using system = await startSystem();
  const { sid, dialog } = await answeredCall(system, app);
  const [pid] = system.pids("main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  await dialog.bye(); // While the service is down.
  await system.ready();

  const told = await app.asked("/events");
  assert.equal(told.CallStatus, "completed");
  const call = await system.get(`Calls/${sid}.json`);
  assert.equal(call.status, "completed");
  assert.equal(app.sent("/events").length, 1);
});
