import assert from "node:assert/strict";
import { readCpim, readImdn, writeCpim, writeImdn } from "../../../sip/text/cpim.ts";

const at = Date.UTC(2026, 0, 2);

Deno.test("readCpim() reads what writeCpim() writes, with blank lines in the text", () => {
  const body = "grüße\r\n\r\nagain";
  const text = writeCpim({
    from: "sip:alice@sip.test",
    to: "sip:bob@sip.test",
    at,
    messageId: "one",
    wants: ["display"],
    entity: ["Content-Type: text/plain;charset=UTF-8"],
    body,
  });

  assert.deepEqual(readCpim(text), {
    messageId: "one",
    wants: ["display"],
    contentType: "text/plain;charset=UTF-8",
    encoding: undefined,
    body,
  });
  assert.match(text, /^From: <sip:alice@sip\.test>\r\n/);
  assert.match(text, /^DateTime: 2026-01-02T00:00:00\.000Z\r$/m);
});

Deno.test("readCpim() reads the example of RFC 5438 §6.3, and another prefix", () => {
  const example = (prefix: string) =>
    [
      "From: Alice <im:alice@example.com>",
      "To: Bob <im:bob@example.com>",
      `NS: ${prefix} <urn:ietf:params:imdn>`,
      `${prefix}.Message-ID: 34jk324j`,
      "DateTime: 2006-04-04T12:16:49-05:00",
      `${prefix}.Disposition-Notification: positive-delivery, Negative-Delivery;x=y`,
      "",
      "Content-type: text/plain",
      "Content-length: 12",
      "Content-Transfer-Encoding: base64",
      "",
      "Hello World",
    ].join("\n");

  for (const prefix of ["imdn", "n"]) {
    assert.deepEqual(readCpim(example(prefix)), {
      messageId: "34jk324j",
      wants: ["positive-delivery", "negative-delivery"],
      contentType: "text/plain",
      encoding: "base64",
      body: "Hello World",
    });
  }
});

Deno.test("readCpim() gives nothing for a message without its blank lines or with no header", () => {
  for (
    const text of ["", "hello", "From: <im:a@b>\r\n\r\nhello", "no header\r\n\r\n\r\n\r\nhello"]
  ) {
    assert.equal(readCpim(text), undefined, text);
  }
});

Deno.test("readCpim() gives nothing for more than 100 headers of a message or its entity", () => {
  const withHeaders = (own: number, entity: number) =>
    `${"A: b\r\n".repeat(own)}\r\n${"Content-Type: text/plain\r\n".repeat(entity)}\r\nhello`;

  assert.equal(readCpim(withHeaders(100, 100))?.body, "hello");
  assert.equal(readCpim(withHeaders(101, 1)), undefined);
  assert.equal(readCpim(withHeaders(1, 101)), undefined);
});

Deno.test("readImdn() reads what writeImdn() writes, and the XML of others", () => {
  for (const status of ["processed", "delivered", "failed", "displayed"]) {
    const written = writeImdn({ messageId: "a<b>&c", status, at, reason: "no <way> & out" });
    assert.deepEqual(readImdn(written), { messageId: "a<b>&c", status });
    assert.match(written, /no &lt;way&gt; &amp; out/);
  }
  const other = `<?xml version="1.0"?>
    <i:imdn xmlns:i="urn:ietf:params:imdn"><i:message-id>34jk324j</i:message-id>
    <i:display-notification><i:status>
      <i:displayed/></i:status></i:display-notification></i:imdn>`;
  assert.deepEqual(readImdn(other), { messageId: "34jk324j", status: "displayed" });
  for (
    const bad of ["", "<imdn/>", "<message-id>x</message-id>", "<status><delivered/></status>"]
  ) {
    assert.equal(readImdn(bad), undefined, bad);
  }
});
