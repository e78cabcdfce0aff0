import assert from "node:assert/strict";
import { takeAggregatorMessage } from "../../core/messages/aggregator.ts";
import { numberOf } from "../../core/numbers/find_number.ts";
import type { NumberQuery } from "../../core/protocol/trunks.ts";
import { takeTrunkMessage } from "../../routes/protocol/trunk_message.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made } from "../support/service/hand_companion.ts";
import { startLab as startSmpp } from "../support/service/smpp_lab.ts";

/** A number of one account, and how carriers and people write it. */
const held = "+14155550142";
const spellings = ["14155550142", "4155550142", "0014155550142", "1 (415) 555-0142"];

const virtual = (account: ApiClient, PhoneNumber: string) =>
  made(account, "IncomingPhoneNumbers", {
    PhoneNumber,
    isSIP: "true",
    VoiceUrl: "https://thief.test/",
    SmsUrl: "https://thief.test/",
  });

/** One account holds a number; another one has virtual numbers of its spellings, and a pattern. */
async function squat(app: App, country: string | null = "US") {
  app.ports.settings.trunks.country = country;
  const owner = await app.subAccount(app.root, "owner");
  const thief = await app.subAccount(app.root, "thief");
  const form = {
    PhoneNumber: held,
    VoiceUrl: "https://owner.test/",
    SmsUrl: "https://owner.test/",
  };
  await made(owner, "IncomingPhoneNumbers", form);
  for (const text of spellings.slice(0, 3)) await virtual(thief, text);
  await virtual(thief, "\\+?1?415\\d{7}");
  return { owner, thief };
}

/** The account that a trunk's call reaches by a number. */
const reached = async (app: App, dialled: string[], gateway: NumberQuery["gateway"] = null) =>
  (await numberOf({ dialled, gateway }, app.ports))?.accountSid ?? null;

const gatewayOf = async (account: ApiClient) => {
  const form = { UserName: "trunk", Password: "secret", Proxy: "proxy.test" };
  const { sid: gatewaySid } = await made(account, "Management/Gateways", form);
  return { gatewaySid, accountSid: account.sid };
};

const texts = async (account: ApiClient): Promise<string[]> =>
  (await account.get("SMS/Messages.json")).json().messages
    .map(({ body }: { body: string }) => body).toSorted();

for (const country of ["US", null]) {
  Deno.test(`calls of the operator's trunks reach the holder of a number in each spelling (${country})`, async () => {
    using app = await startApp();
    const { owner, thief } = await squat(app, country);
    const ofRoot = await gatewayOf(app.root);

    for (const gateway of [null, ofRoot]) {
      for (const text of [held, ...spellings]) {
        const isNational = text === "4155550142" && country === null;
        assert.equal(await reached(app, [text], gateway), isNational ? null : owner.sid, text);
      }
      for (const text of ["+14155550143", "14155550143", "0014155550143", "4155550144"]) {
        assert.equal(await reached(app, [text], gateway), null, `${text}, which nobody holds`);
      }
    }
    const own = await gatewayOf(thief);
    assert.equal(await reached(app, ["14155550142"], own), thief.sid, "by a Gateway of its own");
    assert.equal(await reached(app, ["+14155550199"], own), thief.sid);
  });
}

Deno.test("texts of every carrier reach the holder of a number in each spelling", async () => {
  using app = await startApp();
  const { owner, thief } = await squat(app);
  const sent: string[] = [];
  for (const [at, to] of [held, ...spellings].entries()) {
    const [http, sip] = [`by HTTP to ${to}`, `by SIP to ${to}`];
    sent.push(http, sip);
    assert.equal(
      await takeAggregatorMessage(
        { id: `${at}`, from: "+442079460000", to, body: http },
        app.ports,
      ),
      "taken",
    );
    const from = { user: "+442079460000", host: "carrier.test" };
    const trunkText = { dialled: [to], gateway: null, body: sip, id: `${at}`, headers: {}, from };
    assert.deepEqual(await takeTrunkMessage(trunkText, app.ports), { status: 202 });
  }
  const stray = { id: "stray", from: "+442079460000", to: "14155550143", body: "for nobody" };
  assert.equal(await takeAggregatorMessage(stray, app.ports), "unknown");
  assert.deepEqual(await texts(owner), sent.toSorted());
  assert.deepEqual(await texts(thief), []);
});

