import assert from "node:assert/strict";
import type { LegEvent } from "../../core/protocol/events.ts";
import { type App, startApp } from "../support/service/app.ts";
import { flowApplication, flowOf } from "../support/service/flow_lab.ts";
import {
  callOf,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

const leg = (digit: string) => `CA${digit.repeat(32)}`;

/** Alice calls Bob: both legs are in progress. */
async function talking(app: App, { to = "sip:bob@sip.test", headers = {} } = {}) {
  const clients = [];
  for (const Login of ["alice", "bob", "carol"]) {
    clients.push(await made(app.root, "Clients", { Login, Password: "secret" }));
  }
  const caller = companionOf(app, leg("a"));
  const script = await caller.report({
    type: "incoming",
    login: "alice",
    clientSid: clients[0].sid,
    uri: to,
    sipCallId: "sip-a",
    headers,
  });
  await caller.report({ type: "answered" }, { wantsScript: false });
  const callee = companionOf(app, leg("b"));
  await callee.report({
    type: "inviting",
    parent: leg("a"),
    from: "client:alice",
    to: "client:bob",
    sipCallId: "sip-b",
  });
  await callee.report({ type: "answered" }, { wantsScript: false });
  return { caller, callee, script, aliceSid: clients[0].sid };
}

const refer = (to: string, other = leg("a")): LegEvent => ({
  type: "refer",
  other,
  to,
  by: "sip:bob@sip.test",
  headers: { "X-Ticket": "7" },
});

Deno.test("referScript() dials the target of a REFER for the other side, with a record of its own", async () => {
  using app = await startApp();
  const { callee } = await talking(app);

  const [step] = await callee.report(refer("sip:carol@sip.test"));
  assert.ok(step?.type === "dial");
  const [invitation] = step.legs;
  assert.ok(invitation);
  const child = companionOf(app, invitation.leg);
  await child.report({
    type: "inviting",
    parent: leg("a"),
    from: invitation.from,
    to: invitation.to,
    sipCallId: "sip-c",
    serviceContext: invitation.serviceContext,
  });
  const call = await callOf(app, invitation.leg);

  assert.deepEqual(
    [invitation.from, invitation.to, invitation.target, invitation.headers, step.media],
    [
      "client:alice",
      "client:carol",
      { kind: "client", login: "carol" },
      { "X-Ticket": "7" },
      "anchored",
    ],
  );
  assert.deepEqual([call.parent_call_sid, call.direction, call.from, call.to], [
    leg("a"),
    "outbound-dial",
    "client:alice",
    "client:carol",
  ]);
});

Deno.test("referScript() refuses a transfer to an unknown address, with a Notification", async () => {
  using app = await startApp();
  const { callee } = await talking(app);

  const script = await callee.report(refer("sip:nobody@sip.test"));
  const gone = await callee.report(refer("sip:carol@sip.test", leg("e")));

  const text = "13224: Cannot route the call: the address has no destination: nobody";
  assert.deepEqual(script, [{ type: "reject", status: 404, cause: "unreachable", text }]);
  assert.deepEqual(gone, [{ type: "reject", status: 481 }]);
  assert.match((await notifications(app)).join(), /nobody/);
});

for (const withApplication of [false, true]) {
  const where = withApplication ? "ReferApplicationSid" : "ReferUrl";
  Deno.test(`referScript() requests the number's ${where} for the transferred side`, async () => {
    using app = await startApp();
    const application = await made(app.root, "Applications", {
      FriendlyName: "transfers",
      RcmlUrl: "https://app.test/application",
    });
    await made(app.root, "IncomingPhoneNumbers", {
      PhoneNumber: "+15551230001",
      VoiceUrl: "https://app.test/voice",
      ReferUrl: "https://app.test/refer",
      ReferMethod: "GET",
      ...withApplication && { ReferApplicationSid: application.sid },
    });
    app.answers = () => xml("<Pause length='3'/>");
    const { callee } = await talking(app, { to: "sip:+15551230001@sip.test" });

    const script = await callee.report(refer("sip:carol@sip.test"));
    const asked = app.fetched.at(-1);
    assert.ok(asked);
    const url = new URL(asked.url);
    const form = withApplication ? new URLSearchParams(await asked.text()) : url.searchParams;

    assert.deepEqual(script, [{ type: "silence", seconds: 3 }, {
      type: "hangup",
      cause: "end-of-markup",
    }]);
    assert.equal(url.pathname, withApplication ? "/application" : "/refer");
    assert.equal(asked.method, withApplication ? "POST" : "GET");
    assert.deepEqual(
      ["CallSid", "ReferTarget", "Transferor", "Transferee", "OutboundCallSid"]
        .map((name) => form.get(name)),
      [leg("a"), "sip:carol@sip.test", "client:bob", "client:alice", leg("b")],
    );
  });
}

Deno.test("referScript() performs the flow of the number's ReferApplicationSid", async () => {
  using app = await startApp();
  const flow = flowOf({ a: { type: "say", text: "$Transferor to $ReferTarget" } });
  const { sid: ReferApplicationSid } = await flowApplication(app, flow);
  const form = { PhoneNumber: "+15551230001", VoiceUrl: "https://app.test/voice" };
  await made(app.root, "IncomingPhoneNumbers", { ...form, ReferApplicationSid });
  app.answers = () => xml("<Pause length='3'/>");
  const { callee } = await talking(app, { to: "sip:+15551230001@sip.test" });

  const [step] = await callee.report(refer("sip:carol@sip.test"));

  assert.ok(step?.type === "say");
  assert.equal(step.text, "client:bob to sip:carol@sip.test");
});

Deno.test("referScript() lets only Clients of the account transfer to numbers", async () => {
  using app = await startApp();
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: "+15551230002" });
  await made(app.root, "Clients", { Login: "dora", Password: "secret" });
  const { callee } = await talking(app, { to: "sip:+15550199@sip.test" });
  const trunk = companionOf(app, leg("f"));
  await trunk.report({
    type: "inviting",
    parent: leg("a"),
    from: "client:alice",
    to: "+15550199",
    sipCallId: "sip-f",
  });
  await trunk.report({ type: "answered" }, { wantsScript: false });

  const byClient = await callee.report(refer("sip:+15551230002@sip.test"));
  const byNumber = await trunk.report(refer("sip:+15551230002@sip.test"));
  const toClient = await trunk.report(refer("sip:dora@sip.test"));

  assert.deepEqual([byClient[0]?.type, toClient[0]?.type], ["dial", "dial"]);
  assert.deepEqual(byNumber.map(({ type }) => type), ["reject"]);
  assert.ok(byNumber[0]?.type === "reject" && byNumber[0].status === 403);
});

