import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { made, xml } from "../support/service/hand_companion.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { type Delivered } from "../support/service/message_center.ts";
import {
  delivered,
  far,
  type Lab,
  ours,
  receivedBy,
  startLab,
} from "../support/service/smpp_lab.ts";

/** 3GPP TS 23.040 §9.2.3.24.1: information element 0 has a reference of one octet. */
const by8 = (reference: number, total: number, at: number): Delivered => ({
  udh: [0, 3, reference, total, at],
});

/** §9.2.3.24.8: element 8 has one of two. */
const by16 = (reference: number, total: number, at: number): Delivered => ({
  udh: [8, 4, reference >> 8, reference & 0xff, total, at],
});

const bySar = (reference: number, total: number, at: number): Delivered => ({
  sar: [reference, total, at],
});

async function startWithNumber(): Promise<Lab> {
  const lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", {
    PhoneNumber: ours,
    SmsUrl: "https://app.test/in",
  });
  lab.app.answers = () => xml("");
  return lab;
}

const deliver = ({ center }: Lab, short_message: string, fields: Delivered) =>
  center.deliver(delivered({ short_message, ...fields }));

const bodies = async (lab: Lab) => (await receivedBy(lab)).map(({ body }) => body);

/** Notifications of the account about missing parts; after the Sid of the Message. */
async function toldOf({ app }: Lab): Promise<string[]> {
  const { notifications } = (await app.root.get("Notifications.json")).json();
  return notifications.map((one: { message_text: string }) =>
    one.message_text.split(/: SM\w+ /)[1] ?? one.message_text
  );
}

const asked = ({ app }: Lab) =>
  Promise.all(
    app.fetched.map(async (one) => new URLSearchParams(await one.clone().text()).get("Body")),
  );

const long = "ab€ ".repeat(50);

for (
  const [what, part] of [
    ["an 8-bit reference", by8],
    ["a 16-bit reference", by16],
    ["sar_ parameters", bySar],
  ] as const
) {
  Deno.test(`parts with ${what} become one Message, in whatever order they come`, async () => {
    await using lab = await startWithNumber();
    const pieces = [long.slice(0, 80), long.slice(80, 160), long.slice(160)];

    const statuses = [];
    for (const at of [3, 1, 2]) {
      assert.deepEqual(await receivedBy(lab), []);
      statuses.push(await deliver(lab, pieces[at - 1]!, part(300 % 256, 3, at)));
    }
    await lab.app.runJobs();

    assert.deepEqual(statuses, [0, 0, 0]);
    const [message, ...others] = await receivedBy(lab);
    assert.deepEqual([message!.body, message!.from, message!.to], [long, far, ours]);
    assert.deepEqual(others, []);
    assert.deepEqual(await asked(lab), [long]);
  });
}

Deno.test("a part that comes again counts once, also after the last", async () => {
  await using lab = await startWithNumber();

  for (
    const [at, text] of [[1, "one "], [1, "one "], [2, "two"], [1, "one "], [2, "two"]] as const
  ) {
    assert.equal(await deliver(lab, text, by8(7, 2, at)), 0);
  }
  lab.app.clock.now += limits.partsWaitMs;
  await lab.app.runJobs();

  assert.deepEqual(await bodies(lab), ["one two"]);
});

Deno.test("parts of other senders, numbers, kinds and totals with one reference do not mix", async () => {
  await using lab = await startWithNumber();
  const second = "+14155550102";
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: second });
  const texts: [name: string, fields: Delivered, part: typeof by8, total: number][] = [
    ["first", {}, by8, 2],
    ["sender", { source_addr: "442079460001" }, by8, 2],
    ["number", { destination_addr: second.slice(1) }, by8, 2],
    ["kind", {}, by16, 2],
    ["sar", {}, bySar, 2],
    ["total", {}, by8, 3],
  ];

  for (const at of [1, 2, 3]) {
    for (const [name, fields, part, total] of texts) {
      if (at <= total) await deliver(lab, `${name}${at}`, { ...fields, ...part(9, total, at) });
    }
  }

  assert.deepEqual((await bodies(lab)).toSorted(), [
    "first1first2",
    "kind1kind2",
    "number1number2",
    "sar1sar2",
    "sender1sender2",
    "total1total2total3",
  ]);
});

