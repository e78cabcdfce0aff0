import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

/** A system with a call that lasts until one side ends it. */
async function inCall(DRAIN_S: string) {
  const app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  const system = await startSystem({ env: { DRAIN_S } });
  const phone = await system.phone("alice");
  const form = { From: "me", To: "client:alice", Url: `${app.url}/voice` };
  const { sid } = await system.post("Calls.json", form);
  const ringing = await phone.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice");
  return {
    system,
    phone,
    dialog,
    form,
    /** The status of the call as the next start finds it. */
    async statusAfter() {
      await using again = await startSystem({ directory: system.directory });
      const { notifications } = await again.get(`Calls/${sid}/Notifications.json`);
      assert.deepEqual(notifications, [], "nothing was lost");
      return (await again.get(`Calls/${sid}.json`)).status;
    },
    async [Symbol.asyncDispose]() {
      await phone.close();
      await system[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

const draining = ({ baseUrl }: System) =>
  eventually("it drains", async () => {
    const response = await fetch(`${baseUrl}/ready`);
    return (await response.json()).companion === "draining" && response.status === 503;
  });

Deno.test("a stop with DRAIN_S takes no new call, and ends with the last one that lives", async () => {
  await using lab = await inCall("120");
  const { system, dialog, phone, form } = lab;
  const stopped = system.stop();
  await draining(system);

  const { accountSid, authToken, baseUrl } = system;
  const refused = await fetch(`${baseUrl}/2012-04-24/Accounts/${accountSid}/Calls.json`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` },
    body: new URLSearchParams(form),
  });
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get("Retry-After")) > 0);
  assert.equal((await refused.json()).code, 20505);
  assert.equal((await phone.call("alice").final).status, 503);

  const hungUpAt = performance.now();
  await dialog.bye();
  assert.equal(await stopped, 0);
  assert.ok(performance.now() - hungUpAt < 30_000, "it did not wait for DRAIN_S");
  assert.equal(await lab.statusAfter(), "completed");
});

Deno.test("calls that live when DRAIN_S has passed end with BYE", async () => {
  await using lab = await inCall("1");
  const stopped = lab.system.stop();
  await lab.dialog.ended;
  assert.equal(await stopped, 0);
  assert.equal(await lab.statusAfter(), "completed");
});

Deno.test("a second signal ends calls before DRAIN_S has passed", async () => {
  await using lab = await inCall("600");
  const stopped = lab.system.stop();
  const firstAt = performance.now();
  await draining(lab.system);
  await eventually("it is another signal", () => performance.now() - firstAt > 1_000);

  void lab.system.stop();
  await lab.dialog.ended;
  assert.equal(await stopped, 0);
  assert.equal(await lab.statusAfter(), "completed");
});
