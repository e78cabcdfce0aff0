import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { made, notifications, xml } from "../support/service/hand_companion.ts";

const number = "+12025550143";
const customer = "+12025550199";

/** Responses of an application server, by path; any other path gets an empty 200. */
type Pages = Record<string, (form: URLSearchParams) => Response>;

/** A number with SmsUrl, and an application server; `forms` is what that was asked, in order. */
async function startLab(app: App, pages: Pages, fields: Record<string, string> = {}) {
  const forms: { path: string; form: Record<string, string> }[] = [];
  const asked: Promise<void>[] = [];
  app.answers = (request) => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(
      request.clone().text().then((text) => {
        const form = Object.fromEntries(new URLSearchParams(text || searchParams));
        forms.push({ path: pathname, form });
      }),
    );
    return pages[pathname]?.(searchParams) ?? new Response();
  };
  const form = { PhoneNumber: number, SmsUrl: "https://app.test/in", ...fields };
  await made(app.root, "IncomingPhoneNumbers", form);
  /** A message comes in; the Sid of its received record. */
  const receive = async () => {
    await made(app.root, "SMS/Messages", { From: customer, To: number, Body: "hello" });
    await app.runJobs();
    await Promise.all(asked);
    const all = await messages(app);
    return all.find(({ status }) => status === "received")!.sid as string;
  };
  return { forms, receive };
}

async function messages(app: App): Promise<Record<string, string>[]> {
  return (await app.root.get("SMS/Messages.json?PageSize=1000")).json().messages;
}

const replies = async (app: App) =>
  (await messages(app)).filter(({ direction }) => direction === "outbound-call")
    .map(({ from, to, body }) => [from, to, body]).toSorted();

/** Runs jobs until no retry is left. */
async function runAll(app: App) {
  for (let i = 0; i < 8; i++) {
    app.clock.now += 2 * 3_600_000;
    await app.runJobs();
  }
}

Deno.test("SmsUrl's markup: Sms, Email and Redirect are done, others are noted", async () => {
  using app = await startApp();
  const { forms, receive } = await startLab(app, {
    "/in": () =>
      xml(`<Say>no</Say><Sms>thanks</Sms><Sms to="client:x" from="+12025550101">two</Sms>
        <Email from="a@app.test" to="b@app.test" subject="An SMS">it came</Email>
        <Redirect method="GET">next?x=1</Redirect><Sms>never</Sms>`),
    "/next": () => xml("<Sms>bye</Sms>"),
  });

  const sid = await receive();

  assert.deepEqual(forms.map(({ path }) => path), ["/in", "/next"]);
  assert.deepEqual(forms[0]!.form, {
    SmsSid: sid,
    MessageSid: sid,
    AccountSid: app.root.sid,
    From: customer,
    To: number,
    Body: "hello",
    ApiVersion: "2012-04-24",
    NumMedia: "0",
    FromCountry: "US",
    FromState: "DC",
    ToCountry: "US",
    ToState: "DC",
  });
  assert.deepEqual([forms[1]!.form.x, forms[1]!.form.SmsSid], ["1", sid]);
  assert.deepEqual(await replies(app), [
    ["+12025550101", "client:x", "two"],
    [number, customer, "bye"],
    [number, customer, "thanks"],
  ]);
  assert.deepEqual(
    app.mailed.map(({ to, subject, body }) => [to, subject, body]),
    [["b@app.test", "An SMS", "it came"]],
  );
  const skipped = (await notifications(app)).filter((text) => text.includes("verb Say"));
  assert.equal(skipped.length, 1);
});

Deno.test("the action of an Sms is requested with its Sid and status, and its document goes on", async () => {
  using app = await startApp();
  const { forms, receive } = await startLab(app, {
    "/in": () =>
      xml(`<Sms action="/sent" method="GET" statusCallback="/told" statusCallbackMethod="GET">
        one</Sms><Sms>never</Sms>`),
    "/sent": () => xml("<Sms>two</Sms>"),
  });

  const sid = await receive();

  const all = await messages(app);
  const one = all.find(({ body }) => body === "one")!;
  const action = forms.find(({ path }) => path === "/sent")!.form;
  assert.deepEqual([action.SmsSid, action.SmsStatus, action.MessageSid], [one.sid, "sending", sid]);
  const told = forms.find(({ path }) => path === "/told")!.form;
  assert.deepEqual([told.SmsSid, told.SmsStatus, told.MessageStatus], [
    one.sid,
    "failed",
    "failed",
  ]);
  assert.deepEqual((await replies(app)).map(([, , body]) => body), ["one", "two"]);
});

