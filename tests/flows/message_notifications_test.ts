import assert from "node:assert/strict";
import type { Companion } from "../../sip/companion.ts";
import { readCpim, readImdn, writeCpim, writeImdn } from "../../sip/text/cpim.ts";
import { type CompanionsLab, startCompanions } from "../support/service/companions_lab.ts";
import { sipTest } from "../support/sip/sip_lab.ts";
import { type SipText, valueOf } from "../support/sip/sip_text.ts";
import type { Softphone } from "../support/sip/softphone.ts";

interface NotificationsLab extends CompanionsLab {
  one: Companion;
  two: Companion;
  /** Alice, registered at `one`. */
  alice: Softphone;
}

async function startLab(): Promise<NotificationsLab> {
  const lab = await startCompanions(["one", "two"]);
  const [one, two] = lab.companions as [Companion, Companion];
  for (const login of ["alice", "bob"]) await lab.client(login);
  return { ...lab, one, two, alice: await lab.phone("alice", one) };
}

const everything = ["processing", "positive-delivery", "negative-delivery", "display"];

/** A text in CPIM that requests notifications. */
const asking = (messageId: string, wants = everything) => ({
  type: "message/cpim",
  content: writeCpim({
    from: "sip:alice@sip.test",
    to: "sip:bob@sip.test",
    at: 0,
    messageId,
    wants,
    entity: ["Content-Type: text/plain; charset=utf-8"],
    body: "hello",
  }),
});

const displayed = (messageId: string) => ({
  type: "message/cpim",
  content: writeCpim({
    from: "sip:bob@sip.test",
    to: "sip:alice@sip.test",
    at: 0,
    messageId: crypto.randomUUID(),
    entity: ["Content-Type: message/imdn+xml"],
    body: writeImdn({ messageId, status: "displayed", at: 0 }),
  }),
});

/** The notification in a MESSAGE. */
function notificationIn(text: SipText) {
  assert.match(valueOf(text, "content-type"), /^message\/cpim$/i);
  const { contentType, body } = readCpim(text.body)!;
  assert.equal(contentType, "message/imdn+xml");
  return { ...readImdn(body)!, from: valueOf(text, "from").replace(/;tag=.*/, "") };
}

/** The device of bob registers again, with support for IMDN. */
const knowImdn = (bob: Softphone) =>
  bob.register({
    contact: `<${bob.contact}>;` +
      '+g.3gpp.icsi-ref="urn%3Aurn-7%3A3gpp-service.ims.icsi.oma.cpm.msg"',
  });

const statusesOf = async ({ app }: CompanionsLab) => {
  const { messages } = (await app.root.get("SMS/Messages.json")).json();
  return (messages as { status: string; body: string }[]).map(({ status, body }) => [status, body]);
};

for (const at of ["one", "two"] as const) {
  sipTest(
    `the sender gets a notification that a plain phone at companion ${at} has its message`,
    async () => {
      await using lab = await startLab();
      const bob = await lab.phone("bob", lab[at]);

      const { status } = await lab.alice.message("bob", "", { body: asking("id <1> & co") });
      await lab.app.runJobs();
      const text = await bob.nextText();
      const told = await lab.alice.nextText();

      assert.equal(status, 202);
      assert.deepEqual([text.body, valueOf(text, "content-type")], [
        "hello",
        "text/plain;charset=UTF-8",
      ]);
      assert.deepEqual(notificationIn(told), {
        messageId: "id <1> & co",
        status: "delivered",
        from: "<sip:bob@sip.test>",
      });
      assert.deepEqual(await statusesOf(lab), [["sent", "hello"]]);
    },
  );
}

