import assert from "node:assert/strict";
import { made } from "../support/service/hand_companion.ts";
import type { Delivered } from "../support/service/message_center.ts";
import { cString, writeDelivery } from "../support/service/smpp_wire.ts";
import { delivered, ours, receivedBy, startLab } from "../support/service/smpp_lab.ts";

const readable: [what: string, coding: number, octets: number[], text: string][] = [
  [
    "the GSM alphabet",
    0x00,
    [0x00, 0x02, 0x10, 0x09, 0x5b, 0x1b, 0x65, 0x1b, 0x3c, 0x7f],
    "@$ΔÇÄ€[à",
  ],
  ["an escape that begins nothing", 0x00, [0x41, 0x1b, 0x42, 0x1b, 0x1b, 0x43], "ABC"],
  ["IA5", 0x01, [0x5b, 0x61, 0x40, 0x62, 0x5f, 0x24, 0x5d], "[a@b_$]"],
  ["Latin-1", 0x03, [0x67, 0x72, 0xfc, 0xdf, 0x65], "grüße"],
  ["ISO 8859-5", 0x06, [0xb4, 0xd0], "Да"],
  ["ISO 8859-8", 0x07, [0xf9, 0xec, 0xe5, 0xed], "שלום"],
  ["UCS-2", 0x08, [0x04, 0x14, 0x04, 0x30, 0xd8, 0x3d, 0xde, 0x00], "Да😀"],
  ["the GSM alphabet with a class", 0xf1, [0x00, 0x11], "@_"],
  ["the same in the general group", 0x11, [0x00, 0x11], "@_"],
  ["UCS-2 with a class", 0x18, [0x00, 0x41], "A"],
  ["a message that waits", 0xd0, [0x00, 0x41], "@A"],
  ["the same in UCS-2", 0xe0, [0x00, 0x41], "A"],
];

for (const [what, data_coding, short_message, text] of readable) {
  Deno.test(`a text of data_coding 0x${data_coding.toString(16)} is read: ${what}`, async () => {
    await using lab = await startLab();
    await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });

    const status = await lab.center.deliver(delivered({ data_coding, short_message }));

    assert.equal(status, 0);
    assert.deepEqual((await receivedBy(lab)).map(({ body }) => body), [text]);
  });
}

Deno.test("a PDU that is no text is refused for good, a deliver_sm without content is taken", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  const octets = [0xde, 0xad, 0xbe, 0xef];

  const statuses = [];
  for (const data_coding of [0x02, 0x04, 0x0e, 0xf5]) {
    statuses.push(await lab.center.deliver(delivered({ data_coding, short_message: octets })));
  }
  const nothing = await lab.center.deliver(delivered({ short_message: "" }));

  assert.deepEqual([statuses, nothing], [[0x66, 0x66, 0x66, 0x66], 0]);
  assert.deepEqual(await receivedBy(lab), []);
});

Deno.test("a text that cannot be stored now is to come again, and does", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  const { messages, partialTexts } = lab.app.ports.records;
  const [insert, begin] = [messages.insert, partialTexts.insert];
  const part: Delivered = { short_message: "half ", sar: [1, 2, 1] };
  const isDown = () => Promise.reject(new Error("the store is out of reach"));

  Object.assign(messages, { insert: isDown });
  Object.assign(partialTexts, { insert: isDown });
  const refused = [
    await lab.center.deliver(delivered()),
    await lab.center.deliver(delivered(part)),
  ];
  Object.assign(messages, { insert });
  Object.assign(partialTexts, { insert: begin });
  const taken = [
    await lab.center.deliver(delivered()),
    await lab.center.deliver(delivered(part)),
    await lab.center.deliver(delivered({ short_message: "and half", sar: [1, 2, 2] })),
  ];

  assert.deepEqual([refused, taken], [[0x64, 0x64], [0, 0, 0]]);
  const bodies = (await receivedBy(lab)).map(({ body }) => body);
  assert.deepEqual(bodies, ["good day", "half and half"]);
});

