import assert from "node:assert/strict";
import { messageLimits } from "../../../core/protocol/messages.ts";
import type { Binding } from "../../../sip/text/location.ts";
import { sendToDevices } from "../../../sip/script/send_message.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import {
  type Connection,
  openReceiveLab,
  type ReceiveLab,
} from "../../support/service/receive_lab.ts";
import { readSip, valueOf, valuesOf, writeSip } from "../../support/sip/sip_text.ts";

const order = { sid: `SM${"1".repeat(32)}`, login: "bob", from: "client:alice", body: "hello" };

/** A way to a device of bob. */
function register(lab: ReceiveLab, key: string, instance: string): Connection {
  const connection = lab.connect();
  const binding: Binding = {
    key,
    contact: `<sip:bob@${key}.invalid;transport=ws>`,
    instance,
    path: [],
    flow: connection.flow,
    userAgent: undefined,
    proof: "",
    registeredAt: 0,
    expiresAt: Infinity,
    callId: key,
    cseq: 1,
  };
  lab.signalling.location.put("bob", binding);
  return connection;
}

/** Answers the last request that went out by a connection. */
function answer({ sent, receive }: Connection, status: number): void {
  const request = readSip(sent.at(-1)!);
  const copied = ["via", "from", "to", "call-id", "cseq"].flatMap((name) =>
    valuesOf(request, name).map((value) => `${name}: ${value}`)
  );
  receive(writeSip(`SIP/2.0 ${status} Whatever`, copied));
}

Deno.test("sendToDevices() gives a device another way when one has failed, and no second text", async () => {
  using lab = openReceiveLab("sip.test");
  const second = register(lab, "b", "phone");
  const first = register(lab, "a", "phone"); // The newest comes first.
  const other = register(lab, "c", "desk");

  const statuses = sendToDevices(lab.signalling, order);
  answer(other, 200);
  answer(first, 430);
  await lab.time.settle();
  answer(second, 202);

  assert.deepEqual(await statuses, [202, 200]);
  assert.deepEqual([first, second, other].map(({ sent }) => sent.length), [1, 1, 1]);
  const text = readSip(second.sent[0]!);
  assert.equal(text.start, "MESSAGE sip:bob@b.invalid;transport=ws SIP/2.0");
  assert.deepEqual([valueOf(text, "call-id"), text.body], [order.sid, "hello"]);
  assert.equal(valueOf(text, "content-type"), "text/plain;charset=UTF-8");
});

Deno.test("sendToDevices() draws the tag of From from 122 random bits (RFC 3261 §19.3)", async () => {
  using lab = openReceiveLab("sip.test");
  const device = register(lab, "a", "phone");

  const statuses = sendToDevices(lab.signalling, order);
  answer(device, 200);
  await statuses;

  assert.match(
    valueOf(readSip(device.sent[0]!), "from"),
    /;tag=[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  );
});

Deno.test("sendToDevices() waits for a silent device only so long", async () => {
  using lab = openReceiveLab("sip.test");
  const silent = register(lab, "a", "phone");
  const unused = register(lab, "b", "desk");

  const statuses = sendToDevices(lab.signalling, order);
  answer(unused, 603);
  lab.time.advance(messageLimits.deviceMs);

  assert.deepEqual(await statuses, [408, 603]);
  assert.equal(silent.sent.length, 1);
  lab.time.advance(60_000);
  assert.equal(lab.kept().clientTransactions, 0);
});

sipTest(
  "listenControl() sends a message to who is registered, and says when nobody is",
  async () => {
    await using lab = await startSipLab();
    const phone = await lab.phone("bob");
    const send = async (content: object) =>
      await lab.service.order(lab.companion.bridgeUrl, "/message", content);

    const sent = await (await send(order)).json();
    const absent = await (await send({ ...order, login: "carol" })).json();
    const unreadable = await send({ login: "bob" });
    await unreadable.body?.cancel();

    assert.deepEqual([sent, absent], [{ statuses: [200] }, { statuses: [] }]);
    assert.equal((await phone.nextText()).body, "hello");
    assert.equal(unreadable.status, 400);
  },
);
