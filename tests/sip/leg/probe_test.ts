import assert from "node:assert/strict";
import { openReceiveLab, type ReceiveLab } from "../../support/service/receive_lab.ts";
import { call, domain, register, request, sdp } from "../../support/sip/phone_text.ts";
import { readSip, type SipText, uriIn, valueOf, writeSip } from "../../support/sip/sip_text.ts";

/** A caller in a call that the companion answered, and the companion's dialog with it. */
async function answeredCall(lab: ReceiveLab) {
  lab.answer = ({ event }) =>
    event.type === "incoming" ? [{ type: "answer" }, { type: "silence", seconds: 600 }] : [];
  const phone = lab.connect("192.0.2.1", "TCP");
  phone.receive(register(lab, "alice"));
  await lab.time.settle();
  phone.receive(call(lab, { callId: "quiet" }));
  await lab.time.settle();
  const answered = readSip(phone.sent.at(-1) ?? "");
  assert.equal(answered.status, 200);
  const [dialog] = lab.signalling.dialogs.values();
  assert.ok(dialog);
  const contact = uriIn(valueOf(answered, "contact"));
  let cseq = 1;
  const send = (method: string) => {
    const [from, to] = [valueOf(answered, "from"), valueOf(answered, "to")];
    if (method !== "ACK") cseq++;
    phone.receive(request(method, contact, { callId: "quiet", from, to, cseq }));
  };
  send("ACK");
  await lab.time.settle();
  const requests = () => phone.sent.map(readSip).filter(({ start }) => / SIP\/2\.0$/.test(start));
  const respond = (to: SipText, status: number, body = "") => {
    const names = ["Via", "From", "To", "Call-ID", "CSeq"];
    const headers = names.map((name) => `${name}: ${valueOf(to, name.toLowerCase())}`);
    headers.push("Contact: <sip:alice@phone.invalid;transport=ws>");
    phone.receive(writeSip(`SIP/2.0 ${status} Any`, headers, body));
  };
  return { dialog, send, respond, methods: () => requests().map(methodOf), requests };
}

const methodOf = ({ start }: SipText) => start.split(" ", 1)[0];

async function pass(lab: ReceiveLab, seconds: number) {
  for (let left = seconds; left > 0; left--) {
    lab.time.advance(1_000);
    await lab.time.settle();
  }
}

/** The result of a probe once it is there. */
function result(probe: Promise<number>): { status?: number } {
  const found: { status?: number } = {};
  void probe.then((status) => found.status = status);
  return found;
}

Deno.test("probe() resolves with the status of the response to OPTIONS, without a refresh", async () => {
  using lab = openReceiveLab(domain);
  const { dialog, methods, requests, respond } = await answeredCall(lab);

  const probe = result(dialog.probe());
  respond(requests().at(-1)!, 405);
  await pass(lab, 60);

  assert.deepEqual([probe.status, methods()], [405, ["OPTIONS"]]);
});

Deno.test("probe() refreshes the session of a phone that ignores OPTIONS, which shows that it is there", async () => {
  for (const status of [200, 488, 491]) {
    using lab = openReceiveLab(domain);
    const { dialog, methods, requests, respond } = await answeredCall(lab);

    const probe = result(dialog.probe());
    await pass(lab, 11);
    assert.deepEqual(methods(), ["OPTIONS", "INVITE"]);
    const invite = requests().at(-1)!;
    assert.equal(invite.body, dialog.localSdp, "the session stays as it is");
    respond(invite, status, status === 200 ? sdp : "");
    await pass(lab, 60);

    assert.equal(probe.status, status);
    assert.equal(lab.signalling.dialogs.size, 1);
  }
});

Deno.test("probe() refreshes by UPDATE where the phone supports it", async () => {
  using lab = openReceiveLab(domain);
  const { dialog, methods, requests, respond } = await answeredCall(lab);
  Object.defineProperty(dialog, "knowsUpdate", { value: true });

  const probe = result(dialog.probe());
  await pass(lab, 11);
  respond(requests().at(-1)!, 200);
  await pass(lab, 60);

  assert.deepEqual([probe.status, methods()], [200, ["OPTIONS", "UPDATE"]]);
});

for (const method of ["UPDATE", "INFO", "OPTIONS"]) {
  for (const afterS of [3, 15, 40]) {
    Deno.test(`probe() takes ${method} after ${afterS} s for a sign of life of a phone that answers nothing`, async () => {
      using lab = openReceiveLab(domain);
      const { dialog, send } = await answeredCall(lab);

      const probe = result(dialog.probe());
      await pass(lab, afterS);
      send(method);
      await pass(lab, 120);

      assert.equal(probe.status, 200);
      assert.equal(lab.signalling.dialogs.size, 1, "the call goes on");
    });
  }
}

Deno.test("probe() resolves with 408 for a phone that sends nothing, and with 481 for one that lost the call", async () => {
  using lab = openReceiveLab(domain);
  const { dialog, requests, respond } = await answeredCall(lab);

  const silent = result(dialog.probe());
  await pass(lab, 45);
  assert.equal(silent.status, 408);
  assert.equal(lab.signalling.dialogs.size, 1, "the watch of the media ends the call");

  const forgotten = result(dialog.probe());
  await pass(lab, 11);
  respond(requests().at(-1)!, 481);
  await pass(lab, 1);
  assert.equal(forgotten.status, 481);
});

Deno.test("probe() takes no 100 or 408 of a proxy for a sign of life", async () => {
  using lab = openReceiveLab(domain);
  const { dialog, requests, respond } = await answeredCall(lab);

  const probe = result(dialog.probe());
  const options = requests().at(-1)!;
  respond(options, 100);
  await pass(lab, 5);
  respond(options, 408);
  await pass(lab, 45);

  assert.equal(probe.status, 408);
});
