import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";
import { made } from "../support/service/hand_companion.ts";

const Url = "https://app.test/voice";

/** Accounts A and B: alice is A's Client, bob and eve are B's. */
async function startTwo() {
  const app = await startApp();
  const a = await app.subAccount(app.root, "A");
  const b = await app.subAccount(app.root, "B");
  await made(a, "Clients", { Login: "alice", Password: "secret" });
  for (const Login of ["bob", "eve"]) await made(b, "Clients", { Login, Password: "secret" });
  await made(a, "IncomingPhoneNumbers", { PhoneNumber: "+14155550150" });
  /**
   * Caller ID of A's call at the Client that it calls; undefined if the call is refused at once.
   */
  const shown = async (From: string, To: string) => {
    app.scripts.length = 0;
    const placed = await a.post("Calls.json", { From, To, Url });
    if (placed.status === 400) {
      assert.equal(placed.json().code, 21210);
      return undefined;
    }
    assert.equal(placed.status, 200, placed.text);
    await app.runJobs();
    const [step] = app.scripts[0]?.script ?? [];
    return step?.type === "invite" ? step.invitation.from : undefined;
  };
  return { app, a, shown, [Symbol.dispose]: () => app[Symbol.dispose]() };
}

Deno.test("a call to another account's Client shows the caller IDs of a call to a number only", async () => {
  using two = await startTwo();

  for (const to of ["client:bob", "sip:bob@sip.test"]) {
    for (const from of ["client:eve", "eve", "+14155550199", "Bank", "sip:eve@localhost"]) {
      assert.equal(await two.shown(from, to), undefined, `${from} to ${to}`);
    }
  }
  assert.equal(await two.shown("client:alice", "client:bob"), "client:alice");
  assert.equal(await two.shown("+14155550150", "client:bob"), "+14155550150");
  const { notifications } = (await two.a.get("Notifications.json")).json();
  assert.ok(notifications.some((one: { error_code: number }) => one.error_code === 21210));
});

Deno.test("a call shows no Login of another account to Clients of its own either", async () => {
  using two = await startTwo();

  for (const from of ["client:bob", "bob", "sip:bob@localhost", "sip:%62ob@localhost"]) {
    assert.equal(await two.shown(from, "client:alice"), undefined, from);
  }
  for (const from of ["Bank", "+14155550199", "client:alice"]) {
    assert.equal(await two.shown(from, "client:alice"), from);
  }
});

Deno.test("a text to another account's Client is from a number or Client of its own account", async () => {
  using two = await startTwo();
  const send = async (From: string, To: string) =>
    (await two.a.post("SMS/Messages.json", { From, To, Body: "Hi" })).status;

  assert.equal(await send("+14155550199", "client:bob"), 400);
  assert.equal(await send("client:eve", "client:bob"), 400);
  assert.equal(await send("+14155550150", "client:bob"), 200);
  assert.equal(await send("client:alice", "client:bob"), 200);
  assert.equal(await send("+14155550199", "client:alice"), 200);
});
