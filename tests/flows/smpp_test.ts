import assert from "node:assert/strict";
import { smppAddress } from "../../core/machine/start/carriers.ts";
import { startSmppLink } from "../../core/machine/adapters/smpp/link.ts";
import { limits } from "../../core/base/limits.ts";
import { made, notifications, xml } from "../support/service/hand_companion.ts";
import { type Delivered, startMessageCenter } from "../support/service/message_center.ts";
import { delivered, far, type Lab, ours, quick, startLab } from "../support/service/smpp_lab.ts";
import { testAuthority, testCertificates } from "../support/process/test_certificates.ts";

/** Sends a message and lets its job run. */
async function send({ app }: Lab, form: Record<string, string> = {}) {
  const wanted = { From: ours, To: far, Body: "hello", StatusCallback: "https://app.test/told" };
  const { sid } = await made(app.root, "SMS/Messages", { ...wanted, ...form });
  await app.runJobs();
  return async () => (await app.root.get(`SMS/Messages/${sid}.json`)).json();
}

const told = async ({ app }: Lab) =>
  await Promise.all(
    app.fetched.filter(({ url }) => url === "https://app.test/told").map(async (one) =>
      new URLSearchParams(await one.clone().text()).get("SmsStatus")
    ),
  );

const receipt = (id: string, stat: string): Delivered => ({
  esm_class: 4,
  source_addr: far.slice(1),
  destination_addr: ours.slice(1),
  short_message: `id:${id} sub:001 dlvrd:001 submit date:2401311200 done date:2401311201 ` +
    `stat:${stat} err:000 text:hello`,
});

Deno.test("a message that a message center takes is sending until its receipt says that it is sent", async () => {
  await using lab = await startLab();

  const message = await send(lab);
  const taken = await message();
  const status = await lab.center.deliver(receipt("id-1", "DELIVRD"));
  await lab.app.runJobs();

  const [pdu] = lab.center.submitted;
  assert.deepEqual(
    [pdu!.source_addr, pdu!.source_addr_ton, pdu!.source_addr_npi],
    [ours.slice(1), 1, 1],
  );
  assert.deepEqual(
    [pdu!.destination_addr, pdu!.dest_addr_ton, pdu!.dest_addr_npi],
    [far.slice(1), 1, 1],
  );
  assert.deepEqual([pdu!.text, pdu!.registered_delivery], ["hello", 1]);
  assert.deepEqual([taken.status, taken.price], ["sending", "0.04"]);
  assert.ok(taken.date_sent);
  assert.equal(status, 0);
  const { status: end, price } = await message();
  assert.deepEqual([end, price], ["sent", "0.04"]);
  assert.deepEqual(await told(lab), ["sent"]);
});

for (const stat of ["UNDELIV", "EXPIRED", "REJECTD", "DELETED", "UNKNOWN"]) {
  Deno.test(`a receipt of ${stat} fails its message, with one Notification`, async () => {
    await using lab = await startLab();

    const message = await send(lab);
    const statuses = [
      await lab.center.deliver(receipt("id-1", "ENROUTE")),
      await lab.center.deliver(receipt("id-1", stat)),
      await lab.center.deliver(receipt("id-1", stat)), // It comes again.
    ];
    await lab.app.runJobs();

    assert.deepEqual(statuses, [0, 0, 0]);
    assert.equal((await message()).status, "failed");
    assert.deepEqual(await told(lab), ["failed"]);
    const notices = await notifications(lab.app);
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, new RegExp(`SM\\w+: the carrier reports ${stat} \\(error 000\\)`));
  });
}

Deno.test("a receipt finds its message by its parameters, and by an id in another base", async () => {
  await using lab = await startLab();
  const ids = ["AB12", "1f"];
  lab.center.idOf = () => ids.shift()!;

  const first = await send(lab);
  await lab.center.deliver({
    ...receipt("?", "?"),
    receipted_message_id: "ab12",
    message_state: 2,
    short_message: "",
  });
  const second = await send(lab);
  await lab.center.deliver(receipt("0031", "DELIVRD"));

  assert.deepEqual([(await first()).status, (await second()).status], ["sent", "sent"]);
});

Deno.test("a message without a receipt fails when it is too old", async () => {
  await using lab = await startLab();

  const message = await send(lab);
  lab.app.clock.now += limits.receiptWaitMs + 1;
  await lab.app.runJobs();
  const late = await lab.center.deliver(receipt("id-1", "DELIVRD"));

  assert.equal((await message()).status, "failed");
  assert.equal(late, 0);
  assert.match((await notifications(lab.app))[0]!, /sent no delivery receipt within 24 h/);
});

