import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { startApp } from "../support/service/app.ts";

const wanted = {
  From: "me@example.com",
  To: "you@example.com",
  Subject: "Hi <you>",
  Body: "line one\r\nline two",
};

Deno.test("POST /Email/Messages sends by a job and answers the record", async () => {
  using app = await startApp();
  const form = { ...wanted, CC: "a@example.com, b@example.com", BCC: "c@example.com" };

  const answer = await app.root.post("Email/Messages.json", form);
  await app.runJobs();

  assert.deepEqual(answer.json(), {
    account_sid: app.root.sid,
    date_sent: "2024-01-31T12:00:00.000Z",
    from: "me@example.com",
    to: "you@example.com",
    body: "line one\r\nline two",
    subject: "Hi <you>",
  });
  const [mailed] = app.mailed;
  assert.equal(app.mailed.length, 1);
  assert.deepEqual([mailed?.cc, mailed?.bcc], [form.CC, form.BCC]);
  assert.match(mailed!.sid, /^EM[0-9a-f]{32}$/);
  const [kept] = (await app.root.get("Email/Messages.json")).json().messages;
  assert.deepEqual([kept.sid, kept.status, kept.subject, kept.cc], [
    mailed!.sid,
    "sent",
    "Hi <you>",
    form.CC,
  ]);
  const stored = await app.ports.records.emails.get(app.root.sid, kept.sid);
  assert.deepEqual([stored!.body, stored!.bcc], ["", null]);
});

Deno.test("GET /Email/Messages lists the outcome of each e-mail, for its own account", async () => {
  using app = await startApp({
    ports: {
      mailer: { send: ({ to }) => Promise.reject(new Error(`connection to ${to} refused`)) },
    },
  });
  const other = await app.subAccount(app.root, "other");
  await app.root.post("Email/Messages.json", wanted);
  const queued = (await app.root.get("Email/Messages.json")).json();
  assert.deepEqual([queued.total, queued.messages[0].status], [1, "queued"]);
  const { sid } = queued.messages[0];
  for (let attempt = 0; attempt < limits.emailAttempts; attempt++) {
    await app.runJobs();
    app.clock.now += 700_000;
  }
  const failed = (await app.root.get(`Email/Messages/${sid}.json`)).json();
  assert.equal(failed.status, "failed");
  assert.match(failed.cause, /^to you@example\.com: .*refused/);
  assert.equal((await other.get("Email/Messages.json")).json().total, 0);
  assert.equal((await other.get(`Email/Messages/${sid}.json`)).status, 404);
});

Deno.test("POST /Email/Messages answers 503 and names SMTP_URL when it is not configured", async () => {
  using app = await startApp({ ports: { mailer: null } });

  const answer = await app.root.post("Email/Messages.json", wanted);

  assert.deepEqual([answer.status, answer.json().code], [503, 20503]);
  assert.match(answer.json().message, /SMTP_URL/);
});

Deno.test("POST /Email/Messages names wrong parameters also without a mail server", async () => {
  using app = await startApp({ ports: { mailer: null } });

  const answer = await app.root.post("Email/Messages.json", { ...wanted, To: "nobody" });

  assert.equal(answer.status, 400);
  assert.match(answer.json().message, /: To must be/);
});

Deno.test("POST /Email/Messages names every parameter that is wrong", async () => {
  using app = await startApp();
  const many = Array.from({ length: limits.emailRecipients + 1 }, (_, n) => `u${n}@example.com`);
  const cases: [Record<string, string>, RegExp][] = [
    [{ From: "me" }, /From must be an e-mail address$/],
    [{ From: "a@example.com,b@example.com" }, /From must be an e-mail address$/],
    [{ To: "" }, /To must be e-mail addresses, separated by commas$/],
    [{ To: "you@example.com, nobody" }, /To must be e-mail addresses/],
    [{ To: "Bob <you@example.com>" }, /To must be e-mail addresses/],
    [{ CC: "nobody" }, /CC must be e-mail addresses/],
    [{ BCC: many.join(",") }, /BCC must have at most 30 addresses$/],
    [{ Subject: "" }, /Subject must not be empty$/],
    [{ Subject: "x".repeat(161) }, /Subject must have at most 160 characters$/],
    [{ Body: "" }, /Body must not be empty$/],
  ];

  for (const [changes, message] of cases) {
    const answer = await app.root.post("Email/Messages.json", { ...wanted, ...changes });
    assert.deepEqual([answer.status, answer.json().code], [400, 20001], answer.text);
    assert.match(answer.json().message, message);
  }
  const missing = (await app.root.post("Email/Messages.json")).json().message;
  assert.match(missing, /From is required; To is required; Body is required; Subject is required$/);
});

Deno.test("an e-mail as large as may be is taken, however its addresses are spaced", async () => {
  using app = await startApp();
  const label = "y".repeat(60);
  const long = (n: number) =>
    `${String(n).padStart(2, "0")}${"x".repeat(60)}@${label}.${label}.${label}.com`;
  const many = Array.from({ length: limits.emailRecipients }, (_, n) => long(n));
  const spaced = many.join(`,${" ".repeat(200)}`);
  const form = { ...wanted, To: ` ${spaced} `, CC: spaced, BCC: spaced };

  const Body = "語".repeat(limits.parameterLength);
  const answer = await app.root.post("Email/Messages.json", { ...form, Body });

  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json().to, many.join(", "));
});

Deno.test("no parameter of an e-mail can add a header line", async () => {
  using app = await startApp();

  for (const name of ["From", "To", "Subject", "CC", "BCC"]) {
    for (const end of ["\r\n", "\n", "\r", "\u0085", "\u2028", "\0"]) {
      const text = name === "Subject" ? "Hi" : "a@example.com";
      const form = { ...wanted, [name]: `${text}${end}Bcc: victim@example.com` };
      assert.equal((await app.root.post("Email/Messages", form)).status, 400, name);
    }
  }
  await app.runJobs();
  assert.deepEqual(app.mailed, []);
});

Deno.test("e-mails are neither changed nor deleted", async () => {
  using app = await startApp();

  for (const method of ["PUT", "DELETE"]) {
    const answer = await app.root.request(method, "Email/Messages.json");
    assert.deepEqual([answer.status, answer.headers.get("Allow")], [405, "GET, HEAD, POST"]);
  }
});
