import assert from "node:assert/strict";
import type { NoteStep } from "../../core/protocol/note.ts";
import type { Script } from "../../core/protocol/script.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, notifications, xml } from "../support/service/hand_companion.ts";

const caller = "+12025550199";

/** A call placed by REST, answered, whose document is given; its leg, and the script of it. */
async function answered(app: App, body: string, To = "client:alice") {
  await made(app.root, "Clients", { Login: "alice", Password: "pass" });
  app.answers = (request) =>
    request.url === "https://app.test/voice" ? xml(body) : xml("<Hangup/>");
  const form = { From: caller, To, Url: "https://app.test/voice" };
  const { sid } = await made(app.root, "Calls", form);
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: caller, to: To, sipCallId: "sip-1" });
  return { leg, script: await leg.report({ type: "answered" }) };
}

const noteOf = (script: Script): NoteStep => script.find((step) => step.type === "note")!;

/** The report that a companion makes when it has come to a note. */
const reached = ({ serviceContext, action }: NoteStep) =>
  ({ type: "noted", serviceContext, ...action && { action } }) as const;

async function formOf(app: App, url: string) {
  const asked = app.fetched.find((one) => one.url === url);
  return asked && Object.fromEntries(new URLSearchParams(await asked.clone().text()));
}

const messages = async (app: App) => (await app.root.get("SMS/Messages.json")).json().messages;

Deno.test("an Sms in a call is sent once, however often its report comes, and its action requested", async () => {
  using app = await startApp();
  const sms = '<Sms to="+12025550111" action="/sent" statusCallback="/told">hi</Sms>';
  const { leg, script } = await answered(app, sms);

  const event = reached(noteOf(script));
  const next = await leg.report(event);
  await Promise.all([leg.repeat(), leg.repeat()]);
  await app.runJobs();

  assert.deepEqual(next, [{ type: "hangup" }]);
  const sent = await messages(app);
  assert.equal(sent.length, 1);
  const [{ sid, from, to, body, direction, status }] = sent;
  assert.deepEqual([from, to, body], [caller, "+12025550111", "hi"]);
  assert.deepEqual([direction, status], ["outbound-call", "failed"]); // No route leads there.
  const action = await formOf(app, "https://app.test/sent");
  assert.deepEqual([action!.SmsSid, action!.SmsStatus, action!.From], [sid, "sending", caller]);
  assert.equal((await formOf(app, "https://app.test/told"))!.SmsStatus, "failed");
});

Deno.test("Sms without an action lets the script go on; it goes to the one on the other side", async () => {
  using app = await startApp();
  app.registered.set("alice", [{} as never]);
  const { leg, script } = await answered(app, "<Sms>hi</Sms><Hangup/>");

  assert.deepEqual(script.map(({ type }) => type), ["note", "hangup"]);
  assert.deepEqual(await leg.report(reached(noteOf(script))), []);
  await app.runJobs();

  assert.deepEqual(app.messaged.map(({ login, from, body }) => [login, from, body]), [
    ["alice", caller, "hi"],
  ]);
});

Deno.test("Sms that the account may not send makes a Notification, and its action gets failed", async () => {
  using app = await startApp();
  Object.assign(app.ports.settings, { strictSmsFrom: true });
  const { leg, script } = await answered(app, '<Sms action="/sent">hi</Sms>');

  await leg.report(reached(noteOf(script)));
  await leg.repeat();

  assert.equal((await formOf(app, "https://app.test/sent"))!.SmsStatus, "failed");
  assert.equal((await formOf(app, "https://app.test/sent"))!.SmsSid, undefined);
  assert.deepEqual(await messages(app), []);
  const told = (await notifications(app)).filter((text) => text.includes("Sms: From"));
  assert.equal(told.length, 1);
});

Deno.test("the action of an Sms is requested also when the caller has left", async () => {
  using app = await startApp();
  const { leg, script } = await answered(app, '<Sms action="/sent">hi</Sms>');

  await leg.report(reached(noteOf(script)), { wantsScript: false });
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();

  assert.equal((await formOf(app, "https://app.test/sent"))!.SmsStatus, "sending");
  assert.equal((await messages(app)).length, 1);
});

Deno.test("Email in a call is sent once", async () => {
  using app = await startApp();
  const email = '<Email from="a@app.test" to="b@app.test" cc="c@app.test" bcc="d@app.test" ' +
    'subject="Missed">A call</Email>';
  const { leg, script } = await answered(app, email);

  await leg.report(reached(noteOf(script)));
  await leg.repeat();
  await app.runJobs();

  assert.deepEqual(
    app.mailed.map(({ from, to, cc, bcc, subject, body }) => [from, to, cc, bcc, subject, body]),
    [["a@app.test", "b@app.test", "c@app.test", "d@app.test", "Missed", "A call"]],
  );
});