Deno.test("the parts of a text so far are received when the rest does not come", async () => {
  await using lab = await startWithNumber();

  await deliver(lab, "the end", by8(1, 3, 3));
  lab.app.clock.now += limits.partsWaitMs - 1;
  await deliver(lab, "the beginning, ", by8(1, 3, 1));
  await lab.app.runJobs();
  assert.deepEqual(await bodies(lab), []);
  lab.app.clock.now += 1;
  await lab.app.runJobs();

  assert.deepEqual(await bodies(lab), ["the beginning, the end"]);
  assert.deepEqual(await asked(lab), ["the beginning, the end"]);
  assert.deepEqual(await toldOf(lab), [`from ${far} to ${ours} has 2 of 3 parts`]);
  const [notice] = (await lab.app.root.get("Notifications.json")).json().notifications;
  assert.deepEqual([notice.error_code, notice.log], [14109, 1]);
});

Deno.test("a reference that is used again begins another text, and none is lost", async () => {
  await using lab = await startWithNumber();

  for (const [at, text] of [[1, "a1"], [2, "a2"], [1, "b1"], [2, "b2"], [1, "c1"]] as const) {
    await deliver(lab, text, by8(5, 2, at));
  }
  await deliver(lab, "d1", by8(5, 2, 1)); // c's second part never comes.
  await deliver(lab, "d2", by8(5, 2, 2));
  lab.app.clock.now += limits.partsWaitMs;
  await lab.app.runJobs();

  assert.deepEqual((await bodies(lab)).toSorted(), ["a1a2", "b1b2", "c1", "d1d2"]);
  assert.deepEqual(await toldOf(lab), [`from ${far} to ${ours} has 1 of 2 parts`]);
  const [account] = await lab.app.ports.accounts.children("");
  const kept = await lab.app.ports.records.partialTexts.list(account!.sid, {
    where: [],
    skip: 0,
    limit: 1,
  });
  assert.equal(kept.total, 0);
});

Deno.test("parts that come to several instances at once become one Message", async () => {
  await using endpoint = startKvConnect();
  const location = endpoint.url;
  await using first = await startLab({ shared: { location, instance: 0 } });
  await made(first.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
  await using second = await startLab({ shared: { location, instance: 1 } });
  const [total, text] = [8, "12345678"];

  const statuses = await Promise.all(
    [...text].flatMap((one, at) =>
      [first, second].map((lab) => deliver(lab, one, by16(4711, total, at + 1))) // Each by both.
    ),
  );

  assert.deepEqual(new Set(statuses), new Set([0]));
  assert.deepEqual(await bodies(second), [text]);
});

Deno.test("parts wait in the store while others are missing", async () => {
  const directory = await Deno.makeTempDir();
  const shared = { location: `${directory}/store`, instance: 0 };
  {
    await using before = await startLab({ shared });
    await made(before.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });
    await deliver(before, "kept ", by8(1, 2, 1));
  }
  {
    await using after = await startLab({ shared });
    await deliver(after, "and joined", by8(1, 2, 2));
    assert.deepEqual(await bodies(after), ["kept and joined"]);
  }
  await Deno.remove(directory, { recursive: true });
});

Deno.test("headers that make no sense leave a text as it is", async () => {
  await using lab = await startWithNumber();

  for (
    const [text, fields] of [
      ["none of none", by8(1, 0, 0)],
      ["one of one", by8(1, 1, 1)],
      ["three of two", by8(1, 2, 3)],
      ["too many", bySar(1, limits.textParts + 1, 1)],
      ["torn", { udh: [0, 3, 1] }],
      ["empty", { udh: [] }],
      ["ports", { udh: [5, 4, 0x0b, 0x84, 0x23, 0xf0] }],
    ] as const
  ) assert.equal(await deliver(lab, text, fields as Delivered), 0);

  assert.equal((await bodies(lab)).length, 7);
});

Deno.test("a text without parts is one Message up to 1600 characters, and several beyond", async () => {
  await using lab = await startWithNumber();
  const text = "0123456789".repeat(100);
  const longer = `${"x".repeat(limits.arrivingLength)}the rest`;

  await deliver(lab, "", { message_payload: text });
  await deliver(lab, "", { message_payload: longer });
  await lab.app.runJobs();

  const received = await bodies(lab);
  assert.deepEqual(
    received.toSorted(),
    [text, "the rest", "x".repeat(limits.arrivingLength)].toSorted(),
  );
  const { messages } = (await lab.app.root.get(`SMS/Messages.json?Body=789012`)).json();
  assert.deepEqual(messages.map(({ body }: { body: string }) => body), [text]);
});