Deno.test("it binds as a transceiver of version 3.4, and unbinds when it stops", async () => {
  const lab = await startLab();
  const { center } = lab;

  await lab[Symbol.asyncDispose]();

  assert.deepEqual(
    center.bound.map(({ system_id, interface_version, address_range }) => [
      system_id,
      interface_version,
      address_range,
    ]),
    [["me", 0x34, ""]],
  );
  assert.equal(center.unbinds, 1);
});

Deno.test("requests of the message center are answered, and after its unbind it is bound anew", async () => {
  await using lab = await startLab();
  const { center } = lab;

  const enquired = await center.request("enquire_link");
  const unknown = await center.request("bind_transceiver");
  const unbound = await center.request("unbind");
  await center.hasBound(2);

  assert.deepEqual([enquired.command, enquired.status], ["enquire_link_resp", 0]);
  assert.notEqual(unknown.status, 0);
  assert.deepEqual([unbound.command, unbound.status], ["unbind_resp", 0]);
});

const header = (length: number, id: number) => [0, 0, length >> 8, length & 0xff, ...[0, 0, 0, id]];
const rest = [0, 0, 0, 0, 0, 0, 0, 9];

const broken: [what: string, octets: number[]][] = [
  ["shorter than its header", [...header(0, 0x15), ...rest]],
  ["half a header long", [...header(8, 0x15), ...rest]],
  ["of 64 MiB", [4, 0, 0, 0, 0, 0, 0, 5, ...rest]],
];

for (const [what, octets] of broken) {
  Deno.test(`a PDU ${what} costs the connection, and nothing else`, async () => {
    await using lab = await startLab({ timings: { enquireMs: 50, answerMs: 2_000 } });
    await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });

    lab.center.sendRaw(octets);
    await lab.center.hasBound(2);
    await lab.center.deliver(delivered({ short_message: "after" }));

    assert.deepEqual((await receivedBy(lab)).map(({ body }) => body), ["after"]);
  });
}

Deno.test("a deliver_sm that is torn is refused, and the session stays", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  const whole = writeDelivery(delivered({ short_message: "torn", sar: [1, 2, 1] }));

  const { status } = await lab.center.request(
    "deliver_sm",
    whole.slice(0, -16).concat(2, 12, 0, 2, 1),
  );
  const nowhere = await lab.center.request("deliver_sm", cString(""));
  await lab.center.deliver(delivered({ short_message: "after" }));

  assert.deepEqual([status, nowhere.status, lab.center.binds], [0xc2, 0x0b, 1]);
  assert.deepEqual((await receivedBy(lab)).map(({ body }) => body), ["after"]);
});

Deno.test("an unknown command is answered with generic_nack, and the session stays", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  const nack = lab.center.nextUnasked();

  lab.center.sendRaw([...header(16, 0x77), 0, 0, 0, 0, 0, 0, 0, 42]);
  const { command, status, sequence } = await nack;
  await lab.center.deliver(delivered({ short_message: "after" }));

  assert.deepEqual([command, status, sequence], ["generic_nack", 0x03, 42]);
  assert.equal(lab.center.binds, 1);
  assert.deepEqual((await receivedBy(lab)).map(({ body }) => body), ["after"]);
});

Deno.test("PDUs that come in single octets, and several at once, are all taken", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  const texts = ["one", "two", "three"].map((short_message): Delivered =>
    delivered({ short_message })
  );

  lab.center.slices = 1;
  await lab.center.deliver(texts[0]!);
  lab.center.slices = Infinity;
  const statuses = await Promise.all(texts.slice(1).map((one) => lab.center.deliver(one)));

  assert.deepEqual(statuses, [0, 0]);
  const bodies = (await receivedBy(lab)).map(({ body }) => body);
  assert.deepEqual(bodies.toSorted(), ["one", "three", "two"]);
});
