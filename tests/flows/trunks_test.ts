import assert from "node:assert/strict";
import type { Script } from "../../core/protocol/script.ts";
import {
  type IncomingNumber,
  type NumberQuery,
  trunkLimits,
  type TrunkTarget,
} from "../../core/protocol/trunks.ts";
import { numberOf } from "../../core/numbers/find_number.ts";
import type { TrunkSettings } from "../../core/model/values/trunk_settings.ts";
import { limits } from "../../core/base/limits.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import {
  callOf,
  companionOf,
  made,
  notifications,
  xml,
} from "../support/service/hand_companion.ts";

const ours = "+14155550101";
const theirs = "+14155550199";
const far = "+442079460000";
const leg = (digit: string) => `CA${digit.repeat(32)}`;

/** The service, with trunks as a test wants them. */
async function startTrunks(trunks: Partial<TrunkSettings> = {}): Promise<App> {
  const app = await startApp();
  Object.assign(app.ports.settings.trunks, trunks);
  return app;
}

const outboundProxy = {
  proxy: "edge.carrier.test",
  credentials: { userName: "op", password: "p" },
};

const gateway = (account: ApiClient, name: string, form: Record<string, string> = {}) =>
  made(account, "Management/Gateways", {
    UserName: name,
    Password: `of ${name}`,
    Proxy: `${name}.test:5060`,
    ...form,
  });

const number = (account: ApiClient, phoneNumber = ours, form: Record<string, string> = {}) =>
  made(account, "IncomingPhoneNumbers", {
    PhoneNumber: phoneNumber,
    VoiceUrl: "https://app.test/number",
    ...form,
  });

const virtual = (account: ApiClient, pattern: string) =>
  number(account, pattern, { isSIP: "true" });

/** Places a call by REST, and returns its Sid. */
async function post(app: App, form: Record<string, string>, account = app.root): Promise<string> {
  const sent = { From: ours, To: far, Url: "https://app.test/voice", ...form };
  const { sid } = await made(account, "Calls", sent);
  await app.runJobs();
  return sid;
}

/** The last invitation that the companion was ordered to send. */
function invitation(app: App) {
  const step = app.scripts.at(-1)?.script[0];
  assert.equal(step?.type, "invite");
  return step.type === "invite" ? step.invitation : assert.fail();
}

const trunkOf = (target: unknown): TrunkTarget => {
  assert.equal((target as TrunkTarget).kind, "trunk");
  return target as TrunkTarget;
};

/** The INVITE of a Client without markup of its own. */
async function dials(app: App, dialled: string, account = app.root): Promise<Script> {
  const login = `phone-${account.sid.slice(-4)}`;
  const known = await app.ports.records.clients.holder("login", login);
  const sid = known?.sid ??
    (await made(account, "Clients", { Login: login, Password: "pw-secret" })).sid;
  const uri = dialled.includes("@") ? `sip:${dialled}` : `sip:${dialled}@sip.test`;
  const event = {
    type: "incoming",
    login,
    clientSid: sid,
    uri,
    sipCallId: "s",
    headers: {},
  } as const;
  return await companionOf(app, app.ports.newSid("CA"), account.sid).report(event);
}

function arriving(found: { sid: string }, form: Partial<IncomingNumber> = {}): IncomingNumber {
  const from = { user: "+442079461234", host: "carrier.test" };
  const base = { type: "incomingNumber", dialled: ours, from, hops: 0 } as const;
  return { ...base, numberSid: found.sid, sipCallId: "sip-1", headers: {}, ...form };
}

const ask = async (app: App, dialled: string | string[], from: NumberQuery["gateway"] = null) => {
  const query = { dialled: [dialled].flat(), gateway: from };
  return await numberOf(query, app.ports);
};

Deno.test("a call with GatewaySid leaves by that Gateway alone, even to a number of the service", async () => {
  using app = await startTrunks({ outboundProxy });
  await gateway(app.root, "first");
  const { sid } = await gateway(app.root, "second");
  await number(app.root);
  for (const To of [far, ours]) {
    await post(app, { To, GatewaySid: sid });
    const { routes, dialled } = trunkOf(invitation(app).target);
    assert.equal(dialled, To);
    assert.deepEqual(routes.map(({ gatewaySid }) => gatewaySid), [sid]);
  }
});

