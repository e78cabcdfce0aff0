import assert from "node:assert/strict";
import { smtpMailer } from "../../core/machine/adapters/mailer.ts";
import { type App, startApp } from "../support/service/app.ts";
import { made, notifications } from "../support/service/hand_companion.ts";
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from "../support/service/mail_server.ts";

const form = { From: "me@example.com", To: "you@example.com", Subject: "Grüße 😀", Body: "hello" };

/** The service, and the mail server that it is configured with. */
async function startLab(options: MailServerOptions = {}, url?: (url: string) => string) {
  const server = await startMailServer(options);
  const mailer = smtpMailer(url?.(server.url) ?? server.url, "sip.test");
  const app = await startApp({ ports: { mailer } });
  return {
    app,
    server,
    async [Symbol.asyncDispose]() {
      app[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function send({ app }: { app: App }, more: Record<string, string> = {}) {
  await made(app.root, "Email/Messages", { ...form, ...more });
  await app.runJobs();
}

/** The head of an e-mail, its folded lines joined. */
const headOf = ({ mails }: MailServer) =>
  mails[0]!.text.split("\r\n\r\n")[0]!.replaceAll(/\r\n[ \t]+/g, " ");

const login = { user: "me", password: "p@ss w:rd" };

Deno.test("an e-mail goes out after STARTTLS and AUTH, with CC for all to see and BCC for none", async () => {
  await using lab = await startLab({ login });

  await send(lab, { CC: "c1@example.com, c2@example.com", BCC: "hidden@example.com" });

  const [mail, ...others] = lab.server.mails;
  assert.equal(others.length, 0);
  assert.deepEqual([mail!.user, mail!.isEncrypted], ["me", true]);
  assert.deepEqual(mail!.to, [
    "you@example.com",
    "c1@example.com",
    "c2@example.com",
    "hidden@example.com",
  ]);
  assert.match(headOf(lab.server), /^Cc: c1@example\.com, c2@example\.com$/m);
  assert.doesNotMatch(mail!.text, /hidden/);
  assert.deepEqual(await notifications(lab.app), []);
});

Deno.test("a password that the mail server does not take is our trouble: it is tried again", async () => {
  await using lab = await startLab({ login }, (url) => url.replace("me:", "other:"));

  await send(lab);
  assert.deepEqual(await notifications(lab.app), []);
  for (let attempt = 2; attempt <= 6; attempt++) {
    lab.app.clock.now += 1_200_000;
    await lab.app.runJobs();
  }

  assert.deepEqual(lab.server.mails, []);
  const [notice, ...others] = await notifications(lab.app);
  assert.equal(others.length, 0);
  assert.match(notice!, /Cannot send the e-mail: EM\w+ to you@example\.com: .*535/);
  assert.doesNotMatch(notice!, /p@ss|p%40ss/);
});

Deno.test("a server whose certificate is not trusted gets neither password nor e-mail", async () => {
  await using lab = await startLab({ login }, (url) => url.replace(/&tls\.ca=[^&]*/, ""));

  await send(lab);

  assert.deepEqual(lab.server.mails, []);
});

Deno.test("a server without STARTTLS gets neither password nor e-mail if it is required", async () => {
  await using lab = await startLab({ login, isPlain: true });

  await send(lab);

  assert.deepEqual(lab.server.mails, []);
});

Deno.test("a mail server that is busy is tried again with the same Message-ID", async () => {
  let isBusy = true;
  await using lab = await startLab({ refuses: () => isBusy ? 451 : undefined });

  await send(lab);
  assert.deepEqual(lab.server.mails, []);
  isBusy = false;
  lab.app.clock.now += 60_000;
  await lab.app.runJobs();

  assert.equal(lab.server.mails.length, 1);
  assert.match(headOf(lab.server), /^Message-ID: <EM[0-9a-f]{32}@sip\.test>$/mi);
  assert.deepEqual(await notifications(lab.app), []);
});

Deno.test("recipients that are refused for good make a Notification; the others get the e-mail", async () => {
  await using lab = await startLab({
    refuses: (address) => address.startsWith("no") ? 550 : undefined,
  });

  await send(lab, { To: "you@example.com, nobody@example.com" });

  assert.deepEqual(lab.server.mails.map(({ to }) => to), [["you@example.com"]]);
  const [notice] = await notifications(lab.app);
  assert.match(notice!, /nobody@example\.com: refused, others got it/);
});

Deno.test("Subject arrives as it was, up to 160 characters of any script", async () => {
  await using lab = await startLab();
  const Subject = "ж".repeat(160);

  const tooLong = await lab.app.root.post("Email/Messages.json", {
    ...form,
    Subject: Subject + "x",
  });
  await send(lab, { Subject });

  assert.equal(tooLong.status, 400);
  const encoded = /^Subject: (.*)$/m.exec(headOf(lab.server))![1]!;
  const words = [...encoded.matchAll(/=\?UTF-8\?(B|Q)\?([^?]*)\?=/gi)].map(([, how, text]) =>
    how!.toUpperCase() === "B" ? Uint8Array.fromBase64(text!) : Uint8Array.from(
      text!.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
      (letter) => letter.charCodeAt(0),
    )
  );
  assert.equal(words.map((word) => new TextDecoder().decode(word)).join(""), Subject);
});

const injections: Record<string, Record<string, string>> = {
  "a line end in Subject": { Subject: "Hi\r\nBcc: evil@example.com" },
  "a bare LF in Subject": { Subject: "Hi\nBcc: evil@example.com" },
  "a line end in To": { To: "you@example.com\r\nBcc: evil@example.com" },
  "a line end in From": { From: "me@example.com\r\nBcc: evil@example.com" },
  "a name in To": { To: "Evil <evil@example.com>" },
  "an option in From": { From: "me@example.com SIZE=1" },
};

for (const [what, wrong] of Object.entries(injections)) {
  Deno.test(`${what} sends nothing`, async () => {
    await using lab = await startLab();

    const { status } = await lab.app.root.post("Email/Messages.json", { ...form, ...wrong });
    await lab.app.runJobs();

    assert.equal(status, 400);
    assert.deepEqual(lab.server.mails, []);
  });
}

Deno.test("a Body that looks like commands and headers stays a body", async () => {
  await using lab = await startLab();
  const Body = "Bcc: evil@example.com\r\n\r\n.\r\nMAIL FROM:<evil@example.com>\r\nend";

  await send(lab, { Body });

  assert.equal(lab.server.mails.length, 1);
  const [mail] = lab.server.mails;
  assert.deepEqual(mail!.to, ["you@example.com"]);
  assert.ok(mail!.text.split("\r\n\r\n").slice(1).join("\r\n\r\n").startsWith(Body), mail!.text);
});
