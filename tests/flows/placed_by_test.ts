import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { actionOf, flowApplication, flowOf, plain } from "../support/service/flow_lab.ts";
import {
  callOf,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

const form = { From: "+15550001", To: "client:alice" };
const hello = flowOf({
  hello: { type: "gather", prompts: [{ say: "Hello $To, from $Direction" }], next: "bye" },
  bye: { type: "say", text: "You typed $Digits" },
});

/** A call that was placed by REST, rang and is answered: its companion, and what the call then does. */
async function answered(app: App, more: Record<string, string>) {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const { sid } = await made(app.root, "Calls", { ...form, ...more });
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report({ type: "inviting", from: form.From, to: form.To, sipCallId: "sip-1" });
  return { sid, leg, script: await leg.report({ type: "answered" }) };
}

Deno.test("POST Calls with an ApplicationSid performs the flow that it holds", async () => {
  using app = await startApp();
  const { sid: ApplicationSid } = await flowApplication(app, hello);

  const { sid, leg, script } = await answered(app, { ApplicationSid });
  const last = await leg.report({ type: "gathered", digits: "42", action: actionOf(script) });
  await leg.report({ type: "ended", outcome: "completed" });

  const gather = plain(script)[0];
  assert.ok(gather?.type === "gather" && gather.prompts[0]?.type === "say");
  assert.equal(gather.prompts[0].text, "Hello client:alice, from outbound-api");
  assert.match(JSON.stringify(last), /You typed 42/);
  assert.deepEqual(app.fetched, []);
  assert.equal((await callOf(app, sid)).status, "completed");
  assert.deepEqual(await notifications(app), []);
});

Deno.test("POST Calls with an ApplicationSid requests its RcmlUrl, and ignores the Url parameters", async () => {
  using app = await startApp();
  const RcmlUrl = "https://app.test/rcml";
  const wanted = { FriendlyName: "ivr", RcmlUrl };
  const { sid: ApplicationSid } = await made(app.root, "Applications", wanted);
  app.answers = ({ url }) =>
    url === RcmlUrl ? new Response("", { status: 500 }) : xml("<Say>fallback</Say>");

  const { script } = await answered(app, {
    ApplicationSid,
    Url: "https://app.test/url",
    Method: "GET",
    FallbackUrl: "https://app.test/fallback",
  });

  assert.deepEqual(app.fetched.map(({ method, url }) => `${method} ${url}`), [`POST ${RcmlUrl}`]);
  assert.deepEqual(script, [{ type: "hangup", cause: "document-failed" }]);
  assert.equal((await notifications(app)).length, 1);
});

Deno.test("a call of an application that is deleted before its answer ends, with one Notification", async () => {
  using app = await startApp();
  const { sid: ApplicationSid } = await flowApplication(app, hello);
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  const { sid } = await made(app.root, "Calls", { ...form, ApplicationSid });
  await app.runJobs();
  await app.root.delete(`Applications/${ApplicationSid}`);

  const script = await companionOf(app, sid).report({ type: "answered" });

  assert.deepEqual(script, [{ type: "hangup", cause: "document-failed" }]);
  const told = await notifications(app);
  assert.equal(told.length, 1, told.join("\n"));
  assert.match(told[0]!, new RegExp(`the application ${ApplicationSid} has none any more`));
});

Deno.test("UssdPush with an ApplicationSid shows the flow that it holds", async () => {
  using app = await startApp();
  const carrier = { UserName: "trunk", Password: "secret", Proxy: "sip.carrier.test" };
  await made(app.root, "Management/Gateways", carrier);
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: "*135#", isSIP: "true" });
  const flow = flowOf({ ask: { type: "ussdCollect", text: "1 or 2, $To?" } });
  const { sid: ApplicationSid } = await flowApplication(app, flow, "ussd");

  await made(app.root, "UssdPush", { From: "*135#", To: "+442079460000", ApplicationSid });
  await app.runJobs();

  const [invite] = app.scripts.at(-1)!.script;
  assert.ok(invite?.type === "invite");
  const message = { text: "1 or 2, +442079460000?" };
  assert.deepEqual(invite.invitation.ussd, { message, collect: true });
});

/** Refused requests, by the rule that the response names. */
const refused: Record<
  string,
  (app: App) => Promise<{ sent: Record<string, string>; code: number }>
> = {
  "Url or ApplicationSid is required": () => answer(21205, {}),
  "ApplicationSid must be a Sid that begins AP": () => answer(20001, { ApplicationSid: "" }),
  "ApplicationSid must name one of the account's applications": async (app) => {
    const other = await app.subAccount(app.root, "other");
    const wanted = { FriendlyName: "theirs", RcmlUrl: "https://app.test/rcml" };
    const { sid: ApplicationSid } = await made(other, "Applications", wanted);
    return { sent: { ApplicationSid }, code: 20001 };
  },
  "of Kind voice; this one has Kind ussd": async (app) => {
    const flow = flowOf({ a: { type: "ussdMessage", text: "x" } });
    const { sid: ApplicationSid } = await flowApplication(app, flow, "ussd");
    return { sent: { ApplicationSid, Url: "https://app.test/" }, code: 20001 };
  },
  "an application that has a Flow or an RcmlUrl": async (app) => {
    const { sid: ApplicationSid } = await made(app.root, "Applications", { FriendlyName: "empty" });
    return { sent: { ApplicationSid, Url: "https://app.test/" }, code: 20001 };
  },
  "Url must be": async (app) => {
    const { sid: ApplicationSid } = await flowApplication(app, hello);
    return { sent: { ApplicationSid, Url: "ftp://app.test/" }, code: 21205 };
  },
};

const answer = (code: number, sent: Record<string, string>) => Promise.resolve({ sent, code });

for (const [rule, make] of Object.entries(refused)) {
  Deno.test(`POST Calls is refused, and makes no call: ${rule}`, async () => {
    using app = await startApp();
    const { sent, code } = await make(app);

    const response = await app.root.post("Calls.json", { ...form, ...sent });

    assert.deepEqual([response.status, response.json().code], [400, code], response.text);
    assert.ok(response.json().message.includes(rule), response.text);
    assert.equal((await app.root.get("Calls.json")).json().total, 0);
  });
}
