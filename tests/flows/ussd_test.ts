import assert from "node:assert/strict";
import type { UssdStep } from "../../core/protocol/ussd.ts";
import type { Script } from "../../core/protocol/script.ts";
import { type App, startApp } from "../support/service/app.ts";
import { flowApplication, flowOf } from "../support/service/flow_lab.ts";
import {
  callOf,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

const number = "*135#";

/** A USSD dialogue that a subscriber begins with a code, and the script that answers it. */
async function begun(app: App, form: Record<string, string>) {
  const wanted = { PhoneNumber: number, isSIP: "true", ...form };
  const { sid: numberSid } = await made(app.root, "IncomingPhoneNumbers", wanted);
  const sid = app.ports.newSid("CA");
  const leg = companionOf(app, sid);
  const script = await leg.report({
    type: "incomingNumber",
    numberSid,
    dialled: number,
    from: { user: "+12025550199", host: "home.test" },
    hops: 0,
    sipCallId: "ussd-1",
    headers: {},
    ussd: { text: number },
  });
  return { sid, leg, script };
}

const shown = (script: Script) =>
  script.flatMap((step) => step.type === "ussd" ? [[step.message.text, step.collect]] : []);

const chosen = (script: Script, text: string) => {
  const step = script.find((one): one is UssdStep => one.type === "ussd");
  return { type: "collected", text, action: step!.action! } as const;
};

const lastForm = async (app: App) =>
  Object.fromEntries(new URLSearchParams(await app.fetched.at(-1)!.clone().text()));

Deno.test("a USSD dialogue gets the markup of the number's UssdUrl, and its action the digits", async () => {
  using app = await startApp();
  app.answers = ({ url }) =>
    url.endsWith("/ussd")
      ? xml('<UssdCollect action="chosen"><UssdMessage>1 or 2?</UssdMessage></UssdCollect>')
      : xml("<UssdMessage>Thanks</UssdMessage>");
  const { sid, leg, script } = await begun(app, {
    UssdUrl: "https://app.test/ussd",
    VoiceUrl: "https://app.test/voice",
    VoiceFallbackUrl: "https://app.test/voice-fallback",
  });
  const first = await lastForm(app);

  await leg.report({ type: "answered" }, { wantsScript: false });
  const last = await leg.report(chosen(script, "2"));
  const second = await lastForm(app);
  await leg.report({ type: "ended", outcome: "completed" });

  assert.deepEqual([shown(script), shown(last)], [[["1 or 2?", true]], [["Thanks", false]]]);
  assert.deepEqual([first.From, first.To, first.CallSid], ["+12025550199", number, sid]);
  assert.deepEqual([first.Digits, second.Digits], [undefined, "2"]);
  assert.equal(app.fetched.at(-1)!.url, "https://app.test/chosen");
  assert.equal((await callOf(app, sid)).status, "completed");
  assert.deepEqual(await notifications(app), []);
});

Deno.test("a USSD dialogue to a number without UssdUrl is refused, with a Notification", async () => {
  using app = await startApp();
  const { script } = await begun(app, { VoiceUrl: "https://app.test/voice" });

  assert.deepEqual(script, [{ type: "reject", status: 404, cause: "unreachable" }]);
  assert.match((await notifications(app))[0]!, /\*135# has no UssdUrl/);
});

Deno.test("UssdFallbackUrl is requested when UssdUrl fails, and that of calls never", async () => {
  for (const hasFallback of [true, false]) {
    using app = await startApp();
    app.answers = ({ url }) =>
      url.endsWith("/second")
        ? xml("<UssdMessage>b</UssdMessage>")
        : new Response("", { status: 500 });
    const { script } = await begun(app, {
      UssdUrl: "https://app.test/ussd",
      VoiceFallbackUrl: "https://app.test/voice",
      ...hasFallback && { UssdFallbackUrl: "https://app.test/second" },
    });

    const urls = ["https://app.test/ussd", ...hasFallback ? ["https://app.test/second"] : []];
    assert.deepEqual(app.fetched.map(({ url }) => url), urls);
    assert.deepEqual(
      hasFallback ? shown(script) : script,
      hasFallback ? [["b", false]] : [{ type: "reject", status: 500, cause: "document-failed" }],
    );
  }
});

Deno.test("a USSD dialogue is answered by the flow of its application", async () => {
  using app = await startApp();
  app.answers = () => Response.json({ balance: 12.5 });
  const flow = flowOf({
    hello: { type: "ussdMessage", text: "Hello $From", next: "ask" },
    ask: {
      type: "ussdCollect",
      text: "1 for your balance",
      branches: [{ digits: "1", next: "wait" }],
      next: "bye",
    },
    wait: { type: "ussdMessage", text: "Your balance:", next: "find" },
    find: {
      type: "externalService",
      url: "https://bank.test/$From",
      extract: { balance: "balance" },
      next: "tell",
    },
    tell: { type: "sms", text: "$balance", next: "show" },
    show: { type: "ussdMessage", text: "$balance EUR" },
    bye: { type: "hangup" },
  });
  const { sid: UssdApplicationSid } = await flowApplication(app, flow, "ussd");
  const { leg, script } = await begun(app, { UssdApplicationSid });
  await leg.report({ type: "answered" }, { wantsScript: false });

  const told = await leg.report(chosen(script, "1"));
  const over = await leg.report(chosen(script, "2"));

  assert.deepEqual(shown(script), [["Hello +12025550199\n1 for your balance", true]]);
  assert.deepEqual(told.map(({ type }) => type), ["note", "ussd"]);
  assert.deepEqual(shown(told), [["Your balance:\n12.5 EUR", false]]);
  assert.deepEqual(over, [{ type: "hangup" }]);
  assert.deepEqual(await notifications(app), []);
});

Deno.test("a flow of USSD has no steps of calls", async () => {
  using app = await startApp();
  const Flow = JSON.stringify(flowOf({ a: { type: "say", text: "x" } }));
  const form = { FriendlyName: "x", Kind: "ussd", Flow };
  const { status, message } = (await app.root.post("Applications.json", form)).json();
  assert.equal(status, 400);
  assert.match(message, /Flow step "a": type: say is none of those of Kind ussd: ussdMessage, /);
});

const subscriber = "+442079460000";
const carrier = { UserName: "trunk", Password: "secret", Proxy: "sip.carrier.test" };

/** Pushes a document to a subscriber; returns its call, and the orders to the companion. */
async function pushTo(app: App, document: Response, { To = subscriber, hasGateway = true } = {}) {
  if (hasGateway) await made(app.root, "Management/Gateways", carrier);
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number, isSIP: "true" });
  app.answers = () => document;
  const form = {
    From: number,
    To,
    Url: "https://app.test/push",
    StatusCallback: "https://app.test/s",
  };
  const { sid, status, direction } = await made(app.root, "UssdPush", form);
  assert.deepEqual([status, direction], ["queued", "outbound-api"]);
  await app.runJobs();
  return { sid, script: app.scripts.at(-1)?.script };
}

