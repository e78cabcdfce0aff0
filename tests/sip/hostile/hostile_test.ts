import assert from "node:assert/strict";
import { call, domain, registered, request, sdp, uri } from "../../support/sip/phone_text.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { invite } from "../../support/sip/sip_lab.ts";
import { readSip, valueOf, writeSip } from "../../support/sip/sip_text.ts";

Deno.test("receive() keeps no state of INVITEs of unauthenticated sources", async () => {
  using lab = openReceiveLab(domain);
  const connection = lab.connect();

  for (let i = 0; i < 1_000; i++) connection.receive(request("INVITE", `sip:bob@${domain}`));
  const invite = request("INVITE", `sip:bob@${domain}`, { branch: "z9hG4bKlast" });
  connection.receive(invite);
  await lab.time.settle();
  connection.receive(invite.replaceAll("INVITE", "ACK").replace(/To: (.*)/, "To: $1;tag=x"));

  assert.equal(connection.statuses().filter((status) => status === 407).length, 1_001);
  assert.equal(lab.kept().serverTransactions, 0);
  assert.equal(lab.kept().timers, 0);
});

Deno.test("receive() keeps nothing of a call that is cancelled while its caller is looked up", async () => {
  using lab = openReceiveLab(domain);
  const answerLookups = lab.holdLookups();
  const connection = lab.connect();
  const invite = call(lab);

  connection.receive(invite);
  connection.receive(
    invite.replaceAll("INVITE", "CANCEL").replace(/Content-(Type|Length).*\r\n/g, "")
      .replace(sdp, ""),
  );
  answerLookups();
  await lab.time.settle();

  assert.deepEqual(connection.statuses(), [200, 487]);
  assert.equal(lab.kept().serverTransactions, 0);
});

Deno.test("receive() refuses a re-INVITE before the ACK, whose 200 would repeat for ever", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "answer" }, { type: "silence", seconds: 5 }];
  const alice = await registered(lab);
  alice.receive(call(lab, { callId: "early" }));
  await lab.time.settle();
  const answer = readSip(alice.sent.at(-1) ?? "");
  assert.equal(answer.status, 200);

  alice.receive(request("INVITE", uri, {
    callId: "early",
    from: valueOf(answer, "from"),
    to: valueOf(answer, "to"),
    cseq: 2,
    body: sdp,
  }));
  const refused = readSip(alice.sent.at(-1) ?? "");
  for (let minutes = 0; minutes < 5; minutes++) {
    lab.time.advance(60_000);
    await lab.time.settle();
  }
  const before = alice.sent.length;
  lab.time.advance(600_000);

  assert.equal(refused.status, 500);
  assert.equal(valueOf(refused, "retry-after"), "10");
  assert.equal(alice.sent.length, before);
});

Deno.test("receive() takes an answer whose body has no type for one without a body", async () => {
  using lab = openReceiveLab(domain);
  const bob = await registered(lab, "bob");
  lab.calls.place(invite("bob"), { timeoutS: 20 });
  await lab.time.settle();
  const invitation = readSip(bob.sent.at(-1) ?? "");

  bob.receive(
    writeSip("SIP/2.0 200 OK", [
      `Via: ${valueOf(invitation, "via")}`,
      `From: ${valueOf(invitation, "from")}`,
      `To: ${valueOf(invitation, "to")};tag=bob`,
      `Call-ID: ${valueOf(invitation, "call-id")}`,
      `CSeq: ${valueOf(invitation, "cseq")}`,
      "Contact: <sip:bob@phone.invalid>",
    ], sdp).replace("Content-Type: application/sdp\r\n", ""),
  );
  await lab.time.settle();

  const [ack] = bob.sent.slice(-1);
  assert.match(ack ?? "", /^ACK /);
  assert.deepEqual(lab.logged, []);
});

Deno.test("receive() tells apart requests whose branch is the bare cookie", async () => {
  using lab = openReceiveLab(domain);
  const connection = lab.connect();

  for (const login of ["alice", "bob"]) {
    connection.receive(request("REGISTER", uri, { login, branch: "z9hG4bK" }));
  }
  await lab.time.settle();

  const asked = connection.sent.map((text) => valueOf(readSip(text), "to").split(";")[0]);
  assert.deepEqual(asked, [`<sip:alice@${domain}>`, `<sip:bob@${domain}>`]);
});

Deno.test("receive() forgets the transaction of a call as soon as it is over", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "answer" }, { type: "silence", seconds: 5 }];
  const alice = await registered(lab);
  alice.receive(call(lab, { callId: "short" }));
  await lab.time.settle();
  const answer = readSip(alice.sent.at(-1) ?? "");
  const inside = {
    callId: "short",
    from: valueOf(answer, "from"),
    to: valueOf(answer, "to"),
    cseq: 1,
  };

  alice.receive(request("ACK", uri, inside));
  await lab.time.settle();
  const during = lab.kept().serverTransactions;
  alice.receive(request("BYE", uri, { ...inside, cseq: 2 }));
  await lab.time.settle();
  lab.time.advance(1);

  assert.equal(readSip(alice.sent.at(-1) ?? "").status, 200);
  assert.equal(during, 1);
  assert.equal(lab.kept().serverTransactions, 0);
  assert.equal(lab.kept().coreDialogs, 0);
});
