import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
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
import { readSip, type SipText, valueOf, writeSip } from "../../support/sip/sip_text.ts";

const branch = "z9hG4bKoffer";

/** What bob says to a request. */
function response({ headers }: SipText, status: string, body = ""): string {
  const copied = headers.filter(([name]) => /^(via|from|call-id|cseq)$/i.test(name))
    .map(([name, value]) => `${name}: ${value}`);
  const to = headers.find(([name]) => /^to$/i.test(name))?.[1] ?? "";
  return writeSip(`SIP/2.0 ${status}`, [
    ...copied,
    `To: ${to.includes(";tag=") ? to : `${to};tag=bob`}`,
    "Contact: <sip:bob@phone.invalid>",
  ], body);
}

/** Alice and Bob talk, their SDP passing through; she has made a later offer, which rings at his phone. */
async function offering() {
  const lab = openReceiveLab(domain);
  lab.answer = ({ event }) =>
    event.type === "incoming"
      ? [{ type: "dial", legs: [invite("bob")], media: "proxied", timeoutS: 60, timeLimitS: 600 }]
      : [];
  const [alice, bob] = [await registered(lab), await registered(lab, "bob")];
  const latest = ({ sent }: typeof alice) => readSip(sent.at(-1) ?? "");
  const says = async (phone: typeof alice, text: string) => {
    phone.receive(text);
    await lab.time.settle();
  };
  await says(alice, call(lab, { callId: "open" }));
  await says(bob, response(latest(bob), "200 OK", sdp));
  const answered = latest(alice);
  const inside = (cseq: number, more: Parts = {}): Parts => ({
    callId: "open",
    from: valueOf(answered, "from"),
    to: valueOf(answered, "to"),
    cseq,
    ...more,
  });
  await says(alice, request("ACK", uri, inside(1)));
  await says(alice, request("INVITE", uri, inside(2, { body: sdp, branch })));
  const offer = latest(bob);
  await says(bob, response(offer, "180 Ringing"));
  return {
    lab,
    alice,
    bob,
    offer,
    says,
    latest,
    /** Alice's next offer, which bob takes; resolves with its status. */
    async offerAgain() {
      await says(alice, request("ACK", uri, inside(2, { branch })));
      await says(alice, request("INVITE", uri, inside(3, { body: sdp })));
      await says(bob, response(latest(bob), "200 OK", sdp));
      return alice.statuses().at(-1);
    },
    cancel: () => says(alice, request("CANCEL", uri, inside(2, { branch }))),
    async pass(ms: number) {
      lab.time.advance(ms);
      await lab.time.settle();
    },
    [Symbol.dispose]: () => lab[Symbol.dispose](),
  };
}

Deno.test("cancelOffer() passes the CANCEL of a re-INVITE on, and the call goes on", async () => {
  using one = await offering();
  const { alice, bob, offer, says, latest } = one;

  await one.cancel();
  const cancel = latest(bob);
  await says(bob, response(cancel, "200 OK"));
  await says(bob, response(offer, "487 Request Terminated"));

  assert.equal(cancel.method, "CANCEL");
  assert.equal(valueOf(cancel, "via"), valueOf(offer, "via"));
  assert.equal(alice.statuses().at(-1), 487);
  assert.equal(await one.offerAgain(), 200);
});

Deno.test("cancelOffer() leaves an offer taken that is answered in spite of its CANCEL", async () => {
  using one = await offering();
  const { lab, alice, bob, offer, says } = one;

  await one.cancel();
  await says(bob, response(offer, "200 OK", sdp));
  await one.pass(sipLimits.offerAnswerMs);

  assert.equal(alice.statuses().filter((status) => status === 200).length >= 4, true);
  assert.match(bob.sent.at(-1) ?? "", /^ACK /);
  assert.equal(lab.calls.unsettled().length, 2);
});

Deno.test("sendOffer() cancels an offer that is left open, and the call goes on", async () => {
  using one = await offering();
  const { alice, bob, offer, says, latest } = one;

  await one.pass(sipLimits.offerAnswerMs - 1);
  const before = latest(bob).method;
  await one.pass(1);
  const after = latest(bob).method;
  await says(bob, response(offer, "487 Request Terminated"));

  assert.deepEqual([before, after], ["INVITE", "CANCEL"]);
  assert.equal(alice.statuses().at(-1), 487);
  assert.equal(await one.offerAgain(), 200);
});

Deno.test("sendOffer() ends a call whose other side answers neither offer nor CANCEL", async () => {
  using one = await offering();
  const { lab, alice, bob } = one;

  await one.pass(sipLimits.offerAnswerMs);
  await one.pass(sipLimits.cancelGraceMs);
  const refused = alice.statuses().at(-1);
  const lastWords = [alice, bob].map(({ sent }) => readSip(sent.at(-1) ?? "").method);
  for (let seconds = 0; seconds < 70; seconds++) await one.pass(1_000);

  assert.equal(refused, 500);
  assert.deepEqual(lastWords, ["BYE", "BYE"]);
  const { clientTransactions, serverTransactions, dialogs, unsettled } = lab.kept();
  assert.deepEqual([clientTransactions, serverTransactions, dialogs, unsettled], [0, 0, 0, 0]);
});