sipTest(
  "a phone with IMDN gets a request for it, and the sender one notification that it was read",
  async () => {
    await using lab = await startLab();
    const bob = await lab.phone("bob", lab.two);
    await knowImdn(bob);

    await lab.alice.message("bob", "", { body: asking("one") });
    await lab.app.runJobs();
    const text = readCpim((await bob.nextText()).body)!;
    const statuses = [notificationIn(await lab.alice.nextText()).status];
    const answers: (number | undefined)[] = [];
    for (const id of [text.messageId!, text.messageId!, `SM${"0".repeat(32)}`]) {
      answers.push((await bob.message("alice", "", { body: displayed(id) })).status);
    }
    await lab.app.runJobs();
    statuses.push(notificationIn(await lab.alice.nextText()).status);
    await lab.alice.message("bob", "", { body: asking("two", ["positive-delivery"]) });
    await lab.app.runJobs();
    const second = await bob.nextText();

    assert.deepEqual([text.body, text.wants], ["hello", ["display"]]);
    assert.deepEqual(answers, [200, 200, 404]);
    // The next one that alice gets is of the next message: the second report of the first sent
    // nothing.
    assert.equal(notificationIn(await lab.alice.nextText()).messageId, "two");
    assert.deepEqual(statuses, ["delivered", "displayed"]);
    assert.equal(second.body, "hello"); // It requests no notification of being read.
    assert.deepEqual((await statusesOf(lab)).length, 2); // Notifications are no messages.
  },
);

sipTest("only the recipient of a message can say that it was read", async () => {
  await using lab = await startLab();
  await lab.client("mallory");
  const bob = await lab.phone("bob", lab.two);
  await knowImdn(bob);
  const mallory = await lab.phone("mallory", lab.one);

  await lab.alice.message("bob", "", { body: asking("one") });
  await lab.app.runJobs();
  const { messageId } = readCpim((await bob.nextText()).body)!;
  const forged = await mallory.message("alice", "", { body: displayed(messageId!) });

  assert.equal(forged.status, 404);
});

sipTest("the sender gets the reason for which no phone took its message", async () => {
  await using lab = await startLab();
  (await lab.phone("bob", lab.one)).textStatus = 405;

  await lab.alice.message("bob", "", { body: asking("one") });
  await lab.app.runJobs();
  const told = await lab.alice.nextText();

  assert.equal(notificationIn(told).status, "failed");
  assert.match(told.body, /the recipient or the carrier refused it \(30007\)/);
  assert.deepEqual(await statusesOf(lab), [["failed", "hello"]]);
});

sipTest("202 of a phone is no delivery: the message goes on to somewhere", async () => {
  await using lab = await startLab();
  (await lab.phone("bob", lab.one)).textStatus = 202;

  await lab.alice.message("bob", "", { body: asking("one") });
  await lab.app.runJobs();

  assert.equal(notificationIn(await lab.alice.nextText()).status, "processed");
});

sipTest("a phone that refuses CPIM gets plain text", async () => {
  await using lab = await startLab();
  const bob = await lab.phone("bob", lab.two);
  await knowImdn(bob);
  bob.textStatus = 415;

  await lab.alice.message("bob", "", { body: asking("one") });
  const sending = lab.app.runJobs();
  const first = await bob.nextText();
  bob.textStatus = 200;
  const second = await bob.nextText();
  await sending;

  assert.deepEqual([first, second].map((text) => valueOf(text, "content-type")), [
    "message/cpim",
    "text/plain;charset=UTF-8",
  ]);
});

sipTest("CPIM that cannot be read, and notifications of other accounts, are refused", async () => {
  await using lab = await startLab();
  await lab.phone("bob", lab.two);
  const { content } = asking("one");
  const bodies = [
    "hello",
    content.replace("text/plain", "text/html"),
    content.replace("\r\n\r\nhello", "\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8="),
    content.replace("hello", ""),
    content.replace("hello", "x".repeat(161)),
    content.replace("text/plain", "message/imdn+xml"),
  ];

  const statuses: (number | undefined)[] = [];
  for (const content of bodies) {
    const body = { type: "message/cpim", content };
    statuses.push((await lab.alice.message("bob", "", { body })).status);
  }

  assert.deepEqual(statuses, [400, 415, 415, 400, 413, 400]);
  assert.deepEqual(await statusesOf(lab), []);
});
