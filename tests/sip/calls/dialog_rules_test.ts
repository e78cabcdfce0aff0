import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import {
  call,
  domain,
  type Parts,
  registered,
  request,
  sdp,
  uri,
} from "../../support/sip/phone_text.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { invite } from "../../support/sip/sip_lab.ts";
import { readSip, type SipText, valueOf, valuesOf, writeSip } from "../../support/sip/sip_text.ts";

/** Alice in a call that was answered and acknowledged. */
async function inCall(parts: Parts = {}) {
  const lab = openReceiveLab(domain);
  lab.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "answer" }, { type: "silence", seconds: 3_600 }] : [];
  const alice = await registered(lab);
  alice.receive(call(lab, { callId: "rules", ...parts }));
  await lab.time.settle();
  const answer = readSip(alice.sent.at(-1) ?? "");
  assert.equal(answer.status, 200);
  const inside = (cseq: number, more: Parts = {}): Parts => ({
    callId: "rules",
    from: valueOf(answer, "from"),
    to: valueOf(answer, "to"),
    cseq,
    ...more,
  });
  alice.receive(request("ACK", uri, inside(1)));
  return { lab, alice, answer, inside, [Symbol.dispose]: () => lab[Symbol.dispose]() };
}

Deno.test("createInboundLeg() goes back by the proxies that stay on the route of a call", async () => {
  const proxies = ["<sip:outer.test;lr>", "<sip:inner.test;lr;ftag=1>"];
  using one = await inCall({ headers: [`Record-Route: ${proxies.join(", ")}`] });
  const { lab, alice, answer } = one;
  const [unsettled] = lab.calls.unsettled();

  lab.calls.find(unsettled!.id)!.dismiss({ cause: "request" });
  await lab.time.settle();
  const bye = readSip(alice.sent.at(-1) ?? "");

  assert.deepEqual(valuesOf(answer, "record-route"), proxies);
  assert.equal(bye.method, "BYE");
  assert.deepEqual(valuesOf(bye, "route"), proxies);
});

Deno.test("receive() answers 500 to a request that comes after a later one of its dialog", async () => {
  using one = await inCall();
  const { lab, alice, inside } = one;

  for (const cseq of [9, 8, 10]) {
    alice.receive(request("INFO", uri, inside(cseq)));
    await lab.time.settle();
  }

  assert.deepEqual(alice.statuses().slice(-3), [200, 500, 200]);
});

Deno.test("answerUpdate() answers 500 to an offer while the one before it is open", async () => {
  using one = await inCall();
  const { lab, alice, inside } = one;

  alice.receive(request("UPDATE", uri, inside(2, { body: sdp })));
  alice.receive(request("UPDATE", uri, inside(3, { body: sdp })));
  const refused = readSip(alice.sent.at(-1) ?? "");
  await lab.time.settle();
  alice.receive(request("UPDATE", uri, inside(4, { body: sdp })));
  await lab.time.settle();

  assert.equal(refused.status, 500);
  assert.match(valueOf(refused, "retry-after"), /^(\d|10)$/);
  assert.deepEqual(alice.statuses().slice(-3), [500, 200, 200]);
});

Deno.test("receive() discards a response that another hop should have had", async () => {
  using lab = openReceiveLab(domain);
  const bob = await registered(lab, "bob");
  lab.calls.place(invite("bob"), { timeoutS: 20 });
  await lab.time.settle();
  const invitation = readSip(bob.sent.at(-1) ?? "");
  const answer = (vias: string[]) =>
    writeSip("SIP/2.0 200 OK", [
      ...vias.map((via) => `Via: ${via}`),
      `From: ${valueOf(invitation, "from")}`,
      `To: ${valueOf(invitation, "to")};tag=bob`,
      `Call-ID: ${valueOf(invitation, "call-id")}`,
      `CSeq: ${valueOf(invitation, "cseq")}`,
      "Contact: <sip:bob@phone.invalid>",
    ], sdp);
  const ours = valueOf(invitation, "via");

  bob.receive(answer([ours, "SIP/2.0/UDP other.test;branch=z9hG4bKother"]));
  await lab.time.settle();
  const before = bob.sent.at(-1);
  bob.receive(answer([ours]));
  await lab.time.settle();

  assert.match(before ?? "", /^INVITE /);
  assert.match(bob.sent.at(-1) ?? "", /^ACK /);
});

Deno.test("refuseAtOnce() answers 415 to a call whose offer is encrypted by S/MIME", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);
  const secret = call(lab).replace(
    "application/sdp",
    "application/pkcs7-mime;smime-type=enveloped-data",
  );

  alice.receive(secret);
  await lab.time.settle();
  const refused = readSip(alice.sent.at(-1) ?? "");

  assert.deepEqual([refused.status, valueOf(refused, "accept")], [415, "application/sdp"]);
});

