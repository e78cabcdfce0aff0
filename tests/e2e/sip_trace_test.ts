import assert from "node:assert/strict";
import { startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";
import { phoneSdp } from "../support/sip/softphone_incoming.ts";
import { startSystem, type System } from "../support/process/system.ts";

interface Message {
  direction: string;
  summary: string;
  text: string;
  transport: string;
}

/** Requests a file of a call; without credentials as another account. */
function fetched(system: System, sid: string, file: string, as = system): Promise<Response> {
  const path = `2012-04-24/Accounts/${system.accountSid}/Calls/${sid}/${file}`;
  const authorization = `Basic ${btoa(`${as.accountSid}:${as.authToken}`)}`;
  return fetch(`${system.baseUrl}/${path}`, { headers: { authorization } });
}

/** Resolves when a call has a status, with its trace at that moment. */
async function traceAtEnd(system: System, sid: string, status: string): Promise<Message[]> {
  await eventually(
    `the call is ${status}`,
    async () => (await system.get(`Calls/${sid}.json`)).status === status,
  );
  const { call_sid, messages } = await system.get(`Calls/${sid}/SipTrace.json`);
  assert.equal(call_sid, sid);
  return messages;
}

const place = (system: System, to: string): Promise<{ sid: string }> =>
  system.post("Calls.json", { From: "me", To: to, Url: `${system.baseUrl}/demo/welcome` });

const summaries = (messages: Message[]) => messages.map(({ summary }) => summary);

Deno.test("a call that is refused has its SIP trace once its status says so", async () => {
  await using system = await startSystem();
  const phone = await system.phone("alice");
  const traces: string[] = [];
  for (const [code, status] of [[486, "busy"], [403, "failed"]] as const) {
    const { sid } = await place(system, "client:alice");
    const incoming = await phone.nextCall();
    incoming.ring();
    incoming.decline(code);
    const messages = await traceAtEnd(system, sid, status);
    traces.push(JSON.stringify(messages));

    const [first, ...others] = summaries(messages);
    assert.equal(first, "INVITE");
    assert.ok(others.some((one) => one.startsWith("180 ")), others.join());
    assert.ok(others.some((one) => one.startsWith(`${code} `)), others.join());
    assert.equal(others.at(-1), "ACK");
    assert.equal(messages[0]!.transport, "WS");

    const ladder = await (await fetched(system, sid, "SipTrace.txt")).text();
    assert.match(ladder, new RegExp(`INVITE[^]*${code} [^]*ACK`));
    const pcap = await (await fetched(system, sid, "SipTrace.pcap")).bytes();
    assert.deepEqual([...pcap.subarray(0, 4)], [0xd4, 0xc3, 0xb2, 0xa1]);
    assert.equal((await fetched(system, sid, "SipTrace.pdf")).status, 404);
  }
  const offered = /a=ice-pwd:(?!removed)|response=\\"(?!removed)|inline:(?!removed)/;
  assert.doesNotMatch(traces.join(), offered);
  assert.match(traces.join(), /a=ice-pwd:removed/);
});

Deno.test("the trace of a dialled call shows the caller's messages too, without the proof of the password", async () => {
  await using app = startAppServer();
  await using system = await startSystem();
  app.pages.set("/voice", "<Response><Dial><Client>bob</Client></Dial></Response>");
  await system.post("IncomingPhoneNumbers.json", {
    PhoneNumber: "+14155550101",
    VoiceUrl: `${app.url}/voice`,
  });
  const [alice, bob] = [await system.phone("alice"), await system.phone("bob")];
  const call = alice.call("+14155550101", { sdp: phoneSdp });
  (await bob.nextCall()).decline(486);
  await call.final;
  const calls = await eventually("both calls have ended", async () => {
    const { calls } = await system.get("Calls.json");
    const ended = calls.filter((one: { end_time: unknown }) => one.end_time !== null);
    return ended.length === 2 ? ended : undefined;
  });
  const child = calls.find((one: { direction: string }) => one.direction === "outbound-dial");
  const { messages } = await system.get(`Calls/${child.sid}/SipTrace.json`);

  const authenticated = messages.filter(({ text }: Message) =>
    /^(?:Proxy-)?Authorization:/m.test(text)
  );
  assert.ok(authenticated.length > 0, JSON.stringify(summaries(messages)));
  for (const { text } of authenticated) {
    assert.match(text, /username="alice"/);
    assert.match(text, /response="removed"/);
    assert.doesNotMatch(text, /nonce="(?!removed)[^"]*".*response|cnonce=/);
  }
  const to = messages.filter(({ summary }: Message) => summary === "INVITE")
    .map(({ direction }: Message) => direction);
  assert.ok(to.includes("received") && to.includes("sent"), to.join());
});

Deno.test("another account cannot read the trace of a call, and a call that succeeds has none", async () => {
  await using app = startAppServer();
  await using system = await startSystem();
  const phone = await system.phone("alice");
  const { sid } = await place(system, "client:alice");
  (await phone.nextCall()).decline(486);
  await traceAtEnd(system, sid, "busy");
  const other = await system.post("../../Accounts.json", {
    FriendlyName: "other",
    EmailAddress: "other@sip.test",
    Password: "Another-Secret-1",
  });
  const stranger = { ...system, accountSid: other.sid, authToken: other.auth_token };
  const own = `${system.baseUrl}/2012-04-24/Accounts/${other.sid}/Calls/${sid}/SipTrace.json`;
  const authorization = `Basic ${btoa(`${other.sid}:${other.auth_token}`)}`;
  const asOther = await fetched(system, sid, "SipTrace.pcap", stranger);
  const under = await fetch(own, { headers: { authorization } });
  for (const one of [asOther, under]) await one.body?.cancel();

  assert.ok([401, 403].includes(asOther.status), String(asOther.status));
  assert.equal(under.status, 404);
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  const good = await system.post("Calls.json", {
    From: "me",
    To: "client:alice",
    Url: `${app.url}/voice`,
  });
  const ringing = await phone.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice");
  await dialog.bye();
  await eventually(
    "the call has ended",
    async () => (await system.get(`Calls/${good.sid}.json`)).end_time !== null,
  );
  const none = await fetched(system, good.sid, "SipTrace.json");
  await none.body?.cancel();
  assert.equal((await system.get(`Calls/${good.sid}.json`)).status, "completed");
  assert.equal(none.status, 404);
});

Deno.test("a killed companion loses the trace of its call alone", async () => {
  await using system = await startSystem();
  const phone = await system.phone("alice");
  const { sid } = await place(system, "client:alice");
  (await phone.nextCall()).ring();
  const [pid] = system.pids("sip/main.ts") as [number];
  Deno.kill(pid, "SIGKILL");
  const status = await eventually("the call has ended", async () => {
    const { status, end_time } = await system.get(`Calls/${sid}.json`);
    return end_time !== null ? String(status) : undefined;
  });
  await system.ready();
  const lost = await fetched(system, sid, "SipTrace.json");
  await lost.body?.cancel();
  const again = await system.phone("alice");
  const next = await place(system, "client:alice");
  (await again.nextCall()).decline(486);

  assert.notEqual(status, "completed");
  assert.equal(lost.status, 404);
  assert.ok((await traceAtEnd(system, next.sid, "busy")).length > 0);
});