Deno.test("GatewaySid names a Gateway that the account may use, and To a phone number", async () => {
  using app = await startTrunks();
  const other = await app.subAccount(app.root, "other");
  await number(app.root);
  const [theirs, mine] = [await gateway(other, "theirs"), await gateway(app.root, "mine")];
  const placing = (account: ApiClient, form: Record<string, string>) =>
    account.post("Calls.json", { From: ours, To: far, Url: "https://app.test/voice", ...form });

  const foreign = await placing(app.root, { GatewaySid: theirs.sid });
  assert.equal(foreign.status, 400);
  assert.match(foreign.text, /GatewaySid must name a Gateway of the account/);
  await made(app.root, "Clients", { Login: "alice", Password: "pw-secret" });
  const client = await placing(app.root, {
    To: "client:alice",
    From: "alice",
    GatewaySid: mine.sid,
  });
  assert.match(client.text, /GatewaySid needs a To that is a phone number/);
  assert.match((await placing(app.root, { GatewaySid: "GW1" })).text, /GatewaySid must be a Sid/);

  const { sid } = await made(app.root, "Calls", {
    From: ours,
    To: far,
    Url: "https://app.test/voice",
    GatewaySid: mine.sid,
  });
  await app.root.delete(`Management/Gateways/${mine.sid}.json`);
  await app.runJobs();
  assert.equal((await app.root.get(`Calls/${sid}.json`)).json().status, "failed");
  assert.match((await notifications(app)).join(), new RegExp(`there is no Gateway ${mine.sid}`));
});

Deno.test("POST /Calls to a number leaves by its Gateways, its ancestors', then the operator's proxy", async () => {
  using app = await startTrunks({ outboundProxy });
  const tenant = await app.subAccount(app.root, "tenant");
  const sub = await app.subAccount(tenant, "sub");
  const above = await gateway(app.root, "root");
  const between = await gateway(tenant, "tenant");
  const failed = await gateway(sub, "failed");
  const waiting = await gateway(sub, "waiting");
  const fixed = await gateway(sub, "fixed", { Register: "false" });
  const good = await gateway(sub, "good");
  for (const [{ sid }, status] of [[good, "registered"], [failed, "failed"]] as const) {
    await app.ports.records.gateways.update(sub.sid, sid, (record) => ({
      record: { ...record, status },
    }));
  }
  await number(sub);

  const sid = await post(app, {}, sub);

  const { to, from, target } = invitation(app);
  assert.deepEqual([to, from], [far, ours]);
  const { dialled, routes } = trunkOf(target);
  assert.equal(dialled, far);
  assert.deepEqual(
    routes.map(({ gatewaySid }) => gatewaySid),
    [good.sid, fixed.sid, waiting.sid, between.sid, above.sid, null, failed.sid],
  );
  assert.deepEqual(routes[0], {
    gatewaySid: good.sid,
    gatewayName: "good",
    accountSid: sub.sid,
    proxy: "good.test:5060",
    credentials: { userName: "good", password: "of good" },
    publicOnly: true,
  });
  assert.deepEqual(routes.at(-3)?.publicOnly, false, "the operator's own may be private");
  assert.deepEqual(routes.at(-2), { gatewaySid: null, publicOnly: false, ...outboundProxy });
  assert.equal((await callOf(app, sid, sub)).status, "queued");
});

Deno.test("a call is offered to a bounded number of proxies, the operator's always among them", async () => {
  using app = await startTrunks({ outboundProxy });
  for (let n = 0; n < trunkLimits.routes + 2; n++) await gateway(app.root, `g${n}`);
  await number(app.root);
  await post(app, {});
  const { routes } = trunkOf(invitation(app).target);
  assert.equal(routes.length, trunkLimits.routes);
  assert.equal(routes.at(-1)?.proxy, outboundProxy.proxy);
});

Deno.test("a call to a number that nothing leads to fails with a Notification", async () => {
  using app = await startTrunks();
  await number(app.root);
  const sid = await post(app, {});
  assert.equal((await callOf(app, sid)).status, "failed");
  assert.match((await notifications(app))[0]!, /Cannot route the call.*no Gateway that it could/);
  assert.deepEqual(app.scripts, []);
});

