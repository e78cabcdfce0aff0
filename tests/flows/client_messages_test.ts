import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import type { Companion } from "../../sip/companion.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type CompanionsLab, startCompanions } from "../support/service/companions_lab.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { valueOf, valuesOf } from "../support/sip/sip_text.ts";
import type { Softphone } from "../support/sip/softphone.ts";

interface MessagesLab extends CompanionsLab {
  one: Companion;
  two: Companion;
  /** Alice, registered at `one`. */
  alice: Softphone;
}

/** A service with two companions; alice and bob are Clients of the root account. */
async function startLab(): Promise<MessagesLab> {
  const lab = await startCompanions(["one", "two"]);
  const [one, two] = lab.companions as [Companion, Companion];
  for (const login of ["alice", "bob"]) await lab.client(login);
  return { ...lab, one, two, alice: await lab.phone("alice", one) };
}

/** The messages of an account, those sent before those received. */
async function messages({ app }: CompanionsLab, account: ApiClient = app.root) {
  const { messages } = (await account.get("SMS/Messages.json")).json();
  return (messages as Record<string, string>[])
    .map(({ from, to, body, status, direction }) => ({ from, to, body, status, direction }))
    .sort((a, b) => a.direction! > b.direction! ? -1 : 1);
}

async function notices({ app }: CompanionsLab, account: ApiClient = app.root) {
  const { notifications } = (await account.get("Notifications.json")).json();
  return notifications.map(({ error_code }: { error_code: number }) => error_code);
}

const metrics = async ({ app }: CompanionsLab) =>
  (await app.root.get("Supervisor.json/metrics")).json().Metrics;

const sent = { from: "client:alice", to: "client:bob", direction: "outbound-call" };

for (const at of ["one", "two"] as const) {
  sipTest(`a Client's MESSAGE reaches a Client at companion ${at}, on every device`, async () => {
    await using lab = await startLab();
    const phones = [await lab.phone("bob", lab[at]), await lab.phone("bob", lab.one)];
    const body = "grüße 😀\r\nsecond line";

    const answer = await lab.alice.message("bob", body);
    const [taken] = await messages(lab);
    await lab.app.runJobs();
    const texts = await Promise.all(phones.map((phone) => phone.nextText()));

    assert.equal(answer.status, 202);
    assert.deepEqual(taken, { ...sent, body, status: "sending" });
    for (const text of texts) {
      assert.equal(text.body, body);
      assert.match(valueOf(text, "from"), /<sip:alice@sip\.test>;tag=/);
      assert.equal(valueOf(text, "to"), "<sip:bob@sip.test>");
      assert.deepEqual(valuesOf(text, "contact"), []); // RFC 3428 §4
      assert.match(valueOf(text, "content-type"), /^text\/plain; ?charset=utf-8$/i);
    }
    assert.deepEqual(await messages(lab), [{ ...sent, body, status: "sent" }]);
    assert.equal((await metrics(lab)).TextMessageInboundToClient, 1);
  });
}

sipTest("a MESSAGE to a Client of another account is recorded there too, as received", async () => {
  await using lab = await startLab();
  const other = await lab.app.subAccount(lab.app.root, "other");
  await lab.client("carol", other);
  await lab.phone("carol", lab.two);

  await lab.alice.message("carol", "hello");
  await lab.app.runJobs();

  const ends = { from: "client:alice", to: "client:carol", body: "hello" };
  assert.deepEqual(await messages(lab), [{ ...ends, status: "sent", direction: "outbound-call" }]);
  assert.deepEqual(await messages(lab, other), [
    { ...ends, status: "received", direction: "inbound" },
  ]);
  const { TextMessageInboundToApp: toApp, TextMessageOutbound: out } = await metrics(lab);
  assert.deepEqual([toApp, out], [0, 0]);
});

sipTest("a MESSAGE without a reachable recipient is refused, recorded and notified", async () => {
  await using lab = await startLab();
  await lab.client("mute");
  const { clients } = lab.app.ports.records;
  const disabled = await clients.holder("login", "mute");
  await clients.update(disabled!.accountSid, disabled!.sid, (record) => ({
    record: { ...record, status: "0" },
  }));

  const answers: [string, number | undefined][] = [];
  const targets = ["bob", "nobody", "mute", "+15550009", "sip:bob@elsewhere.test", "tel:+15550009"];
  for (const target of targets) {
    answers.push([target, (await lab.alice.message(target, "hello")).status]);
  }
  await lab.app.runJobs();

  assert.deepEqual(answers, targets.map((target) => [target, target === "bob" ? 480 : 404]));
  assert.deepEqual(
    (await messages(lab)).map(({ status }) => status),
    targets.map(() => "failed"),
  );
  assert.deepEqual((await notices(lab)).sort(), [13226, ...targets.slice(1).map(() => 21612)]);
  const { TextMessageNotFound, TextMessageInboundToClient } = await metrics(lab);
  assert.deepEqual([TextMessageNotFound, TextMessageInboundToClient], [targets.length - 1, 0]);
});

sipTest("only a registered Client may send, under its own name", async () => {
  await using lab = await startLab();
  const unregistered = await lab.connect("bob", lab.one);

  const other = { from: "<sip:bob@sip.test>;tag=1" };
  const statuses = [
    (await unregistered.message("alice", "hello")).status,
    (await lab.alice.message("bob", "hello", { replace: other })).status,
  ];
  const password = { Password: "another" };
  const alice = (await lab.app.ports.records.clients.holder("login", "alice"))!;
  await lab.app.root.post(`Clients/${alice.sid}`, password);
  await lab.app.runJobs();
  statuses.push((await lab.alice.message("bob", "hello")).status);

  assert.deepEqual(statuses, [403, 403, 407]);
  assert.deepEqual(await messages(lab), []);
});