Deno.test("referScript() refuses the transfer when the number's markup is unavailable", async () => {
  using app = await startApp();
  await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: "+15551230001",
    VoiceUrl: "https://app.test/voice",
    ReferUrl: "https://app.test/refer",
  });
  app.answers = ({ url }) =>
    url.endsWith("/refer") ? new Response(null, { status: 500 }) : xml("<Pause/>");
  const { callee } = await talking(app, { to: "sip:+15551230001@sip.test" });

  assert.deepEqual(await callee.report(refer("sip:carol@sip.test")), [
    { type: "reject", status: 500 },
  ]);
  assert.notDeepEqual(await notifications(app), []);
});

Deno.test("POST /Calls/{Sid} with MoveConnectedCallLeg moves the connected leg as well", async () => {
  using app = await startApp();
  app.answers = () => xml("<Pause/>");
  await talking(app);

  for (const MoveConnectedCallLeg of ["true", "false"]) {
    await made(app.root, `Calls/${leg("a")}`, {
      Url: "https://app.test/moved",
      MoveConnectedCallLeg,
    });
    await app.runJobs();
  }

  const asked = new URLSearchParams(await app.fetched.at(-1)!.text());
  assert.equal(asked.get("OutboundCallSid"), leg("b"));
  const action = { url: "https://app.test/moved", method: "POST", hops: 0 };
  assert.deepEqual(app.scripts.map(({ leg, other }) => [leg, other]), [
    [leg("a"), [{ type: "next", action }]],
    [leg("a"), undefined],
  ]);
});