Deno.test("texts of a message center reach the holder of a number in each spelling", async () => {
  await using lab = await startSmpp();
  const { owner, thief } = await squat(lab.app);
  const all = [held, ...spellings.slice(0, 3)];
  for (const to of all) {
    const pdu = { source_addr: "442079460000", destination_addr: to, short_message: `to ${to}` };
    assert.equal(await lab.center.deliver(pdu), 0, to);
  }
  assert.deepEqual(await texts(owner), all.map((to) => `to ${to}`).toSorted());
  assert.deepEqual(await texts(thief), []);
});

Deno.test("a USSD code of the operator's trunks is that of the root or of an account it is allowed to", async () => {
  using app = await startApp();
  const [allowed, other] = [
    await app.subAccount(app.root, "allowed"),
    await app.subAccount(app.root, "other"),
  ];
  const below = await app.subAccount(allowed, "below");
  await virtual(app.root, "*100#");
  await virtual(allowed, "*101#");
  await virtual(below, "*102\\*\\d+#");
  await virtual(other, "*103#");
  await virtual(other, "*10.*");
  const codes = ["*100#", "*101#", "*102*7#", "*103#", "*109#"];
  const found = () => Promise.all(codes.map((code) => reached(app, [code, "+442079460000"])));

  assert.deepEqual(await found(), [app.root.sid, null, null, null, null]);
  app.ports.settings.trunks.virtualNumberAccounts = [allowed.sid];
  assert.deepEqual(await found(), [app.root.sid, allowed.sid, below.sid, null, null]);
});

Deno.test("a number of the provider goes before a virtual one of an account that is allowed them", async () => {
  using app = await startApp();
  const { owner, thief } = await squat(app);
  app.ports.settings.trunks.virtualNumberAccounts = [thief.sid];
  for (const text of [held, ...spellings]) {
    assert.equal(await reached(app, [text]), owner.sid, text);
  }
  assert.equal(await reached(app, ["14155550143"]), thief.sid, "what nobody holds is a pattern's");
});

Deno.test("virtual numbers serve related callers alone", async () => {
  using app = await startApp();
  const { owner, thief } = await squat(app);
  app.ports.settings.trunks.numbersVouched = true;
  const below = await app.subAccount(thief, "below");
  await virtual(thief, "100");
  await virtual(below, "2..");
  await virtual(below, "support");

  /** The account whose number a Client's call goes to; "out" where it leaves. */
  const goesTo = async (account: ApiClient, user: string) => {
    const login = `phone-${account.sid.slice(-6)}`;
    const known = await app.ports.records.clients.holder("login", login);
    const clientSid = known?.sid ??
      (await made(account, "Clients", { Login: login, Password: "pw-secret" })).sid;
    const uri = `sip:${encodeURIComponent(user)}@sip.test`;
    const leg = app.ports.newSid("CA");
    const event = { type: "incoming", login, clientSid, uri, sipCallId: "s", headers: {} } as const;
    const [step] = await companionOf(app, leg, account.sid).report(event);
    if (step?.type === "dial") {
      const target = step.legs[0]?.target;
      return target?.kind === "number" ? target.accountSid : target?.kind;
    }
    const call = await app.ports.records.calls.get(account.sid, leg);
    return call?.phoneNumberSid === null ? "out" : account.sid;
  };
  for (const account of [thief, below]) {
    assert.equal(await goesTo(account, "100"), thief.sid);
    assert.equal(await goesTo(account, "222"), below.sid);
    assert.equal(await goesTo(account, "support"), below.sid);
  }
  for (const caller of [owner, app.root]) {
    for (const text of [held, "14155550142", "0014155550142", "4155550142"]) {
      assert.equal(await goesTo(caller, text), owner.sid, text);
    }
    for (const text of ["100", "222", "+14155550199", "4155550199"]) {
      assert.equal(await goesTo(caller, text), "out", text);
    }
  }
  assert.equal(await goesTo(app.root, "support"), below.sid, "a name is no number elsewhere");
  assert.equal(await goesTo(owner, "support"), "out");
});
