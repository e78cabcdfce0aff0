import assert from "node:assert/strict";
import { consoleClient, startConsole } from "../../support/service/console_client.ts";
import { companionOf, made } from "../../support/service/hand_companion.ts";

Deno.test("a tenant validates a caller ID at the console: the code, then the outcome of the call", async () => {
  using app = await startConsole();
  Object.assign(app.ports.settings, { strictCallerId: true });
  Object.assign(app.ports.settings.trunks, { outboundProxy: { proxy: "carrier.test" } });
  const { companions } = app.ports;
  await companions.beat({ id: "companion", runId: "run", seenAt: app.clock.now });
  const tenant = await app.subAccount(app.root, "tenant");
  await made(tenant, "IncomingPhoneNumbers", { PhoneNumber: "+12125550100" });
  const browser = consoleClient(app);
  await browser.signIn("tenant@example.com", "tenant");
  const below = `/${tenant.sid}/OutgoingCallerIds`;

  const list = await browser.get(below);
  assert.match(list.text, /OutgoingCallerIds\/validate">Validate a number</);
  const refused = await browser.post(`${below}/validate`, { PhoneNumber: "nonsense" });
  assert.match(refused.text, /role="alert">[^<]*PhoneNumber/);
  await browser.get(`${below}/validate`);
  const started = await browser.post(`${below}/validate`, { PhoneNumber: "+14155550123" });
  const sid = /validations\/(CA[0-9a-f]{32})$/.exec(started.path)?.[1] ?? "";
  const record = (await app.ports.records.calls.get(tenant.sid, sid))!;
  assert.match(started.text, new RegExp(`class="figure">${record.validation!.code}<`));
  assert.match(started.text, /id="validation" data-live="2"/);

  const other = await app.subAccount(app.root, "other");
  const stranger = consoleClient(app, "192.0.2.2");
  await stranger.signIn("other@example.com", "other");
  assert.equal(
    (await stranger.get(`/${other.sid}/OutgoingCallerIds/validations/${sid}`)).status,
    404,
  );

  await app.ports.records.calls.update(tenant.sid, sid, (call) => ({
    record: { ...call, validation: { ...call.validation!, callerIdSid: `PN${"1".repeat(32)}` } },
  }));
  const done = await browser.get(`${below}/validations/${sid}`);
  assert.match(done.text, /\+14155550123 is validated/);
  assert.doesNotMatch(done.text, /data-live/);

  const again = await browser.post(`${below}/validate`, { PhoneNumber: "+14155550124" });
  const [failed = ""] = /CA[0-9a-f]{32}$/.exec(again.path) ?? [];
  const leg = companionOf(app, failed, tenant.sid);
  await leg.report({ type: "inviting", from: "+12125550100", to: "+14155550124", sipCallId: "1" });
  await leg.report({ type: "ended", outcome: "no-answer", sipStatus: 480 });
  const end = await browser.get(`${below}/validations/${failed}`);
  assert.match(end.text, /is not validated: the call ended \(no answer\)/);
  const { sid: plain } = await made(tenant, "Calls", {
    From: "+12125550100",
    To: "+14155550123",
    Url: "https://app.test/voice",
  });
  assert.equal((await browser.get(`${below}/validations/${plain}`)).status, 404);
});
