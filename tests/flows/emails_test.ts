import assert from "node:assert/strict";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import type { Mailer } from "../../core/model/ports/providers.ts";
import { type App, startApp } from "../support/service/app.ts";

const form = { From: "me@example.com", To: "you@example.com", Subject: "Hi", Body: "hello" };

async function notifications(app: App) {
  const { notifications } = (await app.root.get("Notifications.json")).json();
  return notifications.map(({ log, error_code, message_text }: Record<string, unknown>) => [
    log,
    error_code,
    String(message_text).replace(/EM[0-9a-f]{32}/, "EM"),
  ]);
}

/** Number of attempts, and the status callback of the customer after all of them. */
async function outcome(send: Mailer["send"]) {
  let asked = 0;
  using app = await startApp({
    ports: {
      mailer: {
        send: (...args) => {
          asked++;
          return send(...args);
        },
      },
    },
  });
  await app.root.post("Email/Messages", form);
  for (let attempt = 1; attempt <= limits.emailAttempts + 1; attempt++) {
    await app.runJobs();
    app.clock.now += 1_200_000;
  }
  const kept = { where: [], skip: 0, limit: 1 };
  const { items: [email] } = await app.ports.records.emails.list(app.root.sid, kept);
  assert.notEqual(email!.status, "queued");
  assert.deepEqual([email!.body, email!.bcc], ["", null]);
  return { asked, told: await notifications(app) };
}

Deno.test("an unreachable mail server is tried again, then a Notification is made", async () => {
  const { asked, told } = await outcome(() => Promise.reject(new Error("connection refused")));

  assert.equal(asked, limits.emailAttempts);
  assert.deepEqual(told, [
    [
      0,
      13250,
      "Cannot send the e-mail: EM to you@example.com: the server refused the connection; is it running there?",
    ],
  ]);
});

Deno.test("an e-mail that is refused for good is not tried again", async () => {
  const refused = new Fault("emailRefused", "550 no such user");
  const { asked, told } = await outcome(() => Promise.reject(refused));

  assert.equal(asked, 1);
  assert.deepEqual(told, [[
    0,
    13251,
    "Cannot send the e-mail: the mail server refused it: EM to you@example.com: 550 no such user",
  ]]);
});

Deno.test("recipients that are refused while others get the e-mail make a warning", async () => {
  const { asked, told } = await outcome(() => Promise.resolve(["you@example.com"]));

  assert.equal(asked, 1);
  assert.deepEqual(told.map(([log, code]: unknown[]) => [log, code]), [[1, 13251]]);
});