Deno.test("a call shows as a number, an OutgoingCallerId or a Client of its account, as no other", async () => {
  using app = await startTrunks({ outboundProxy, country: "US" });
  const other = await app.subAccount(app.root, "other");
  await number(app.root);
  await number(other, "+14155550102");
  await made(app.root, "OutgoingCallerIds", { PhoneNumber: "+14155550103" });
  await made(app.root, "Clients", { Login: "alice", Password: "pw-secret" });
  await made(other, "Clients", { Login: "mallory", Password: "pw-secret" });

  for (
    const [From, shown] of [
      ["(415) 555-0101", "+14155550101"],
      ["+14155550103", "+14155550103"],
      ["client:alice", "client:alice"],
    ] as const
  ) {
    await post(app, { From });
    assert.equal(invitation(app).from, shown);
  }
  app.scripts.length = 0;
  for (
    const From of [
      "+14155550102",
      "client:mallory",
      "client:nobody",
      far,
      "Bank",
      `sip:${far}@x.test`,
    ]
  ) {
    const sent = { From, To: far, Url: "https://app.test/voice" };
    const refused = await app.root.post("Calls.json", sent);
    assert.deepEqual([refused.status, refused.json().code], [400, 21210], From);
  }
  assert.deepEqual(app.scripts, []);
});

Deno.test("calls leave to the destinations alone that the operator allows", async () => {
  using app = await startTrunks({ outboundProxy, prefixes: ["+49", "+4420"] });
  await number(app.root);

  const allowed = await post(app, { To: "+442079460000" });
  assert.equal((await callOf(app, allowed)).status, "queued");
  assert.equal(invitation(app).to, "+442079460000");
  app.scripts.length = 0;
  for (const To of ["+4416132960000", "+14155550199", "112"]) {
    const refused = await post(app, { To });
    assert.equal((await callOf(app, refused)).status, "failed", To);
  }
  assert.deepEqual(app.scripts, []);
  for (const notice of await notifications(app)) {
    assert.match(notice, /Cannot call this number: its destination is not allowed: /);
  }
  assert.equal((await notifications(app)).length, 3);

  const inside = await post(app, { To: ours });
  assert.equal((await callOf(app, inside)).status, "queued");
});

Deno.test("national numbers leave in E.164 form where the operator names the country", async () => {
  using app = await startTrunks({ outboundProxy });
  await number(app.root);
  for (
    const [country, To, dialled] of [
      ["GB", "020 7946 0000", far],
      ["GB", "00442079460000", far],
      ["GB", "112", "112"],
      [null, "020 7946 0000", "02079460000"],
      [null, "00442079460000", far],
    ] as const
  ) {
    app.ports.settings.trunks.country = country;
    await post(app, { To });
    assert.equal(trunkOf(invitation(app).target).dialled, dialled, To);
  }
});

Deno.test("sip: addresses of other hosts are called only where the operator allows the host", async () => {
  using app = await startTrunks({ sipHosts: ["pbx.test", "*.partner.test"] });
  for (
    const [To, dialled, publicOnly] of [
      ["sip:bob@PBX.test:5070;transport=tcp;x=y", "sip:bob@pbx.test:5070;transport=tcp", false],
      ["sips:bob%40home@eu.partner.test?X-A=b", "sips:bob%40home@eu.partner.test", true],
    ] as const
  ) {
    await post(app, { To, From: "reception" });
    const target = trunkOf(invitation(app).target);
    assert.deepEqual(target, {
      kind: "trunk",
      dialled,
      routes: [{ gatewaySid: null, proxy: dialled.replace(/[^:@]+@/, ""), publicOnly }],
    });
  }
  app.scripts.length = 0;
  for (const host of ["partner.test", "127.0.0.1", "evil.test", "xpbx.test"]) {
    const sid = await post(app, { To: `sip:bob@${host}` });
    assert.equal((await callOf(app, sid)).status, "failed", host);
  }
  assert.match((await notifications(app))[0]!, /the operator does not allow calls to that host/);

  app.ports.settings.trunks.sipHosts = ["*"];
  await post(app, { To: "sip:bob@127.0.0.1", From: "reception" });
  assert.equal(trunkOf(invitation(app).target).routes[0]?.publicOnly, true);
  app.scripts.length = 0;
  await post(app, { To: "sip:bob@127.0.0.1", From: far });
  assert.deepEqual(app.scripts, [], "nor may a number show there that is another's");
});

