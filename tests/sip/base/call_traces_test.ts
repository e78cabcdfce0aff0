import assert from "node:assert/strict";
import { traceLimits } from "../../../core/protocol/traces.ts";
import { createCallTraces } from "../../../sip/base/call_traces.ts";
import { createFlow } from "../../../sip/base/flow.ts";
import { withoutSecrets } from "../../../sip/base/without_secrets.ts";

const flow = createFlow({
  protocol: "UDP",
  remote: { host: "192.0.2.7", port: 5062 },
  local: { sentBy: "192.0.2.1:5060", contact: "sip:us@192.0.2.1" },
  closed: false,
  send: () => Promise.resolve(),
  close() {},
});

const message = (callId: string, { first = "INVITE sip:bob@sip.test", more = "" } = {}) => ({
  flow,
  callId,
  text: `${first} SIP/2.0\r\nCall-ID: ${callId}\r\n${more}\r\n`,
});

Deno.test("a trace holds the last messages of a call, in bounds of messages and bytes", () => {
  const traces = createCallTraces();
  traces.begin({ id: "CA1", sipCallId: "one" });
  for (let n = 0; n < traceLimits.messages + 9; n++) {
    traces.keep("sent", message("one", { more: `CSeq: ${n} INVITE\r\n` }));
  }
  const many = traces.read("CA1")!;
  for (let n = 0; n < 50; n++) {
    traces.keep("received", message("one", { more: `X-Long: ${"x".repeat(20_000)}\r\n` }));
  }
  const long = traces.read("CA1")!;

  assert.deepEqual([many.messages.length, many.dropped], [traceLimits.messages, 9]);
  assert.match(many.messages[0]!.text, /CSeq: 9 INVITE/);
  assert.equal(long.messages.length, traceLimits.bytes / traceLimits.messageBytes);
  assert.ok(traces.size.bytes <= traceLimits.bytes);
  traces.end("CA1");
  assert.deepEqual(traces.size, { bytes: 0, calls: 0 });
});

Deno.test("a message that is cut off shows no password, nor a part of one", () => {
  const traces = createCallTraces();
  const address = "<sip:bob:S3CRETS3CRETS3CRETS3CRETS3CRET@sip.test>";
  const before = "INVITE sip:bob@sip.test SIP/2.0\r\nX-Fill: \r\nContact: ".length;
  const texts = Array.from({ length: address.length }, (_, within) => {
    const fill = "x".repeat(traceLimits.messageBytes - before - within);
    const contact = `Contact: ${address}\r\nX-More: ${"y".repeat(20_000)}\r\n\r\n`;
    return `INVITE sip:bob@sip.test SIP/2.0\r\nX-Fill: ${fill}\r\n${contact}`;
  });
  for (const text of texts) {
    traces.begin({ id: "CA1", sipCallId: "one" });
    traces.keep("received", { flow, callId: "one", text });
    const [shown] = traces.read("CA1")!.messages;
    assert.ok(shown!.text.length <= traceLimits.messageBytes);
    assert.doesNotMatch(shown!.text, /S3/);
    traces.end("CA1");
  }
});

Deno.test("INVITEs without a leg are the first to make room, and never take more than their bound", () => {
  const traces = createCallTraces({ bounds: { bytes: 10_000, calls: 100, unowned: 20 } });
  traces.begin({ id: "CA1", sipCallId: "live" });
  traces.keep("received", message("live"));
  for (let n = 0; n < 5_000; n++) traces.keep("received", message(`flood-${n}`));

  assert.equal(traces.size.calls, 21);
  assert.equal(traces.read("CA1")!.messages.length, 1);
  for (let n = 0; n < 500; n++) {
    traces.begin({ id: `CB${n}`, sipCallId: `call-${n}` });
    traces.keep("sent", message(`call-${n}`, { more: "X-Some: text of a header\r\n" }));
  }
  assert.ok(traces.size.bytes <= 10_000 && traces.size.calls <= 100);
  assert.equal(traces.read("CB499")!.messages.length, 1);
});

Deno.test("a trace has the messages of a call's parent too, until both have ended", () => {
  const traces = createCallTraces();
  traces.keep("received", message("caller"));
  traces.begin({ id: "CA1", sipCallId: "caller" });
  traces.begin({ id: "CA2", sipCallId: "callee", parent: "CA1" });
  traces.keep("sent", message("callee"));
  traces.keep("received", message("unknown", { first: "BYE sip:us@192.0.2.1" }));
  traces.end("CA1");

  const { messages } = traces.read("CA2")!;
  assert.deepEqual(messages.map(({ direction }) => direction), ["received", "sent"]);
  assert.deepEqual(messages[0]!.local, { host: "192.0.2.1", port: 5060 });
  traces.end("CA2");
  assert.deepEqual(traces.size, { bytes: 0, calls: 0 });
});

Deno.test("withoutSecrets() removes credentials, passwords and keys, and keeps what is left readable", () => {
  const sdp = [
    "v=0",
    "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:S3CRETKEYS3CRETKEYS3CRETKEYS3CRETKEY",
    "a=ice-ufrag:frag",
    "a=ice-pwd:S3CRETice",
    "k=clear:S3CRETk",
    "m=audio 4000 RTP/SAVP 0",
    "",
  ].join("\r\n");
  const text = [
    "INVITE sip:bob:S3CRETuri@sip.test SIP/2.0",
    'To: "sip:" <SIPS:bob;day=monday:S3CRET:uri@sip.test>, sip:eve:S3CRET%40@sip.test:5060',
    "Contact: <sip:carol@sip.test:5060;line=a:b>",
    'Authorization: Digest username="alice", realm="sip.test",',
    ' nonce="S3CRETn", response="S3CRETr", cnonce="S3CRETc", opaque="S3CREto"',
    "proxy-authorization : Bearer S3CRETb",
    'Authentication-Info: rspauth="S3CRETa"',
    "Switchboard-Peer: S3CRETp",
    "CSeq: 2 INVITE",
    "c: application/sdp",
    `l: ${sdp.length}`,
    "",
    sdp,
  ].join("\r\n");

  const open = withoutSecrets(text);

  assert.doesNotMatch(open, /S3CRET/i);
  assert.match(open, /Digest username="alice", realm="sip\.test", response="removed"\r\n/);
  assert.match(open, /To: "sip:" <SIPS:bob;day=monday:removed@sip\.test>, sip:eve:removed@sip/);
  assert.match(open, /Contact: <sip:carol@sip\.test:5060;line=a:b>\r\n/);
  assert.match(open, /CSeq: 2 INVITE\r\n/);
  assert.match(open, /a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:removed\r\na=ice-ufrag:frag\r\n/);
  const [head = "", body = ""] = open.split("\r\n\r\n");
  assert.match(head, new RegExp(`\r\nl: ${body.length}$`));
});

Deno.test("withoutSecrets() removes bodies that may hold digits or texts of a person", () => {
  const digits = "INFO sip:us@192.0.2.1 SIP/2.0\r\nContent-Type: application/dtmf-relay\r\n" +
    "Content-Length: 10\r\n\r\nSignal=5\r\n";
  assert.equal(
    withoutSecrets(digits),
    "INFO sip:us@192.0.2.1 SIP/2.0\r\nContent-Type: application/dtmf-relay\r\n" +
      "Content-Length: 0\r\n\r\n",
  );
});
