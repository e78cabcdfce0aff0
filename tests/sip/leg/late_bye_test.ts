import assert from "node:assert/strict";
import type { Script } from "../../../core/protocol/script.ts";
import type { Flow } from "../../../sip/base/flow.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import type { Target } from "../../../sip/transport/resolve.ts";
import { openReceiveLab, type ReceiveLab } from "../../support/service/receive_lab.ts";
import { invite } from "../../support/sip/sip_lab.ts";
import { call, domain, register, registered, request, sdp } from "../../support/sip/phone_text.ts";
import { readSip, type SipText, uriIn, valueOf, writeSip } from "../../support/sip/sip_text.ts";

const dial: Script = [
  { type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 60, timeLimitS: 600 },
];

/** Alice, who called by TCP, talks to bob. */
async function talking(lab: ReceiveLab) {
  lab.answer = ({ event }) => event.type === "incoming" ? dial : [];
  const bob = await registered(lab, "bob");
  const alice = lab.connect("192.0.2.1", "TCP");
  alice.receive(register(lab, "alice"));
  await lab.time.settle();
  alice.receive(
    call(lab, { callId: "late" })
      .replace("Contact: <sip:alice@phone.invalid;transport=ws>", "Contact: <sip:a@phone.test>"),
  );
  await lab.time.settle();
  const invited = readSip(bob.sent.at(-1) ?? "");
  bob.receive(ofBob(invited, sdp));
  await lab.time.settle();
  const answered = readSip(alice.sent.at(-1) ?? "");
  assert.equal(answered.status, 200);
  const inside = { callId: "late", from: valueOf(answered, "from"), to: valueOf(answered, "to") };
  alice.receive(request("ACK", uriIn(valueOf(answered, "contact")), { ...inside, cseq: 1 }));
  await lab.time.settle();
  const hangUp = () => {
    const [from, to] = [`${valueOf(invited, "to")};tag=bob`, valueOf(invited, "from")];
    const ids = { from, to, callId: valueOf(invited, "call-id"), cseq: 1 };
    bob.receive(request("BYE", uriIn(valueOf(invited, "contact")), ids));
  };
  return { alice, bob, hangUp };
}

const ofBob = (invited: SipText, body: string) =>
  writeSip("SIP/2.0 200 OK", [
    ...["Via", "From", "Call-ID", "CSeq"].map((name) =>
      `${name}: ${valueOf(invited, name.toLowerCase())}`
    ),
    `To: ${valueOf(invited, "to")};tag=bob`,
    "Contact: <sip:bob@phone.invalid;transport=ws>",
  ], body);

/** Has the Contact of alice lead to ports that take `connectTimeoutMs` to fail, and one that opens. */
function leadTo(lab: ReceiveLab, { dead, living }: { dead: number; living: Flow | undefined }) {
  const tried: number[] = [];
  const target = (port: number): Target => ({
    protocol: "TCP",
    address: "192.0.2.1",
    port,
    name: "phone.test",
  });
  const ports = Array.from({ length: dead + 1 }, (_, at) => at + 1);
  lab.signalling.routes = {
    resolve: () => Promise.resolve(ports.map(target)),
    reach: () => Promise.reject(new Error("unused")),
    open({ port }) {
      tried.push(port);
      if (port > dead && living !== undefined) return Promise.resolve(living);
      const { promise, reject } = Promise.withResolvers<Flow>();
      const late = () => reject(new Error("it does not answer in time"));
      lab.signalling.timers.after(sipLimits.connectTimeoutMs, late);
      return promise;
    },
  };
  return tried;
}

async function pass(lab: ReceiveLab, ms: number) {
  for (let left = ms; left > 0; left -= 1_000) {
    lab.time.advance(Math.min(left, 1_000));
    await lab.time.settle();
  }
}

for (const dead of [1, 2]) {
  Deno.test(`BYE reaches the living address of a peer behind ${dead} that are dead`, async () => {
    using lab = openReceiveLab(domain);
    const { alice, hangUp } = await talking(lab);
    const living = lab.connect("192.0.2.1", "TCP");
    const tried = leadTo(lab, { dead, living: living.flow });

    alice.close();
    hangUp();
    await pass(lab, (dead + 1) * sipLimits.connectTimeoutMs);

    assert.deepEqual(tried, Array.from({ length: dead + 1 }, (_, at) => at + 1));
    assert.match(living.sent.at(-1) ?? "", /^BYE sip:a@phone.test/);
  });
}

Deno.test("a BYE for which no address of a peer can be had ends", async () => {
  using lab = openReceiveLab(domain);
  const { alice, hangUp } = await talking(lab);
  leadTo(lab, { dead: 2, living: undefined });

  alice.close();
  hangUp();
  await pass(lab, 60_000);

  assert.equal(lab.kept()["dialogs"], 0);
  assert.deepEqual(lab.logged, [], "a softphone that is gone is nothing to log");
});