Deno.test("numberQuery finds exact numbers, E.164 forms, then patterns: longest, then oldest", async () => {
  using app = await startTrunks({ country: "US" });
  const exact = await number(app.root);
  const short = await virtual(app.root, "1234");
  const wide = await virtual(app.root, "+1415.*");
  const narrow = await virtual(app.root, "+14155550[12]..");
  app.clock.now += 1;
  await virtual(app.root, "+14155550[13]..");
  const evil = await virtual(app.root, "^(0+)+1$");
  const star = await virtual(app.root, "*9\\d*");

  for (
    const [dialled, found] of [
      [ours, exact],
      ["14155550101", exact],
      ["0014155550101", exact],
      ["4155550101", exact],
      ["(415) 555-0101", exact],
      ["1234", short],
      ["+14155550122", narrow],
      ["4155550999", wide],
      ["*91", star],
      ["001", evil],
    ] as const
  ) {
    assert.deepEqual(await ask(app, dialled), {
      accountSid: app.root.sid,
      numberSid: found.sid,
      dialled,
      allowed: true,
    }, dialled);
  }
  assert.deepEqual((await ask(app, ["sip-user", "GW1", ours]))?.dialled, ours);
  for (const dialled of ["", "+14165550101", "12345", "alice", "9", "x".repeat(256)]) {
    assert.equal(await ask(app, dialled), null, dialled);
  }
  const startedAt = performance.now();
  assert.equal(await ask(app, "0".repeat(40)), null);
  assert.ok(performance.now() - startedAt < 10_000, "it does not backtrack");
});

Deno.test("a Gateway's calls reach the numbers of its account and below, an allowed source's all real ones", async () => {
  using app = await startTrunks();
  const [tenant, stranger] = [
    await app.subAccount(app.root, "tenant"),
    await app.subAccount(app.root, "stranger"),
  ];
  const sub = await app.subAccount(tenant, "sub");
  const { sid: gatewaySid } = await gateway(tenant, "trunk");
  await number(sub, ours);
  await number(stranger, theirs);
  await virtual(stranger, "+1415.*");
  await number(app.root, far);
  const from = { gatewaySid, accountSid: tenant.sid };

  assert.equal((await ask(app, ours, from))?.accountSid, sub.sid);
  for (const dialled of [theirs, far, "+14155550177"]) {
    assert.equal(await ask(app, dialled, from), null, dialled);
  }
  assert.equal((await ask(app, theirs))?.accountSid, stranger.sid);
  assert.equal(await ask(app, "+14155550177"), null, "a pattern of an account is not a carrier's");
  assert.equal(await ask(app, ours, { gatewaySid, accountSid: stranger.sid }), null);

  await app.root.post(`/2012-04-24/Accounts/${tenant.sid}`, { Status: "suspended" });
  assert.equal((await ask(app, ours, from))?.allowed, false);
});

Deno.test("a call for a number gets its markup and sends its StatusCallback", async () => {
  using app = await startTrunks();
  const found = await number(app.root, ours, { StatusCallback: "https://app.test/events" });
  app.answers = ({ url }) => url.endsWith("/number") ? xml("<Play>/hi.wav</Play>") : new Response();
  const peer = companionOf(app, leg("1"));

  const headers = { "X-Order": "7", "User-to-User": "ab", "X-": "no", "P-Secret": "no" };
  const event = arriving(found, { displayName: "Ann", forwardedFrom: "+442079465555", headers });
  const script = await peer.report(event);

  assert.deepEqual(script.map(({ type }) => type), ["answer", "play", "hangup"]);
  assert.deepEqual(await peer.repeat(), script);
  const form = new URLSearchParams(await app.fetched[0]!.clone().text());
  const told = {
    From: "+442079461234",
    To: ours,
    Direction: "inbound",
    CallStatus: "ringing",
    PhoneNumberSid: found.sid,
    ForwardedFrom: "+442079465555",
    CallerName: "Ann",
    SipCallId: "sip-1",
    "SipHeader_X-Order": "7",
    "SipHeader_User-to-User": "ab",
  };
  for (const [name, value] of Object.entries(told)) assert.equal(form.get(name), value, name);
  assert.deepEqual([...form.keys()].filter((name) => /SipHeader_(X-$|P)/.test(name)), []);

  await peer.report({ type: "answered" }, { wantsScript: false });
  app.clock.now += 61_000;
  await peer.report({ type: "ended", outcome: "completed" });
  const call = await callOf(app, leg("1"));
  assert.deepEqual(
    [call.direction, call.status, call.from, call.to, call.phone_number_sid, call.forwarded_from],
    ["inbound", "completed", "+442079461234", ours, found.sid, "+442079465555"],
  );
  await app.runJobs();
  const events = app.fetched.filter(({ url }) => url === "https://app.test/events");
  const forms = await Promise.all(events.map(async (one) => new URLSearchParams(await one.text())));
  assert.deepEqual(
    forms.map((one) => [one.get("SequenceNumber"), one.get("CallStatus")]).toSorted(),
    [["0", "ringing"], ["1", "in-progress"], ["2", "completed"]],
  );
});