sipTest(
  "two Clients that answer each other are stopped for the rest of the minute, with one Notification",
  async () => {
    await using lab = await startLab();
    await lab.phone("bob", lab.two);
    for (let count = 0; count < limits.messagesOfPair; count++) {
      assert.equal((await lab.alice.message("bob", `${count}`)).status, 202);
    }

    const over = [await lab.alice.message("bob", "over"), await lab.alice.message("bob", "over")];
    const another = await lab.alice.message("alice", "to another");

    assert.deepEqual(over.map(({ status }) => status), [480, 480]);
    const retryAfterS = Number(valueOf(over[0]!, "retry-after"));
    assert.ok(retryAfterS > 30 && retryAfterS <= 60, `${retryAfterS}`); // Of the minute, some has passed.
    assert.equal(another.status, 202);
    assert.deepEqual(await notices(lab), [14107]);
  },
);

sipTest(
  "POST SMS/Messages reaches a Client by its Login, and its StatusCallback gets the status",
  async () => {
    await using lab = await startLab();
    const bob = await lab.phone("bob", lab.two);
    bob.textStatus = 480;

    const form = { From: "+15550001", Body: "hello", StatusCallback: "https://app.test/sms" };
    const { sid, to } = (await lab.app.root.post("SMS/Messages.json", { ...form, To: "bob" }))
      .json();
    await lab.app.runJobs();
    const refused = (await messages(lab))[0]?.status;
    bob.textStatus = 200;
    lab.app.clock.now += 5_000;
    await lab.app.runJobs();
    const [first, second] = [await bob.nextText(), await bob.nextText()];

    assert.equal(to, "client:bob");
    assert.equal(refused, "sending"); // It is tried again.
    assert.match(valueOf(second, "from"), /<sip:%2B15550001@|<sip:\+15550001@/);
    assert.deepEqual([valueOf(first, "call-id"), valueOf(second, "call-id")], [sid, sid]);
    const params = new URLSearchParams(await lab.app.fetched.at(-1)!.text());
    assert.deepEqual([params.get("SmsStatus"), params.get("To")], ["sent", "client:bob"]);
    assert.equal((await metrics(lab)).TextMessageOutbound, 1);
  },
);

for (
  const [what, prepare, code] of [
    ["has no device", () => Promise.resolve(), 13226],
    ["refuses it", async (lab) => {
      (await lab.phone("bob", lab.one)).textStatus = 405;
    }, 30007],
  ] as [string, (lab: MessagesLab) => Promise<void>, number][]
) {
  sipTest(`POST SMS/Messages fails at once when the Client ${what}`, async () => {
    await using lab = await startLab();
    await prepare(lab);

    await lab.app.root.post("SMS/Messages", { From: "+15550001", To: "client:bob", Body: "hello" });
    await lab.app.runJobs();

    assert.equal((await messages(lab))[0]?.status, "failed");
    assert.deepEqual(await notices(lab), [code]);
  });
}

sipTest("a message is sent when one companion has it, though another is silent", async () => {
  await using lab = await startLab();
  const bob = await lab.phone("bob", lab.one);
  await lab.phone("bob", lab.two);
  const { companions } = lab.app.ports;
  const gone = (await companions.get("two"))!;
  await lab.two.stop();
  await companions.beat(gone);
  const tell = { came: ["bob"], went: [], registered: 1, whole: true, seq: 0 };
  await companions.takePresence({ companion: gone, ...tell });

  await lab.alice.message("bob", "hello");
  await lab.app.runJobs();

  assert.equal((await bob.nextText()).body, "hello");
  assert.equal((await messages(lab))[0]?.status, "sent");
});

sipTest(
  "a MESSAGE to a number of this service is received there, as one from the Client",
  async () => {
    await using lab = await startLab();
    const owner = await lab.app.subAccount(lab.app.root, "owner");
    const numbers = [
      { PhoneNumber: "+12025550143", SmsUrl: "https://app.test/in" },
      { PhoneNumber: "support", isSIP: "true", SmsUrl: "https://app.test/support" },
    ];
    for (const number of numbers) await owner.post("IncomingPhoneNumbers", number);

    const statuses = [
      (await lab.alice.message("+12025550143", "hello")).status,
      (await lab.alice.message("tel:+1-202-555-0143", "hello")).status,
      (await lab.alice.message("support", "hello")).status,
    ];
    await lab.app.runJobs();

    assert.deepEqual(statuses, [202, 202, 202]);
    const inbox = (await messages(lab, owner)).map(({ from, to, status }) => [from, to, status]);
    assert.deepEqual(inbox.sort(), [
      ["client:alice", "+12025550143", "received"],
      ["client:alice", "+12025550143", "received"],
      ["client:alice", "support", "received"],
    ]);
    assert.deepEqual((await messages(lab)).map(({ status }) => status), ["sent", "sent", "sent"]);
    assert.deepEqual(lab.app.fetched.map(({ url }) => url).sort(), [
      "https://app.test/in",
      "https://app.test/in",
      "https://app.test/support",
    ]);
    const { TextMessageInboundToApp: toApp, TextMessageOutbound: out } = await metrics(lab);
    assert.deepEqual([toApp, out], [3, 0]);
  },
);

sipTest("a message waits for a companion that the service has not heard of yet", async () => {
  await using lab = await startLab();
  const bob = await lab.phone("bob", lab.two);
  const { companions } = lab.app.ports;
  const two = (await companions.get("two"))!;
  await companions.beat({ ...two, seenAt: 0 }); // As after an outage of the service.

  const { status } = await lab.alice.message("bob", "hello");
  await lab.app.runJobs();

  assert.equal(status, 202);
  assert.equal((await bob.nextText()).body, "hello");
});