Deno.test("SmsFallbackUrl is requested with ErrorCode and ErrorUrl when SmsUrl fails", async () => {
  using app = await startApp();
  const fallback = { SmsFallbackUrl: "https://app.test/second", SmsFallbackMethod: "GET" };
  const { forms, receive } = await startLab(app, {
    "/in": () => new Response("no markup", { headers: { "content-type": "image/png" } }),
    "/second": () => xml("<Sms>from the fallback</Sms>"),
  }, fallback);

  await receive();

  const { ErrorCode, ErrorUrl, Body } = forms[1]!.form;
  assert.deepEqual([ErrorCode, ErrorUrl, Body], ["12300", "https://app.test/in", "hello"]);
  assert.deepEqual((await replies(app)).map(([, , body]) => body), ["from the fallback"]);
  assert.match(
    (await notifications(app)).join("\n"),
    /content type of the document: SM\w+: Content-Type is im/,
  );
});

Deno.test("an application server that is down gets the message when it is back", async () => {
  using app = await startApp();
  let isUp = false;
  const page = () => isUp ? xml("<Sms>at last</Sms>") : new Response("", { status: 503 });
  const { receive } = await startLab(app, { "/in": page });

  await receive();
  assert.deepEqual(await replies(app), []);
  isUp = true;
  await runAll(app);

  assert.deepEqual((await replies(app)).map(([, , body]) => body), ["at last"]);
  assert.deepEqual((await notifications(app)).filter((text) => text.includes("document")), []);
});

Deno.test("a document that stays unreachable makes one Notification, after every attempt", async () => {
  using app = await startApp();
  const { forms, receive } = await startLab(app, {
    "/in": () => new Response("boom", { status: 500 }),
  });

  await receive();
  await runAll(app);

  assert.equal(forms.length, app.ports.settings.webhookMaxAttempts);
  const told = (await notifications(app)).filter((text) => text.includes("markup document"));
  assert.equal(told.length, 1);
  assert.match(told[0]!, /SM\w+: the server answered 500/);
});

Deno.test("a job that a killed process left sends nothing twice", async () => {
  using app = await startApp();
  let fails = true;
  const { receive } = await startLab(app, {
    "/in": () =>
      xml(
        '<Sms>one</Sms><Email from="a@b.test" to="c@d.test" subject="s">x</Email>' +
          "<Redirect>/next</Redirect>",
      ),
    "/next": () => fails ? new Response("", { status: 500 }) : xml("<Sms>two</Sms>"),
  });

  await receive(); // It ends in the middle, with what it did done.
  assert.deepEqual((await replies(app)).map(([, , body]) => body), ["one"]);
  fails = false;
  await runAll(app);

  assert.deepEqual((await replies(app)).map(([, , body]) => body), ["one", "two"]);
});

Deno.test("documents that redirect without end are left after the fiftieth", async () => {
  using app = await startApp();
  const { forms, receive } = await startLab(app, {
    "/in": () => xml("<Redirect>/in</Redirect>"),
  });

  await receive();

  assert.equal(forms.length, limits.documentHops);
  assert.equal(
    (await notifications(app)).filter((text) => text.includes("redirect without end")).length,
    1,
  );
});

Deno.test("two numbers that answer each other are stopped, with a Notification", async () => {
  using app = await startApp();
  const { receive } = await startLab(app, { "/in": () => xml("<Sms>again</Sms>") });
  const other = { PhoneNumber: customer, SmsUrl: "https://app.test/in" };
  await made(app.root, "IncomingPhoneNumbers", other);

  await receive();

  assert.ok((await replies(app)).length <= 2 * limits.messagesOfPair);
  const told = (await notifications(app)).filter((text) => text.includes("so many messages"));
  assert.equal(told.length, 1);
});

Deno.test("an Sms or Email that cannot be sent makes a Notification, and its action gets failed", async () => {
  using app = await startApp();
  const { forms, receive } = await startLab(app, {
    "/in": () =>
      xml(`<Email from="nobody" to="b@app.test" subject="s">x</Email>
        <Email to="b@app.test">x</Email><Sms action="/sent">${"x".repeat(161)}</Sms>`),
  });

  await receive();

  assert.equal(forms.find(({ path }) => path === "/sent")!.form.SmsStatus, "failed");
  assert.deepEqual(
    (await notifications(app)).map((text) => text.replace(/SM\w+/, "SM")).toSorted(),
    [
      "Cannot perform a part of the markup: Email: From must be an e-mail address",
      "Cannot perform a part of the markup: SM: Email: it needs from",
      "Cannot send the message: its Body is too long: Sms: Body must have at most 160 characters",
    ],
  );
});