Deno.test("the application of a number goes before its own VoiceUrl, its fallback after", async () => {
  using app = await startTrunks();
  const form = { FriendlyName: "ivr", RcmlUrl: "https://app.test/ivr" };
  const { sid } = await made(app.root, "Applications", form);
  const found = await number(app.root, ours, { VoiceApplicationSid: sid });
  app.answers = () => xml("<Reject/>");
  const script = await companionOf(app, leg("1")).report(arriving(found));
  assert.deepEqual(script, [{ type: "reject", status: 603 }]);
  assert.equal(app.fetched[0]?.url, "https://app.test/ivr");

  const plain = await number(app.root, theirs, {
    VoiceMethod: "GET",
    VoiceFallbackUrl: "https://app.test/fallback",
  });
  app.fetched.length = 0;
  app.answers = ({ url }) =>
    url.includes("/fallback") ? xml("<Pause/>") : new Response("", { status: 500 });
  await companionOf(app, leg("2")).report(arriving(plain, { dialled: theirs }));
  assert.deepEqual(app.fetched.map(({ method }) => method), ["GET", "POST"]);
});

Deno.test("a number without VoiceUrl refuses, as one that is gone and one of a suspended account do", async () => {
  using app = await startTrunks();
  const silent = await number(app.root, ours, { VoiceUrl: "" });
  assert.deepEqual(await companionOf(app, leg("1")).report(arriving(silent)), [
    { type: "reject", status: 404, cause: "unreachable" },
  ]);
  assert.match((await notifications(app))[0]!, /\+14155550101 has no VoiceUrl/);

  const gone = { sid: `PN${"0".repeat(32)}` };
  assert.deepEqual(await companionOf(app, leg("2")).report(arriving(gone)), [
    { type: "reject", status: 404 },
  ]);
  const tenant = await app.subAccount(app.root, "tenant");
  const found = await number(tenant, theirs);
  await app.root.post(`/2012-04-24/Accounts/${tenant.sid}`, { Status: "suspended" });
  assert.deepEqual(await companionOf(app, leg("3"), tenant.sid).report(arriving(found)), [
    { type: "reject", status: 403, cause: "not-allowed" },
  ]);
  assert.deepEqual(app.fetched, []);
});

Deno.test("the caller of a number is shown as a number, a Client, an address or anonymous", async () => {
  using app = await startTrunks({ country: "GB" });
  const found = await number(app.root);
  app.answers = () => xml("<Reject/>");
  for (
    const [at, [user, host, shown, hops = 0]] of ([
      ["02079461234", "carrier.test", "+442079461234"],
      ["777", "carrier.test", "777"],
      ["alice", "sip.test", "client:alice", 1],
      ["alice", "sip.test", "sip:alice@sip.test"],
      ["alice", "carrier.test", "sip:alice@carrier.test"],
      ["", "carrier.test", "anonymous"],
      ["Anonymous", "anonymous.invalid", "anonymous"],
    ] as const).entries()
  ) {
    const peer = companionOf(app, leg(String(at)));
    await peer.report(arriving(found, { from: { user, host }, hops }));
    assert.equal((await callOf(app, leg(String(at)))).from, shown);
  }
});

