import assert from "node:assert/strict";
import { takeTrace } from "../../core/reports/take_trace.ts";
import type { Trace } from "../../core/protocol/traces.ts";
import { startApp } from "../support/service/app.ts";
import { companion, made } from "../support/service/hand_companion.ts";

const local = { host: "192.0.2.1", port: 5060 };
const trace: Trace = {
  dropped: 0,
  messages: [{ at: 0, text: "INVITE", direction: "sent", transport: "UDP", local, remote: local }],
};

Deno.test("the accounts above that of a call read its SIP trace, and no other account does", async () => {
  using app = await startApp();
  const child = await app.subAccount(app.root, "child");
  const sibling = await app.subAccount(app.root, "sibling");
  const form = { From: "me", To: "client:nobody", Url: "https://app.test/voice" };
  const { sid } = await made(child, "Calls", form);
  await takeTrace({ companion, accountSid: child.sid, leg: sid, trace }, app.ports);

  const path = `/2012-04-24/Accounts/${child.sid}/Calls/${sid}/SipTrace.json`;
  const statusOf = async (reader: typeof child) => (await reader.get(path)).status;
  assert.deepEqual([await statusOf(child), await statusOf(app.root)], [200, 200]);
  assert.ok([401, 403, 404].includes(await statusOf(sibling)));
  assert.equal((await sibling.get(`Calls/${sid}/SipTrace.json`)).status, 404);
});

Deno.test("with SIP_TRACE_HOURS=0 no SIP trace is stored", async () => {
  using app = await startApp();
  const form = { From: "me", To: "client:nobody", Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  const settings = { ...app.ports.settings, sipTraceMs: 0 };
  const told = { companion, accountSid: app.root.sid, leg: sid, trace };
  await takeTrace(told, { ...app.ports, settings });
  assert.equal((await app.root.get(`Calls/${sid}/SipTrace.json`)).status, 404);
  await takeTrace(told, app.ports);
  assert.equal((await app.root.get(`Calls/${sid}/SipTrace.json`)).status, 200);
});