Deno.test("Email without a mail server, a sender or a recipient makes a Notification", async () => {
  using app = await startApp({ ports: { mailer: null } });
  const { leg, script } = await answered(
    app,
    '<Email to="b@app.test">x</Email><Email from="b@app.test">x</Email>' +
      '<Email from="a@app.test" to="b@app.test" subject="x">x</Email>',
  );

  assert.deepEqual(script.map(({ type }) => type), ["note", "hangup"]);
  await leg.report(reached(noteOf(script)));

  const told = (await notifications(app)).toSorted();
  assert.match(told[0]!, /Email: it needs from; Email: it needs to/);
  assert.match(told[1]!, /Cannot send the e-mail: Email: .*SMTP_URL/);
});

Deno.test("the Notification of a refused order has its parameters", async () => {
  const documents: [xml: string, path: string, asked: Record<string, string>][] = [
    [
      '<Email from="a@app.test" to="b@app.test" bcc="c@app.test" subject="x">text</Email>',
      "Email/Messages",
      { From: "a@app.test", To: "b@app.test", Subject: "x", Body: "text" },
    ],
    [
      `<Sms from="+15550001" to="+15550002" statusCallback="https://u:pw@app.test/cb">${
        "x".repeat(161)
      }</Sms>`,
      "SMS/Messages",
      {
        From: "+15550001",
        To: "+15550002",
        Body: "x".repeat(161),
        StatusCallback: "https://app.test/cb",
      },
    ],
    [
      '<Geolocation deviceIdentifier="nobody" statusCallback="/found"><Immediate/></Geolocation>',
      "Geolocation/Immediate",
      { DeviceIdentifier: "nobody", StatusCallback: "https://app.test/found" },
    ],
  ];
  for (const [xml, path, asked] of documents) {
    using app = await startApp({ ports: { mailer: null } });
    const { leg, script } = await answered(app, xml);
    await leg.report(reached(noteOf(script)));

    const [notice, ...others] = (await app.root.get("Notifications.json")).json().notifications;
    assert.deepEqual(others, []);
    const { request_url: url, request_method: method, request_variables: variables } = notice;
    assert.deepEqual(
      [url, method],
      [`http://api.test/2012-04-24/Accounts/${app.root.sid}/${path}`, "POST"],
    );
    assert.deepEqual(Object.fromEntries(new URLSearchParams(variables)), asked);
  }
});

Deno.test("Geolocation in a call looks the device up, and both callbacks are sent", async () => {
  const asked: string[] = [];
  const lookUp = (msisdn: string) => (asked.push(msisdn), Promise.resolve("mcc=748,cellid=12"));
  using app = await startApp({ ports: { locationSource: { lookUp } } });
  const noun = '<Notification eventGeofenceLatitude="1.5" eventGeofenceLongitude="-2" ' +
    'geofenceRange="10" geofenceEvent="in"/>';
  const { leg, script } = await answered(
    app,
    `<Geolocation deviceIdentifier="+59899077937" action="/asked" statusCallback="/found">${noun}
     </Geolocation>`,
  );

  await leg.report(reached(noteOf(script)));
  await leg.repeat();
  await app.runJobs();

  assert.deepEqual(asked, ["59899077937"]);
  const action = await formOf(app, "https://app.test/asked");
  const found = await formOf(app, "https://app.test/found");
  assert.equal(action!.GeolocationStatus, "queued");
  assert.deepEqual(
    [found!.GeolocationSid, found!.GeolocationStatus, found!.CellId, found!.EventGeofenceLatitude],
    [action!.GeolocationSid, "successful", "12", "1.5"],
  );
  const one = await app.root.get(`Geolocation/Notification/${action!.GeolocationSid}.json`);
  assert.equal(one.status, 200);
});

const wrongLookUps: [body: string, rule: RegExp][] = [
  ["<Immediate/>", /DeviceIdentifier must be a subscriber number/],
  ["<Notification/>", /EventGeofenceLatitude is required/],
  ['<Notification eventGeofenceLatitude="91"/>', /EventGeofenceLatitude must be from -90 to 90/],
];

for (const [body, rule] of wrongLookUps) {
  Deno.test(`Geolocation with ${body} that is wrong leaves a Notification, and its action gets the error`, async () => {
    using app = await startApp();
    const verb = `<Geolocation action="/asked" statusCallback="/found">${body}</Geolocation>`;
    const { leg, script } = await answered(app, verb);

    await leg.report(reached(noteOf(script)));

    assert.equal((await formOf(app, "https://app.test/asked"))!.GeolocationStatus, "failed");
    const told = await notifications(app);
    assert.equal(told.length, 1);
    assert.match(told[0]!, rule);
  });
}

Deno.test("Geolocation without a statusCallback goes on with its action, and a note", async () => {
  using app = await startApp();
  const { script } = await answered(app, '<Geolocation action="/asked"/>');

  assert.deepEqual(script.map(({ type }) => type), ["next", "hangup"]);
  assert.match((await notifications(app))[0]!, /Geolocation: it needs a statusCallback/);
});