Deno.test("UssdPush requests its document first, which the INVITE carries", async () => {
  using app = await startApp();
  const question = '<Sms to="+12025550111">hi</Sms>' +
    '<UssdCollect action="/chosen"><UssdMessage>1 or 2?</UssdMessage></UssdCollect>';
  const { sid, script } = await pushTo(app, xml(question));

  const message = { text: "1 or 2?" };
  const [invite, note, step] = script!;
  assert.ok(invite?.type === "invite" && step?.type === "ussd" && note?.type === "note");
  assert.deepEqual(invite.invitation.ussd, { message, collect: true });
  assert.deepEqual([invite.invitation.from, invite.invitation.to], [number, subscriber]);
  assert.equal(step.invited, true);

  const leg = companionOf(app, sid);
  const sipCallId = "ussd-2";
  await leg.report({ type: "inviting", from: number, to: subscriber, sipCallId });
  await leg.report({ type: "answered" }, { wantsScript: false });
  app.answers = () => xml("<UssdMessage>Thanks</UssdMessage>");
  const last = await leg.report({ type: "collected", text: "2", action: step.action! });
  assert.deepEqual(shown(last), [["Thanks", false]]);
  assert.deepEqual((await lastForm(app)).Digits, "2");
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();
  assert.equal((await callOf(app, sid)).price, "0.00");
  assert.equal((await lastForm(app)).CallStatus, "completed");
  assert.deepEqual(await notifications(app), []);
});

const failures: Record<string, { document?: Response; to?: object; told: RegExp }> = {
  "no Gateway": { to: { hasGateway: false }, told: /there is no Gateway/ },
  "a number of this service": {
    to: { To: number },
    told: /\*135# is a Client or number of this service/,
  },
  "a document that shows nothing": {
    document: xml("<Hangup/>"),
    told: /must begin with UssdMessage or UssdCollect/,
  },
  "a document that cannot be had": {
    document: new Response("", { status: 404 }),
    told: /Cannot fetch the markup document: the server answered 404/,
  },
};

for (const [what, { document = xml(""), to = {}, told }] of Object.entries(failures)) {
  Deno.test(`UssdPush fails, with one Notification: ${what}`, async () => {
    using app = await startApp();
    const { sid, script } = await pushTo(app, document, to);

    assert.equal(script, undefined);
    assert.equal((await callOf(app, sid)).status, "failed");
    const texts = (await notifications(app)).filter((text) => !/status callback/.test(text));
    assert.equal(texts.length, 1, texts.join("\n"));
    assert.match(texts[0]!, told);
  });
}
