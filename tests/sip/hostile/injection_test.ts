import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { call, domain, registered } from "../../support/sip/phone_text.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";
import { invite } from "../../support/sip/sip_lab.ts";
import { readSip, tagOf, valueOf, valuesOf } from "../../support/sip/sip_text.ts";

Deno.test("a caller and what REST says of it end no header line of an INVITE", async () => {
  using lab = openReceiveLab(domain);
  const bob = await registered(lab, "bob");
  const evil = 'a\r\nInjected: "1"\r\n\r\n<b>@c;d?e %00\0';

  lab.calls.place({
    ...invite("bob"),
    from: evil,
    to: evil,
    headers: { "X-Good": "fine", "X-Bad": evil, [evil]: "x", "Via": "SIP/2.0/WS evil" },
  }, { timeoutS: 20 });
  await lab.time.settle();

  const sent = readSip(bob.sent.at(-1) ?? "");
  assert.equal(sent.method, "INVITE");
  assert.deepEqual(valuesOf(sent, "injected"), []);
  assert.deepEqual(valuesOf(sent, "x-bad"), []);
  assert.deepEqual(valuesOf(sent, "x-good"), ["fine"]);
  assert.equal(valuesOf(sent, "via").length, 1);
  assert.match(valueOf(sent, "from"), /^<sip:[A-Za-z0-9%'().!~*_:?-]+@example\.com>;tag=[\w-]+$/);
  assert.notEqual(tagOf(valueOf(sent, "from")), "");
});

Deno.test("what a caller says of itself reaches the service bounded and without control characters", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);
  const more = Array.from({ length: 60 }, (_, i) => `X-Many-${i}: ${"v".repeat(600)}`);

  alice.receive(call(lab, {
    from: `"A \\"l\\" \\\u0007\u0000ice \u{1f4de}${"x".repeat(300)}" <sip:alice@${domain}>;tag=1`,
    headers: [`X-Long: \u0007${"é".repeat(3_000)}`, ...more],
  }));
  await lab.time.settle();

  const event = lab.reports[0]?.event;
  assert.ok(event?.type === "incoming");
  assert.match(event.displayName ?? "", /^A "l" +ice \u{1f4de}x+$/u);
  assert.equal([...event.displayName ?? ""].length, sipLimits.displayNameLength);
  assert.equal(event.headers["X-Long"], undefined);
  assert.equal(Object.keys(event.headers).length, sipLimits.passedHeaders);
});
