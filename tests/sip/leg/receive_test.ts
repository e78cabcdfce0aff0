import { version } from "../../../core/base/version.ts";
import assert from "node:assert/strict";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import type { Softphone } from "../../support/sip/softphone.ts";
import type { RequestOptions } from "../../support/sip/softphone_line.ts";
import { valueOf } from "../../support/sip/sip_text.ts";

const allowed =
  "INVITE, ACK, CANCEL, BYE, OPTIONS, REGISTER, INFO, UPDATE, PRACK, REFER, NOTIFY, MESSAGE";

sipTest("receive() answers OPTIONS with what the companion can do", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.request("OPTIONS");

  assert.equal(response.status, 200);
  assert.equal(valueOf(response, "allow"), allowed);
  assert.equal(valueOf(response, "accept"), "application/sdp, text/plain");
  const options = "outbound, path, 100rel, timer, replaces, norefersub";
  assert.equal(valueOf(response, "supported"), options);
  assert.equal(valueOf(response, "user-agent"), `Switchboard/${version}`);
  assert.match(valueOf(response, "via"), /;rport=\d+;received=127\.0\.0\.1$/);
});

const refusals: [why: string, method: string, options: RequestOptions, status: number][] = [
  ["a message without text", "MESSAGE", { headers: ["Content-Type: text/plain"] }, 400],
  ["a message that is no text", "MESSAGE", { sdp: "v=0" }, 415],
  ["a message in a charset that is not known", "MESSAGE", {
    body: { type: "text/plain; charset=klingon", content: "hello" },
  }, 415],
  ["a message of nobody in another charset", "MESSAGE", {
    body: { type: "text/plain; charset=iso-8859-1", content: "hello" },
  }, 407],
  ["a compressed message", "MESSAGE", {
    body: { type: "text/plain", content: "hello" },
    headers: ["Content-Encoding: gzip"],
  }, 415],
  ["a message longer than a Message may be", "MESSAGE", {
    body: { type: "text/plain;charset=utf-8", content: "😀".repeat(161) },
  }, 413],
  ["a message without hops left", "MESSAGE", { replace: { "max-forwards": "0" } }, 483],
  ["a message in a call", "MESSAGE", { replace: { to: "<sip:x@sip.test>;tag=any" } }, 403],
  ["a message of nobody known yet", "MESSAGE", {
    body: { type: "text/plain", content: "😀".repeat(160) },
  }, 407],
  ["a method without a place here", "PUBLISH", {}, 405],
  ["a subscription", "SUBSCRIBE", { headers: ["Event: presence"] }, 405],
  ["a method nobody knows", "JUGGLE", {}, 501],
  ["a BYE of no dialog", "BYE", { replace: { to: "<sip:x@sip.test>;tag=none" } }, 481],
  ["an INFO outside a dialog", "INFO", {}, 481],
  ["a PRACK outside a dialog", "PRACK", { headers: ["RAck: 1 1 INVITE"] }, 481],
  ["a NOTIFY nobody asked for", "NOTIFY", { headers: ["Event: refer"] }, 481],
  ["a REFER outside a call", "REFER", { headers: ["Refer-To: <sip:bob@sip.test>"] }, 403],
  ["a session too short", "INVITE", { headers: ["Session-Expires: 60", "Supported: timer"] }, 422],
  ["a CANCEL of no transaction", "CANCEL", {}, 481],
  ["an UPDATE of no dialog", "UPDATE", { replace: { to: "<sip:x@sip.test>;tag=none" } }, 481],
  ["a malformed CSeq", "OPTIONS", { headers: ["Max-Forwards: many"] }, 400],
  ["two From", "OPTIONS", { headers: ["From: <sip:b@sip.test>;tag=2"] }, 400],
  ["a From without tag", "OPTIONS", { replace: { from: "<sip:alice@sip.test>" } }, 400],
  ["a wrong Content-Length", "OPTIONS", { headers: ["Content-Length: 99"] }, 400],
  ["a call without hops left", "INVITE", { replace: { "max-forwards": "0" } }, 483],
  ["a call to nowhere known", "INVITE", { target: "http://sip.test/" }, 416],
  ["a very long Request-URI", "INVITE", { target: `sip:${"x".repeat(512)}@sip.test` }, 414],
  [
    "an unreadable SIP URI",
    "INVITE",
    { target: "sip:@x", replace: { to: "<sip:x@sip.test>" } },
    400,
  ],
  ["a call without one Contact", "INVITE", { headers: ["Contact: *"] }, 400],
];

