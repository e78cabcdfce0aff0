import assert from "node:assert/strict";
import { Fault } from "../../../../core/base/faults.ts";
import { blobDirectory } from "../../../../core/machine/adapters/blob_directory.ts";
import { locationSource } from "../../../../core/machine/adapters/location_source.ts";
import { smtpMailer } from "../../../../core/machine/adapters/mailer.ts";
import type { Names } from "../../../../core/machine/net/names.ts";
import type { Email } from "../../../../core/model/resources/emails.ts";
import { startMailServer } from "../../../support/service/mail_server.ts";

const account = `AC${"1".repeat(32)}`;
const recording = `RE${"2".repeat(32)}`;
const { signal } = new AbortController();
const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (content: ReadableStream | null) => new Response(content).text();

Deno.test("blobDirectory() keeps a blob until it is removed, for its owner's eyes", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const blobs = blobDirectory(`${directory}/recordings`);
    assert.equal(await blobs.get(account, recording), null);
    await blobs.remove(account, recording);

    await assert.rejects(
      blobs.write(account, recording, 3, bytes("late")),
      /the audio .* does not exist/,
    );

    await blobs.write(account, recording, 0, bytes("one"));
    await blobs.write(account, recording, 5, bytes("end"));
    await blobs.write(account, recording, 0, bytes("two"));

    assert.equal(await blobs.size(account, recording), 8);
    assert.equal(await textOf(await blobs.get(account, recording)), "two\0\0end");
    const part = await blobs.get(account, recording, { start: 2, end: 6 });
    assert.equal(await textOf(part), "o\0\0e");
    await (await blobs.get(account, recording))?.cancel();
    const folder = `${directory}/recordings/${account}`;
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    assert.deepEqual(names, [recording]);
    assert.equal((await Deno.stat(`${folder}/${recording}`)).mode! & 0o777, 0o600);

    await blobs.remove(account, recording);
    assert.equal(await blobs.get(account, recording), null);
    assert.equal(await blobs.size(account, recording), null);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("blobDirectory() takes Sids for names and nothing else", async () => {
  const blobs = blobDirectory("/nowhere");

  for (const sid of ["..", "../../etc/passwd", "", `${recording}/..`, `RE${"G".repeat(32)}`]) {
    await assert.rejects(blobs.get(account, sid), /Cannot keep a blob/, sid);
    await assert.rejects(blobs.get(sid, recording), /Cannot keep a blob/, sid);
  }
});

Deno.test("locationSource() requests the msisdn, and throws unless the response is 2xx", async () => {
  const asked: string[] = [];
  let status = 200;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    asked.push(new URL(url).search);
    return new Response("mcc=748", { status });
  });
  try {
    const source = locationSource(`http://127.0.0.1:${server.addr.port}/at?key=1`);
    assert.equal(await source.lookUp("598990", signal), "mcc=748");
    status = 502;
    await assert.rejects(source.lookUp("+598", signal), /location source answered 502/);
    assert.deepEqual(asked, ["?key=1&msisdn=598990", "?key=1&msisdn=%2B598"]);
  } finally {
    await server.shutdown();
  }
});

const email: Email = {
  sid: `EM${"3".repeat(32)}`,
  accountSid: account,
  dateCreated: 0,
  dateUpdated: 0,
  dateSent: Date.UTC(2024, 0, 31, 12),
  from: "me@example.com",
  to: "you@example.com, also@example.com",
  cc: "copy@example.com",
  bcc: "hidden@example.com",
  subject: "Grüße",
  body: "line one\r\n.\r\nend",
  status: "queued",
  cause: null,
};

Deno.test("smtpMailer() hands an e-mail to the server, without naming the hidden copies", async () => {
  await using server = await startMailServer();

  const refused = await smtpMailer(server.url, "sip.test").send(email, signal);

  assert.deepEqual(refused, []);
  const [mail] = server.mails;
  assert.equal(mail?.from, "me@example.com");
  assert.deepEqual(mail?.to, [
    "you@example.com",
    "also@example.com",
    "copy@example.com",
    "hidden@example.com",
  ]);
  const [head = "", body] = mail!.text.split("\r\n\r\n");
  assert.match(head, /^To: you@example\.com, also@example\.com$/m);
  assert.match(head, /^Cc: copy@example\.com$/m);
  assert.match(head, new RegExp(`^Message-ID: <${email.sid}@sip\\.test>$`, "m"));
  assert.match(head, /^Date: Wed, 31 Jan 2024 12:00:00 \+0000$/m);
  assert.doesNotMatch(mail!.text, /hidden@/);
  assert.equal(body, "line one\r\n.\r\nend\r\n");
});

Deno.test("smtpMailer() returns the refused recipients, and throws emailRefused when all were", async () => {
  await using server = await startMailServer({
    refuses: (address) => address === "you@example.com" ? undefined : 550,
  });
  const mailer = smtpMailer(server.url, "sip.test");

  assert.deepEqual(await mailer.send({ ...email, bcc: null }, signal), [
    "also@example.com",
    "copy@example.com",
  ]);
  const nobody = { ...email, to: "also@example.com", cc: null, bcc: null };
  await assert.rejects(mailer.send(nobody, signal), (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.fault, "emailRefused");
    assert.match(error.message, /550/);
    return true;
  });
});

Deno.test("smtpMailer() takes the address of its server from the names of the process", async () => {
  await using server = await startMailServer();
  const asked: string[] = [];
  const names: Names = {
    addressesOf(host) {
      asked.push(host);
      return Promise.resolve([{ address: "::1", family: 6 }, { address: "127.0.0.1", family: 4 }]);
    },
    query: (work) => work(),
  };
  const url = server.url.replace("127.0.0.1", "mail.test"); // The system knows no such name.
  await smtpMailer(url, "sip.test", names).send(email, signal);

  assert.deepEqual(asked, ["mail.test"]);
  assert.equal(server.mails.length, 1);
});

Deno.test("smtpMailer() throws an error that allows a retry when no server listens", async () => {
  const server = await startMailServer();
  await server[Symbol.asyncDispose]();

  const failure = smtpMailer(server.url, "sip.test").send(email, signal);

  await assert.rejects(failure, (error) => !(error instanceof Fault));
});