Deno.test("receive() takes the offer of a call that is signed by S/MIME, and not the signature", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "answer" }];
  const alice = await registered(lab);
  const part = (type: string, content: string) =>
    `--b\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
  const body = `${part("application/sdp", sdp)}${
    part("application/pkcs7-signature", "MIIB")
  }--b--\r\n`;
  const signed = call(lab, { body }).replace(
    "Content-Type: application/sdp",
    'Content-Type: multipart/signed;protocol="application/pkcs7-signature";micalg=sha-256;boundary=b',
  );

  alice.receive(signed);
  await lab.time.settle();

  assert.equal(alice.statuses().at(-1), 200);
  assert.equal(lab.reports.filter(({ event }) => event.type === "incoming").length, 1);
});

Deno.test("refuseOffer() answers 415 to an offer that is compressed", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);

  alice.receive(call(lab, { headers: ["Content-Encoding: gzip"] }));
  const refused = readSip(alice.sent.at(-1) ?? "");
  alice.receive(call(lab, { headers: ["Content-Encoding: identity"] }));
  await lab.time.settle();

  assert.deepEqual([refused.status, valueOf(refused, "accept-encoding")], [415, "identity"]);
  assert.deepEqual(lab.reports.map(({ event }) => event.type).slice(0, 1), ["incoming"]);
});

for (const method of ["INVITE", "UPDATE"]) {
  Deno.test(`refuseOffer() answers 415 to an offer in a dialog that is no SDP, by ${method}`, async () => {
    using one = await inCall();
    const { lab, alice, inside } = one;
    const text = request(method, uri, inside(2, { body: "hello" }))
      .replace("application/sdp", "text/plain");

    alice.receive(text);
    const refused = readSip(alice.sent.at(-1) ?? "");
    alice.receive(request(method, uri, inside(3, { body: sdp })));
    await lab.time.settle();

    assert.deepEqual([refused.status, valueOf(refused, "accept")], [415, "application/sdp"]);
    assert.equal(alice.statuses().at(-1), 200);
  });
}

Deno.test("createInboundLeg() ends an INVITE that has expired, and whom it rings", async () => {
  using lab = openReceiveLab(domain);
  const dial: Script = [
    { type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 60, timeLimitS: 60 },
  ];
  lab.answer = ({ event }) => event.type === "incoming" ? dial : [];
  const [alice, bob] = [await registered(lab), await registered(lab, "bob")];

  alice.receive(call(lab, { headers: ["Expires: 20"] }));
  await lab.time.settle();
  const invitation = readSip(bob.sent.at(-1) ?? "");
  bob.receive(responseTo(invitation, "180 Ringing"));
  lab.time.advance(19_000);
  await lab.time.settle();
  const before = alice.statuses().at(-1);
  lab.time.advance(1_000);
  await lab.time.settle();

  assert.equal(before, 180);
  assert.equal(alice.statuses().at(-1), 487);
  assert.match(bob.sent.at(-1) ?? "", /^CANCEL /);
});

Deno.test("createInboundLeg() lets a call go on beyond when its INVITE would have expired", async () => {
  using one = await inCall({ headers: ["Expires: 2"] });
  const { lab, alice } = one;

  lab.time.advance(3_000);
  await lab.time.settle();

  assert.equal(alice.statuses().at(-1), 200);
  assert.equal(lab.calls.unsettled().length, 1);
});

Deno.test("createSessionTimer() ends a call of a phone on UDP that is gone and knows no timers", async () => {
  using one = await inCall();
  const { lab, alice, answer, inside } = one;
  Object.assign(alice.flow.transport, { protocol: "UDP" });

  alice.receive(request("UPDATE", uri, inside(2)));
  await lab.time.settle();
  lab.time.advance(900_000);
  await lab.time.settle();
  const refresh = readSip(alice.sent.at(-1) ?? "");
  lab.time.advance(32_000);
  await lab.time.settle();

  assert.deepEqual([refresh.method, refresh.body], ["INVITE", answer.body]);
  assert.equal(valueOf(refresh, "session-expires"), "1800;refresher=uac");
  assert.deepEqual(lab.reports.at(-1)?.event, {
    type: "ended",
    outcome: "completed",
    disconnection: { by: "service", cause: "connection-lost" },
  });
});

/** What bob says to an INVITE. */
function responseTo(invitation: SipText, status: string): string {
  const copied = ["Via", "From", "Call-ID", "CSeq"]
    .map((name) => `${name}: ${valueOf(invitation, name.toLowerCase())}`);
  return writeSip(`SIP/2.0 ${status}`, [
    ...copied,
    `To: ${valueOf(invitation, "to")};tag=bob`,
    "Contact: <sip:bob@phone.invalid>",
  ]);
}
