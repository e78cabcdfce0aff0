import assert from "node:assert/strict";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made } from "../support/service/hand_companion.ts";

const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };

/** Two Clients, and a call in progress at another companion than the usual one. */
async function start(account?: (app: App) => Promise<ApiClient>) {
  const app = await startApp();
  const owner = await account?.(app) ?? app.root;
  for (const Login of ["alice", "carol"]) {
    await made(owner, "Clients", { Login, Password: "secret" });
  }
  const { sid } = await made(owner, "Calls", form);
  await app.ports.records.calls.update(owner.sid, sid, (call) => ({
    record: { ...call, status: "in-progress", companion: { id: "other", runId: "run" } },
  }));
  await app.runJobs();
  app.scripts.length = 0;
  return { app, owner, sid: sid as string };
}

const to = { To: "client:carol" };

Deno.test("POST /Calls/{Sid}/Monitors rings a Client at the companion of the call, and has it hear that", async () => {
  const { app, sid } = await start();
  using _ = app;
  const listens = await made(app.root, `Calls/${sid}/Monitors`, to);
  assert.deepEqual([listens.from, listens.to, listens.status], [
    "client:carol",
    "client:carol",
    "queued",
  ]);
  await app.runJobs();
  const [{ leg, script: [step] } = assert.fail()] = app.scripts;
  assert.equal(leg, listens.sid);
  assert.ok(step?.type === "invite" && step.invitation.target.kind === "client");

  const answer = await companionOf(app, listens.sid).report({ type: "answered" });
  assert.deepEqual(answer, [{ type: "monitor", leg: sid }]);
  assert.equal(app.fetched.length, 0, "no document is requested");
  const { monitors } = (await app.root.get(`Calls/${sid}/Monitors.json`)).json();
  assert.deepEqual(monitors, [{
    call_sid: listens.sid,
    to: "client:carol",
    date_created: new Date(app.clock.now).toISOString(),
  }]);
});

Deno.test("a call that listens is placed at the companion that has the audio", async () => {
  const { app, sid } = await start();
  using _ = app;
  await made(app.root, `Calls/${sid}/Monitors`, to);
  const listens = (await app.root.get("Calls.json?Status=queued")).json().calls[0];
  const kept = await app.ports.records.calls.get(app.root.sid, listens.sid);
  assert.deepEqual(kept?.monitoring, {
    callSid: sid,
    conferenceSid: null,
    companion: { id: "other", runId: "run" },
  });
});

Deno.test("POST /Monitors names the wrong parameter", async () => {
  const { app, sid } = await start();
  using _ = app;
  const refusal = async (path: string, sent: Record<string, string>, account = app.root) => {
    const response = await account.post(`${path}.json`, sent);
    return [response.status, response.json().message];
  };
  const calls = `Calls/${sid}/Monitors`;
  assert.match(String(await refusal(calls, {})), /^400,.*To/);
  assert.match(String(await refusal(calls, { To: "+15550001" })), /^400,.*client: and a Login/);
  assert.match(String(await refusal(calls, { To: "client:zoe" })), /^400,.*client:zoe/);
  const sibling = await app.subAccount(app.root, "sibling");
  await made(sibling, "Clients", { Login: "dora", Password: "secret" });
  assert.match(String(await refusal(calls, { To: "client:dora" })), /^400,.*client:dora/);
  assert.match(String(await refusal(calls, { To: "client:dora" }, sibling)), /^404,/);
  assert.match(String(await refusal(`Conferences/CF${"0".repeat(32)}/Monitors`, to)), /^404,/);

  const { sid: queued } = await made(app.root, "Calls", form);
  assert.match(String(await refusal(`Calls/${queued}/Monitors`, to)), /^400,.*not in-progress/);
  Object.assign(app.ports.settings, { monitorsCalls: false });
  assert.match(String(await refusal(calls, to)), /^400,.*CALL_MONITORING/);
  assert.deepEqual((await app.root.get(`${calls}.json`)).json(), { monitors: [] });
});

Deno.test("a key of role Developer may not listen", async () => {
  const { app, sid } = await start();
  using _ = app;
  const key = await made(app.root, "Keys", { FriendlyName: "ci", Role: "Developer" });
  const response = await app.http.request(
    `/2012-04-24/Accounts/${app.root.sid}/Calls/${sid}/Monitors.json`,
    {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`${key.sid}:${key.secret}`)}` },
      body: new URLSearchParams(to),
    },
  );
  assert.deepEqual([response.status, (await response.json()).message], [
    403,
    "Cannot authorize the request: Role Developer may not listen to calls and conferences",
  ]);
});