Deno.test("a Client that dials a number of its account gets the markup of that number", async () => {
  using app = await startTrunks({ outboundProxy });
  const found = await number(app.root, ours, { StatusCallback: "https://app.test/events" });
  app.answers = ({ url }) => url.endsWith("/number") ? xml("<Pause/>") : new Response();

  const script = await dials(app, "14155550101");

  assert.deepEqual(script.map(({ type }) => type), ["answer", "silence", "hangup"]);
  const { calls: [call] } = (await app.root.get("Calls.json")).json();
  assert.deepEqual([call.to, call.phone_number_sid, call.direction], [ours, found.sid, "inbound"]);
  await made(app.root, `IncomingPhoneNumbers/${found.sid}`, { VoiceUrl: "" });
  const told = "13224: Cannot route the call: the address has no destination: ";
  assert.deepEqual(await dials(app, ours), [
    { type: "reject", status: 404, cause: "unreachable", text: `${told}${ours} has no VoiceUrl` },
  ]);
});

Deno.test("a Client that dials any other number goes out through the trunks", async () => {
  using app = await startTrunks({ outboundProxy, rateMicros: () => 20_000 });
  const [dial] = await dials(app, far);
  assert.equal(dial?.type, "dial");
  if (dial?.type !== "dial") return;
  const [{ to, from, target, serviceContext }] = dial.legs as [typeof dial.legs[0]];
  assert.deepEqual([to, from, dial.media], [
    far,
    `client:phone-${app.root.sid.slice(-4)}`,
    "anchored",
  ]);
  assert.deepEqual(trunkOf(target).routes.map(({ proxy }) => proxy), [outboundProxy.proxy]);
  assert.deepEqual(serviceContext, { rateMicros: 20_000 });

  app.ports.settings.trunks.outboundProxy = null;
  const text = "13224: Cannot route the call: the address has no destination: " +
    `${far}: there is no Gateway that it could leave by`;
  assert.deepEqual(await dials(app, far), [
    { type: "reject", status: 404, cause: "unreachable", text },
  ]);
});

Deno.test("a number of another account is called within the service, when the two belong together", async () => {
  using app = await startTrunks({ outboundProxy });
  const [tenant, stranger] = [
    await app.subAccount(app.root, "tenant"),
    await app.subAccount(app.root, "stranger"),
  ];
  const found = await number(await app.subAccount(tenant, "sub"));
  await virtual(stranger, "+1415.*");

  const [dial] = await dials(app, ours, tenant);
  assert.deepEqual(dial?.type === "dial" && [dial.legs[0]?.target, dial.media], [
    {
      kind: "number",
      accountSid: found.account_sid,
      tenant: tenant.sid,
      numberSid: found.sid,
      dialled: ours,
      hops: 1,
    },
    "anchored",
  ]);
  for (const dialled of [theirs, "+14155550150"]) {
    const [out] = await dials(app, dialled, tenant);
    assert.equal(out?.type === "dial" && out.legs[0]?.target.kind, "trunk", "a stranger's pattern");
  }
  await number(stranger, theirs);
  const [out] = await dials(app, theirs, tenant);
  assert.equal(out?.type === "dial" && out.legs[0]?.target.kind, "trunk", "nobody vouches for it");
  app.ports.settings.trunks.numbersVouched = true;
  const [within] = await dials(app, theirs, tenant);
  assert.equal(within?.type === "dial" && within.legs[0]?.target.kind, "number");
});

Deno.test("a Login that reads as a number takes no calls of unrelated accounts to it", async () => {
  using app = await startTrunks({ outboundProxy });
  const [tenant, stranger] = [
    await app.subAccount(app.root, "tenant"),
    await app.subAccount(app.root, "stranger"),
  ];
  await made(stranger, "Clients", { Login: far, Password: "pw-secret" });
  await made(stranger, "Clients", { Login: "1000", Password: "pw-secret" });
  const kindOf = ([step]: Script) => step?.type === "dial" ? step.legs[0]?.target.kind : step?.type;
  assert.equal(kindOf(await dials(app, far, tenant)), "trunk");
  assert.equal(kindOf(await dials(app, far, stranger)), "client");
  assert.equal(kindOf(await dials(app, "1000", tenant)), "client");
});