for (const [why, method, options, status] of refusals) {
  sipTest(`receive() answers ${status} to ${why}`, async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("alice", { register: false });

    const response = await phone.request(method, options);

    assert.equal(response.status, status);
    assert.equal(valueOf(response, "allow"), status === 405 || status === 501 ? allowed : "");
  });
}

sipTest("receive() answers 420 and names the options it does not have", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.request("OPTIONS", { headers: ["Require: outbound, teleport"] });

  assert.equal(response.status, 420);
  assert.equal(valueOf(response, "unsupported"), "teleport");
});

const raw = (phone: Softphone, change: (text: string) => string) => {
  phone.send(change(
    [
      "OPTIONS sip:sip.test SIP/2.0",
      "Via: SIP/2.0/WS phone.invalid;branch=z9hG4bKraw",
      "From: <sip:alice@sip.test>;tag=raw",
      "To: <sip:sip.test>",
      "Call-ID: raw",
      "CSeq: 7 OPTIONS",
      "",
      "",
    ].join("\r\n"),
  ));
  return phone.nextMessage();
};

sipTest("receive() answers 505 to another version of SIP", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const response = await raw(phone, (text) => text.replace("SIP/2.0\r\nVia", "SIP/7.0\r\nVia"));

  assert.equal(response.status, 505);
});

sipTest("receive() answers 400 when a method and its CSeq differ", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  phone.send("garbage\r\n\r\n");
  phone.send("OPTIONS sip:sip.test SIP/2.0\r\nFrom: only\r\n\r\n");
  const response = await raw(phone, (text) => text.replace("7 OPTIONS", "7 INVITE"));

  assert.equal(response.status, 400);
});

sipTest("receive() lets no Client end the call of another one", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  const mallory = await lab.phone("carol");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const call = alice.call("anything");
  const dialog = await call.answered;
  const [local, remote] = await Promise.all([call.final, call.final]).then(([final]) => [
    valueOf(final, "from"),
    valueOf(final, "to"),
  ]);

  const stolen = await mallory.request("BYE", {
    replace: { "call-id": dialog.callId, "from": local, "to": remote, "cseq": "9 BYE" },
  });
  const own = await dialog.bye();

  assert.deepEqual([stolen.status, own.status], [481, 200]);
});

sipTest("receive() answers in-dialog requests as RFC 3261 asks", async () => {
  await using lab = await startSipLab();
  const alice = await lab.phone("alice");
  lab.service.answer = () => [{ type: "answer" }, { type: "silence", seconds: 60 }];
  const dialog = await alice.call("anything").answered;
  const sdp = "v=0\r\ns=again\r\n";

  const reinvite = await dialog.request("INVITE", { sdp });
  const empty = await dialog.request("INVITE");
  const update = await dialog.request("UPDATE", { sdp });
  const refresh = await dialog.request("UPDATE");
  const info = await dialog.request("INFO");
  const refer = await dialog.request("REFER", { headers: ["Refer-To: <sip:x@sip.test>"] });
  const foreign = await dialog.request("INVITE", { sdp: "v=0\r\nm=audio 9 RTP/AVP 99\r\n" });
  const options = await dialog.request("OPTIONS");
  const bye = await dialog.bye();

  const ours = lab.media.legs[0]?.localSdp;
  assert.deepEqual([reinvite.body, update.body], [ours, ours]);
  assert.match(empty.body, /^m=audio .*^a=sendrecv\r$/ms); // An offer for what they have now.
  const statuses = [reinvite, empty, update, refresh, info, refer, foreign, options, bye];
  assert.deepEqual(statuses.map(({ status }) => status), [
    200,
    200,
    200,
    200,
    200,
    403,
    488,
    200,
    200,
  ]);
});