Deno.test("routeIncoming() lets a call take the place of a leg of its account only", async () => {
  using app = await startApp();
  const { aliceSid } = await talking(app);
  const incoming = (replaces: string): LegEvent => ({
    type: "incoming",
    login: "alice",
    clientSid: aliceSid,
    uri: "sip:bob@sip.test",
    sipCallId: "sip-r",
    headers: {},
    replaces,
  });

  const taken = await companionOf(app, leg("c")).report(incoming(leg("b")));
  const refused = await companionOf(app, leg("d")).report(incoming(leg("e")));

  assert.deepEqual(taken, [{ type: "replace", leg: leg("b") }]);
  assert.deepEqual(refused, [{ type: "reject", status: 481, cause: "unreachable" }]);
});

Deno.test("takeOver() calls the party that a leg at another companion is connected to, while that lives", async () => {
  using app = await startApp();
  const { callee } = await talking(app);
  const elsewhere = { id: "elsewhere", runId: "its run" };
  const moved = { wantsScript: false, companion: elsewhere };
  const caller = companionOf(app, leg("c"));
  const { sid: clientSid } = await made(app.root, "Clients", { Login: "dora", Password: "secret" });
  const incoming = { login: "dora", clientSid, uri: "sip:+15550199@sip.test", headers: {} };
  await caller.report({ type: "incoming", ...incoming, sipCallId: "sip-c" }, moved);
  await caller.report({ type: "answered" }, moved);
  const asked = (accountSid = app.root.sid) => ({
    ...refer("sip:dora@sip.test"),
    replaces: { leg: leg("c"), accountSid },
  } as LegEvent);
  const refused = [{ type: "reject", status: 481, cause: "unreachable" }];

  const unknown = await callee.report(asked());
  const state = { ...elsewhere, seenAt: app.clock.now, sipUri: "sip:127.0.0.1:5;transport=ws" };
  await app.ports.companions.beat(state);
  const [step] = await callee.report(asked());
  const foreign = await callee.report(asked(`AC${"9".repeat(32)}`));
  await app.ports.companions.beat({ ...state, runId: "the next run" });
  const restarted = await callee.report(asked());
  await app.ports.companions.beat(state);
  await caller.report({ type: "ended", outcome: "completed" }, moved);
  const ended = await callee.report(asked());

  assert.ok(step?.type === "dial");
  const [invitation] = step.legs;
  assert.deepEqual([invitation?.from, invitation?.to, step.media], [
    "client:alice",
    "+15550199",
    "anchored",
  ]);
  assert.deepEqual(invitation?.target, {
    kind: "leg",
    leg: leg("c"),
    accountSid: app.root.sid,
    peer: { sipUri: state.sipUri },
  });
  assert.deepEqual([unknown, foreign, restarted, ended], [refused, refused, refused, refused]);
});

Deno.test("callParameters() carries the caller's own headers to markup and callbacks", async () => {
  using app = await startApp();
  app.answers = () => xml("<Pause/>");
  await made(app.root, "IncomingPhoneNumbers", {
    PhoneNumber: "+15551230001",
    VoiceUrl: "https://app.test/voice",
  });
  const headers = { "X-Shop": "12", "User-To-User": "56a;encoding=hex" };
  await talking(app, { to: "sip:+15551230001@sip.test", headers });

  const asked = app.fetched.find(({ url }) => url === "https://app.test/voice");
  const form = new URLSearchParams(await asked?.text());

  assert.equal(form.get("SipHeader_X-Shop"), "12");
  assert.equal(form.get("SipHeader_User-to-User"), "56a;encoding=hex");
});

Deno.test("dialCall() puts the headers of an address into the INVITE, and no others", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });

  await made(app.root, "Calls", {
    From: "+15550001",
    To: "sip:alice@sip.test?X-Order=a%20b+c&Via=x&X-Bad=a%0D%0Ab",
    Url: "https://app.test/voice",
  });
  await app.runJobs();
  const [step] = app.scripts.at(-1)?.script ?? [];

  assert.ok(step?.type === "invite");
  assert.deepEqual(step.invitation.headers, { "X-Order": "a b+c" });
});