Deno.test("Dial takes Number, Sip and plain numbers, and passes the caller on", async () => {
  using app = await startTrunks({ outboundProxy, sipHosts: ["pbx.test"] });
  const found = await number(app.root);
  const other = await number(app.root, theirs);
  app.answers = () =>
    xml(
      `<Dial action="/done"><Number>+44 20 7946 0000?X-A=1</Number><Number>${theirs}</Number>` +
        `<Sip username="u" password="p">sip:bob@pbx.test</Sip></Dial><Dial>${far}</Dial>`,
    );
  const [first, second] = await companionOf(app, leg("1")).report(arriving(found));
  assert.equal(first?.type, "dial");
  if (first?.type !== "dial" || second?.type !== "dial") return;

  assert.deepEqual(first.legs.map(({ from }) => from), Array(3).fill("+442079461234"));
  const [number1, number2, sip] = first.legs.map(({ target }) => target);
  assert.equal(trunkOf(number1).dialled, far);
  assert.deepEqual(first.legs[0]?.headers, { "X-A": "1" });
  assert.equal(number2?.kind === "number" && number2.numberSid, other.sid);
  assert.deepEqual(trunkOf(sip).routes[0]?.credentials, { userName: "u", password: "p" });
  assert.equal(trunkOf(second.legs[0]?.target).dialled, far);
  assert.deepEqual(await notifications(app), []);
});

Deno.test("Dial with a foreign callerId, or without a route, rings no phone and makes a Notification", async () => {
  using app = await startTrunks({ outboundProxy });
  const found = await number(app.root);
  app.answers = () =>
    xml(`<Dial callerId="${theirs}" action="/done"><Number>${far}</Number></Dial>`);
  const [dial] = await companionOf(app, leg("1")).report(arriving(found));
  assert.deepEqual(dial?.type === "dial" && dial.legs[0]?.target, {
    kind: "trunk",
    dialled: far,
    routes: [],
  });
  assert.match(
    (await notifications(app))[0]!,
    /Cannot use this caller ID: \+14155550199/,
  );

  app.ports.settings.trunks.outboundProxy = null;
  app.answers = () => xml(`<Dial>${far}</Dial>`);
  await companionOf(app, leg("2")).report(arriving(found));
  // Two in one ms are in no order.
  assert.match((await notifications(app)).join("\n"), /there is no Gateway that it could leave by/);
});

Deno.test("numbers that dial each other come to an end", async () => {
  using app = await startTrunks();
  const found = await number(app.root);
  app.answers = () => xml(`<Dial>${ours}</Dial>`);
  let event = arriving(found);
  for (let calls = 1;; calls++) {
    assert.ok(calls < 10);
    const [dial] = await companionOf(app, app.ports.newSid("CA")).report(event);
    const target = dial?.type === "dial" ? dial.legs[0]?.target : undefined;
    if (target?.kind !== "number") {
      assert.equal(calls, limits.numberHops + 1);
      break;
    }
    event = arriving(found, { hops: target.hops });
  }
  assert.match((await notifications(app))[0]!, /after 3 numbers whose markup dialled the next/);
});

Deno.test("a call to a number costs by the minute begun, as the rate was when it was placed", async () => {
  using app = await startTrunks({
    outboundProxy,
    rateMicros: (to) => to.startsWith("+44") ? 15_000 : 0,
  });
  await number(app.root);
  const usage = async () => {
    const records = (await app.root.get("Usage/Records.json?Category=calls")).json();
    return records.map(({ count, usage, price }: Record<string, string>) => [count, usage, price]);
  };
  const sid = await post(app, {});
  const peer = companionOf(app, sid);
  await peer.report({ type: "inviting", from: ours, to: far, sipCallId: "s" });
  await peer.report({ type: "answered" });
  app.ports.settings.trunks.rateMicros = () => 0;
  app.clock.now += 60_500;
  await peer.report({ type: "ended", outcome: "completed" });
  await peer.repeat();

  assert.equal((await callOf(app, sid)).price, "0.03");
  assert.deepEqual(await usage(), [["1", "2", "0.03"]]);

  const child = companionOf(app, leg("2"));
  const serviceContext = { rateMicros: 20_000 };
  await child.report({
    type: "inviting",
    parent: sid,
    from: ours,
    to: far,
    sipCallId: "c",
    serviceContext,
  });
  await child.report({ type: "answered" }, { wantsScript: false });
  app.clock.now += 1_000;
  await child.report({ type: "ended", outcome: "completed" });
  assert.equal((await callOf(app, leg("2"))).price, "0.02");

  const busy = companionOf(app, await post(app, {}));
  await busy.report({ type: "ended", outcome: "busy" });
  assert.deepEqual(await usage(), [["2", "3", "0.05"]], "what was not answered costs nothing");
});
