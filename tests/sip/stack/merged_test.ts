import assert from "node:assert/strict";
import { call, domain, registered, request, uri } from "../../support/sip/phone_text.ts";
import { type Connection, openReceiveLab } from "../../support/service/receive_lab.ts";
import { readSip, valueOf } from "../../support/sip/sip_text.ts";

/** What was answered; who has to wait may be told so first. */
const finals = (connection: Connection) => connection.statuses().filter((status) => status >= 200);

const via = (text: string, branch: string) => text.replace(/branch=\S+/, `branch=${branch}`);

Deno.test("receive() refuses with 482 an INVITE that a proxy forked to two of our addresses", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "answer" }, { type: "silence", seconds: 5 }];
  const one = await registered(lab);
  const other = lab.connect("192.0.2.2");
  const invite = call(lab, { callId: "forked", branch: "z9hG4bKone" });

  one.receive(invite);
  other.receive(via(invite, "z9hG4bKother"));
  one.receive(via(invite, "z9hG4bKthird"));
  await lab.time.settle();
  other.receive(via(invite, "z9hG4bKlate"));

  assert.deepEqual(other.statuses(), [482, 482]);
  assert.match(valueOf(readSip(other.sent[0] ?? ""), "via"), /z9hG4bKother/);
  assert.deepEqual(finals(one), [200, 482, 200]);
  assert.equal(lab.reports.filter(({ event }) => event.type === "incoming").length, 1);
});

Deno.test("receive() takes an INVITE by another way after it refused the first", async () => {
  using lab = openReceiveLab(domain);
  let busy = true;
  lab.answer = () => busy ? [{ type: "reject", status: 486 }] : [{ type: "answer" }];
  const alice = await registered(lab);
  const first = call(lab, { callId: "again", branch: "z9hG4bKone" });
  const second = call(lab, { callId: "again", branch: "z9hG4bKother" });
  const from = valueOf(readSip(first), "from");

  alice.receive(first);
  await lab.time.settle();
  busy = false;
  alice.receive(second.replace(/From: .*/, `From: ${from}`));
  await lab.time.settle();

  assert.deepEqual(finals(alice), [200, 486, 200]);
});

Deno.test("receive() leaves an INVITE unanswered that is repeated by another connection", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "answer" }, { type: "silence", seconds: 5 }];
  const before = await registered(lab);
  const after = lab.connect();
  const invite = call(lab);

  before.receive(invite);
  after.receive(invite);
  await lab.time.settle();

  assert.deepEqual(finals(before), [200, 200]);
  assert.deepEqual(after.statuses(), []);
});

Deno.test("receive() refuses with 482 a MESSAGE that is being taken already", async () => {
  using lab = openReceiveLab(domain);
  const connection = await registered(lab);
  const target = `sip:bob@${domain}`;
  const proof = lab.proof("Proxy-Authorization", {
    login: "alice",
    method: "MESSAGE",
    uri: target,
  });
  const text = request("MESSAGE", target, {
    branch: "z9hG4bKone",
    headers: [proof, "Content-Type: text/plain"],
    body: "hello",
  });

  connection.receive(text.replace("Content-Type: application/sdp\r\n", ""));
  connection.receive(via(text.replace("Content-Type: application/sdp\r\n", ""), "z9hG4bKother"));
  await lab.time.settle();

  assert.deepEqual(connection.statuses(), [200, 482, 202]);
});

Deno.test("receive() takes the second call of a softphone that counts on in one Call-ID", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "silence", seconds: 5 }];
  const alice = await registered(lab);
  const first = call(lab, { callId: "counts", cseq: 1 });
  const from = valueOf(readSip(first), "from");

  alice.receive(first);
  alice.receive(call(lab, { callId: "counts", cseq: 2, from }));
  alice.receive(request("OPTIONS", uri, { callId: "counts", cseq: 1, from }));
  await lab.time.settle();

  assert.deepEqual(finals(alice), [200, 200]); // The calls wait.
  assert.equal(lab.reports.filter(({ event }) => event.type === "incoming").length, 2);
});

for (
  const [by, addresses, left] of [
    ["the host of its INVITE alone", ["192.0.2.1"], 1],
    ["any address of its Gateway", ["192.0.2.1", "192.0.2.9"], 0],
  ] as const
) {
  Deno.test(`receive() takes the ACK to a refusal from ${by}`, async () => {
    using lab = openReceiveLab(domain);
    const owns = (host: string) => addresses.some((address) => address === host);
    const trunk = { addresses, owns, reach: () => Promise.reject(new Error("not asked for")) };
    const gateway = { gatewaySid: "GW1", accountSid: "AC1" };
    let isTrunk = false; // The caller is a Client until its call is refused.
    lab.signalling.sources = {
      knows: () => true,
      of: () => isTrunk ? { gateway, trunk } : undefined,
    };
    lab.answer = () => [{ type: "reject", status: 486 }];
    const alice = await registered(lab);
    const invite = call(lab, { callId: "refused", branch: "z9hG4bKrefused" });
    alice.receive(invite);
    await lab.time.settle();
    isTrunk = true;
    const refused = readSip(alice.sent.at(-1) ?? "");
    const ack = request("ACK", `sip:bob@${domain}`, {
      callId: "refused",
      branch: "z9hG4bKrefused",
      from: valueOf(refused, "from"),
      to: valueOf(refused, "to"),
    });
    const open = () => lab.kept()["serverTransactions"];

    const before = open();
    lab.connect("192.0.2.9").receive(ack);
    await lab.time.settle();
    const byAnother = open();
    lab.connect().receive(ack);
    await lab.time.settle();

    assert.equal(refused.status, 486);
    assert.deepEqual([before, byAnother, open()], [1, left, 0]);
  });
}