Deno.test("without receipts a message that the message center takes is sent", async () => {
  await using lab = await startLab({ receipts: false });

  const message = await send(lab);

  assert.equal((await message()).status, "sent");
  assert.equal(lab.center.submitted[0]!.registered_delivery, 0);
});

const texts: [what: string, body: string, coding: number, parts: number][] = [
  ["160 characters of GSM 03.38", "é@£$_ü{}[]~€".padEnd(153, "x"), 0, 1],
  ["160 characters with two octets each in GSM 03.38", "€".repeat(160), 0, 3],
  ["70 characters of UCS-2", "я".repeat(70), 8, 1],
  ["71 characters of UCS-2", "я".repeat(71), 8, 2],
  ["pairs of surrogates", "😀".repeat(80), 8, 3],
  ["a letter beyond GSM 03.38 but in Latin-1", "þ", 8, 1],
];

for (const [what, body, coding, parts] of texts) {
  Deno.test(`a text of ${what} arrives as it was`, async () => {
    await using lab = await startLab();

    await send(lab, { Body: body });

    const pdus = lab.center.submitted;
    assert.equal(pdus.length, parts);
    assert.deepEqual(pdus.map(({ text }) => text).join(""), body);
    for (const [at, pdu] of pdus.entries()) {
      assert.equal(pdu.data_coding, coding);
      assert.equal(pdu.registered_delivery, at === parts - 1 ? 1 : 0);
      if (parts === 1) continue;
      assert.equal(pdu.esm_class, 0x40);
      assert.deepEqual([...pdu.udh], [0, 3, pdus[0]!.udh[2], parts, at + 1]);
    }
  });
}

Deno.test("short codes and names are senders of their own kinds", async () => {
  await using lab = await startLab();

  await send(lab, { From: "12345" });

  const [pdu] = lab.center.submitted;
  assert.deepEqual(
    [pdu!.source_addr, pdu!.source_addr_ton, pdu!.source_addr_npi],
    ["12345", 3, 0],
  );
});

Deno.test("a throttled text is sent again, a while later", async () => {
  await using lab = await startLab();
  const statuses = [0x58, 0x14, 0];
  lab.center.answers = () => statuses.shift();

  const message = await send(lab);

  assert.equal(lab.center.submitted.length, 3);
  assert.equal((await message()).status, "sending");
  assert.deepEqual(await notifications(lab.app), []);
});

Deno.test("a message center that throttles on and on is tried again by the job", async () => {
  await using lab = await startLab();
  lab.center.answers = () => 0x58;

  const message = await send(lab);
  assert.equal((await message()).status, "sending");
  lab.center.answers = () => 0;
  lab.app.clock.now += 5_000;
  await lab.app.runJobs();
  await lab.center.deliver(receipt("id-1", "DELIVRD"));

  assert.equal((await message()).status, "sent");
});

Deno.test("a number that is unknown to the message center fails at once", async () => {
  await using lab = await startLab();
  lab.center.answers = () => 0x0b;

  const message = await send(lab);

  assert.equal((await message()).status, "failed");
  assert.match((await notifications(lab.app))[0]!, /the message center answered ESME_RINVDSTADR/);
});

Deno.test("it binds again when the connection is lost, and sends the waiting messages", async () => {
  await using lab = await startLab();
  lab.center.answers = () => undefined; // The answer is lost with the connection.
  const { sid } = await made(lab.app.root, "SMS/Messages", { From: ours, To: far, Body: "hello" });

  const run = lab.app.runJobs();
  await lab.center.hasSubmitted(1);
  lab.center.answers = () => 0;
  lab.center.drop();
  await lab.center.hasBound(2);
  await run;
  lab.app.clock.now += 5_000;
  await lab.app.runJobs();

  assert.equal(lab.center.submitted.length, 2);
  const { messages: all } = (await lab.app.root.get("SMS/Messages.json")).json();
  assert.deepEqual(all.map((one: Record<string, string>) => [one.sid, one.status]), [
    [sid, "sending"],
  ]);
});

Deno.test("a message center that answers no enquire_link is left and bound anew", async () => {
  await using lab = await startLab({ timings: { enquireMs: 20, answerMs: 100 } });
  lab.center.isDead = true;

  await lab.center.hasBound(2);

  assert.ok(lab.center.enquiries > 0);
});

