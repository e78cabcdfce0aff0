import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { companionOf, made, notifications, xml } from "../../support/service/hand_companion.ts";
import type { App } from "../../support/service/app.ts";

const inviting = (to: string) =>
  ({ type: "inviting", from: "+15550001", to, sipCallId: "sip-1" }) as const;

/** The texts of the first lines of the page of a call, and of its timeline. */
async function pageOf(app: App, sid: string): Promise<{ verdict: string; timeline: string }> {
  const browser = consoleClient(app);
  await browser.signIn("root@example.com", "root password");
  const { text } = await browser.get(`/${app.root.sid}/Calls/${sid}`);
  const plain = (html = "") => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  return {
    verdict: plain(/class="verdict".*?<\/div>/s.exec(text)?.[0]),
    timeline: plain(/<h2>Timeline.*<\/ol>/s.exec(text)?.[0]),
  };
}

/** A call to alice that is answered with markup; what it is hung up with. */
async function answered(app: App, markup: string) {
  await made(app.root, "Clients", { Login: "alice", Password: "secret" });
  app.answers = () => xml(markup);
  const { sid } = await made(app.root, "Calls", {
    From: "me",
    To: "client:alice",
    Url: "https://app.test/voice",
  });
  await app.runJobs();
  const leg = companionOf(app, sid);
  await leg.report(inviting("client:alice"));
  const script = await leg.report({ type: "answered" });
  return { sid, leg, script };
}

/** Ends a leg as its companion does at the hang-up of a script. */
const hungUpBy = (script: { type: string; cause?: unknown }[]) => ({
  type: "ended",
  outcome: "completed",
  disconnection: { by: "service", cause: script.at(-1)?.cause ?? "hangup" },
} as Parameters<ReturnType<typeof companionOf>["report"]>[0]);

Deno.test("a call whose markup ends says so, and one with a Hangup says that", async () => {
  for (
    const [markup, cause, words] of [
      ["<Say>Hello</Say>", "end-of-markup", /The markup came to its end\./],
      ["", "end-of-markup", /The markup came to its end\./],
      ["<Say>Hello</Say><Hangup/>", "hangup", /Hangup in the markup/],
    ] as const
  ) {
    using app = await startConsole();
    const { sid, leg, script } = await answered(app, markup);
    await leg.report(hungUpBy(script));
    const progress = (await app.root.get(`Calls/${sid}/Progress.json`)).json();
    assert.equal(progress.disconnect_cause, cause, markup);
    assert.match((await pageOf(app, sid)).verdict, words);
  }
});

Deno.test("a verb that is skipped stands in the first lines of a call", async () => {
  using app = await startConsole();
  const { sid, leg, script } = await answered(app, "<Sayy>Hello</Sayy><Pause/>");
  await leg.report(hungUpBy(script));
  await app.runJobs();
  assert.match((await pageOf(app, sid)).verdict, /Skipped in its markup: verb Sayy\./);
});

Deno.test("a Dial without an answer stands in the first lines of a call", async () => {
  using app = await startConsole();
  await made(app.root, "Clients", { Login: "bob", Password: "secret" });
  const { sid, leg, script } = await answered(app, "<Dial><Client>bob</Client></Dial>");
  const [dial] = script;
  assert.ok(dial?.type === "dial");
  const [invitation] = dial.legs;
  const child = companionOf(app, invitation!.leg);
  await child.report({ ...inviting("client:bob"), parent: sid });
  const refused = { by: "remote", cause: "refused", text: "Busy Here" } as const;
  await child.report({ type: "ended", outcome: "busy", sipStatus: 486, disconnection: refused });
  app.clock.now += 10_000; // What comes after the Dial may be long.
  await leg.report(hungUpBy(script));

  const { verdict } = await pageOf(app, sid);
  assert.match(verdict, /Its Dial connected nobody: client:bob was busy or refused it/);
  assert.match(verdict, /the callee refused it with 486 Busy Here/);
});

Deno.test("a refused call names its Gateway, and the advice about its status alone", async () => {
  using app = await startConsole();
  const gateway = await made(app.root, "Management/Gateways", {
    FriendlyName: "carrier",
    UserName: "trunk",
    Password: "secret",
    Proxy: "sip.carrier.test",
  });
  await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: "+12125550100" });
  const { sid } = await made(app.root, "Calls", {
    From: "+12125550100",
    To: "+14155550123",
    Url: "https://app.test/voice",
  });
  await app.runJobs();
  const [order] = app.scripts;
  const [invite] = order!.script;
  assert.ok(invite?.type === "invite" && invite.invitation.target.kind === "trunk");
  const [route] = invite.invitation.target.routes;
  assert.deepEqual([route?.gatewaySid, route?.gatewayName], [gateway.sid, "carrier"]);
  const leg = companionOf(app, sid);
  await leg.report(inviting("+14155550123"));
  await leg.report({
    type: "ended",
    outcome: "failed",
    sipStatus: 404,
    detail: "Not Found",
    disconnection: { by: "remote", cause: "refused", text: "Not Found" },
    gateway: { sid: gateway.sid, name: "carrier" },
  });

  assert.match((await notifications(app))[0]!, /SIP 404 Not Found \(by Gateway carrier\)$/);
  const { verdict, timeline } = await pageOf(app, sid);
  assert.match(verdict, /by Gateway carrier/);
  assert.match(verdict, /does not know the number: check the number and its format/);
  assert.doesNotMatch(verdict, /UserName|403|takes no calls/);
  assert.match(timeline, /refused it with 404 Not Found, by Gateway carrier/);
  const progress = (await app.root.get(`Calls/${sid}/Progress.json`)).json();
  assert.deepEqual([progress.gateway_sid, progress.gateway_name], [gateway.sid, "carrier"]);

  const { notifications: [one] } = (await app.root.get("Notifications.json")).json();
  const { pathname, search } = new URL(one.more_info);
  const explained = (await app.root.get(pathname + search)).text;
  assert.match(explained, /SIP 404: The called side does not know the number/);
  assert.doesNotMatch(explained, /SIP 403/);
  assert.match((await app.root.get(pathname)).text, /SIP 403/);
});