Deno.test("a bind that is refused is tried again; its messages wait and then fail", async () => {
  await using lab = await startLab({ password: "wrong" });

  const message = await send(lab);
  assert.equal((await message()).status, "sending");
  for (let attempt = 1; attempt < limits.messageAttempts; attempt++) {
    lab.app.clock.now += 600_000;
    await lab.app.runJobs();
  }

  assert.equal((await message()).status, "failed");
  assert.match((await notifications(lab.app))[0]!, /it is not bound/);
  const lines = lab.app.logged.filter(({ line }) => line.includes("Cannot bind"));
  assert.equal(lines.length, 1); // Not once a try.
  assert.match(String(lines[0]!.fields?.error), /ESME_RINVPASWD/);
});

Deno.test("another route takes the messages of an unbound message center", async () => {
  await using lab = await startLab({ password: "wrong" });
  const taken: string[] = [];
  lab.app.ports.messageRoutes.push({
    reaches: () => Promise.resolve(true),
    send: ({ body }) => Promise.resolve(void taken.push(body)),
  });

  const message = await send(lab);

  assert.deepEqual([taken, (await message()).status], [["hello"], "sent"]);
});

Deno.test("deliver_sm reaches its number, and SmsUrl is requested; an unknown number is refused", async () => {
  await using lab = await startLab();
  lab.app.answers = () => xml("<Sms>thank you</Sms>");
  const form = { PhoneNumber: ours, SmsUrl: "https://app.test/in" };
  await made(lab.app.root, "IncomingPhoneNumbers", form);

  const statuses = [
    await lab.center.deliver(delivered()),
    await lab.center.deliver(
      delivered({ short_message: "добрый день", data_coding: 8 }),
    ),
    await lab.center.deliver(delivered({ short_message: "", message_payload: "a payload" })),
    await lab.center.deliver(delivered({ destination_addr: "14155550109" })),
  ];
  await lab.app.runJobs();
  await lab.center.hasSubmitted(3);

  assert.deepEqual(statuses, [0, 0, 0, 0x66]);
  const { messages: all } = (await lab.app.root.get("SMS/Messages.json")).json();
  const received = all.filter(({ status }: { status: string }) => status === "received");
  assert.deepEqual(
    received.map((one: Record<string, string>) => [one.from, one.to, one.body]).toSorted(),
    [
      [far, ours, "a payload"],
      [far, ours, "good day"],
      [far, ours, "добрый день"],
    ],
  );
  const [reply] = lab.center.submitted;
  assert.deepEqual([reply!.destination_addr, reply!.text], [
    far.slice(1),
    "thank you",
  ]);
});

/** Binds by TLS, trusting an authority or none; a line of what went wrong, or undefined when bound. */
async function bindByTls(ca?: string): Promise<string | undefined> {
  await using center = await startMessageCenter(testCertificates.first);
  const failed = Promise.withResolvers<string>();
  const address = { ...smppAddress(center.url, ""), host: "localhost", tls: true, ...ca && { ca } };
  const link = startSmppLink({
    address,
    timings: quick,
    receipts: true,
    onDeliver: () => Promise.resolve(0),
    log: (_, fields) => failed.resolve(String(fields?.error)),
  });
  const outcome = await Promise.race([link.bound(), failed.promise]);
  await link.stop();
  return outcome ?? undefined;
}

Deno.test("smpps binds by TLS, and only to a server with a trusted certificate", async () => {
  assert.equal(await bindByTls(testAuthority), undefined);
  assert.match(await bindByTls() ?? "", /certificate|UnknownIssuer/i);
});

Deno.test("stop() does not wait for a message center that says nothing", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connected = silent.accept();
  const link = startSmppLink({
    address: smppAddress(`smpp://me:x@127.0.0.1:${silent.addr.port}`, ""),
    timings: { ...quick, answerMs: 600_000 },
    receipts: true,
    onDeliver: () => Promise.resolve(0),
    log: () => {},
  });
  const connection = await connected;

  await link.stop();

  connection.close();
  silent.close();
});

Deno.test("a number that the message center gives without its kind is a number all the same", async () => {
  await using lab = await startLab();
  await made(lab.app.root, "IncomingPhoneNumbers", { PhoneNumber: ours });

  await lab.center.deliver(delivered({ source_addr_ton: 0 }));
  await lab.center.deliver(delivered({ source_addr: "BANK", source_addr_ton: 5 }));
  await lab.center.deliver(delivered({ source_addr: "12345", source_addr_ton: 3 }));

  const { messages: all } = (await lab.app.root.get("SMS/Messages.json")).json();
  assert.deepEqual(all.map(({ from }: { from: string }) => from).toSorted(), [
    far,
    "12345",
    "BANK",
  ]);
});
