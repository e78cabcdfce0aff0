import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { companionOf, made, xml } from "../support/service/hand_companion.ts";

const own = "+14155550199";

/** A tenant with a number of its own, and a sub-account of the tenant. */
async function tenants() {
  const app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const below = await app.subAccount(tenant, "below");
  await tenant.post("IncomingPhoneNumbers.json", { PhoneNumber: own });
  return { app, tenant, below, [Symbol.dispose]: () => app[Symbol.dispose]() };
}

const declare = async (client: ApiClient, sid = client.sid) => {
  const path = `/2012-04-24/Accounts/${sid}/OutgoingCallerIds.json`;
  const { status, ...answer } = await client.post(path, { PhoneNumber: "+18005551212" });
  return status === 200 ? 200 : answer.json().code;
};

Deno.test("under STRICT_CALLER_ID only the root account adds a caller ID without a call", async () => {
  using lab = await tenants();
  const { app, tenant, below } = lab;
  assert.equal(await declare(tenant), 200); // Without a trunk nothing leaves.

  app.ports.settings.strictCallerId = true;

  assert.equal(await declare(tenant), 21213);
  assert.equal(await declare(below), 21213);
  assert.equal(await declare(tenant, below.sid), 21213);
  assert.equal(await declare(app.root, tenant.sid), 200);
  assert.equal(await declare(app.root), 200);
  const test = { EmailAddress: "t@example.com", Password: "secret", Type: "Test" };
  const made = (await tenant.post("/2012-04-24/Accounts.json", test)).json();
  const simulated = tenant.with({ sid: made.sid, user: made.sid, token: made.auth_token });
  assert.equal(await declare(simulated), 200);
});

Deno.test("a Gateway of the root account makes caller IDs strict unless STRICT_CALLER_ID is false", async () => {
  using lab = await tenants();
  const { app, tenant } = lab;
  app.ports.settings.strictCallerId = null;
  const gateway = { UserName: "t", Password: "secret", Proxy: "sip.carrier.test" };
  await tenant.post("Management/Gateways.json", gateway);
  assert.equal(await declare(tenant), 200); // Its own trunk checks its caller IDs.

  await app.root.post("Management/Gateways.json", gateway);
  assert.equal(await declare(tenant), 21213);

  app.ports.settings.strictCallerId = false;
  assert.equal(await declare(tenant), 200);
});

Deno.test("POST ValidationRequests calls the number, which is added when its owner types the code", async () => {
  using lab = await tenants();
  const { app, tenant } = lab;
  app.ports.settings.strictCallerId = true;
  Object.assign(app.ports.settings.trunks, {
    outboundProxy: { proxy: "edge.carrier.test", credentials: null },
  });
  const number = "+18005551212";
  const callerIds = async () =>
    (await tenant.get("OutgoingCallerIds.json")).json()
      .map(({ phone_number, friendly_name }: Record<string, string>) => [
        phone_number,
        friendly_name,
      ]);

  const asked = await tenant.post("OutgoingCallerIds/ValidationRequests.json", {
    PhoneNumber: number,
    FriendlyName: "Hotline",
  });
  assert.equal(asked.status, 200, asked.text);
  const { validation_code: code, call_sid: sid, phone_number } = asked.json();
  assert.match(code, /^\d{6}$/);
  assert.equal(phone_number, number);
  const call = (await tenant.get(`Calls/${sid}.json`)).json();
  assert.deepEqual([call.to, call.from], [number, own]);
  assert.deepEqual(await callerIds(), []);

  await app.runJobs();
  const leg = companionOf(app, sid, tenant.sid);
  const script = await leg.report({ type: "answered" });
  const gather = script.find((step) => step.type === "gather");
  assert.ok(gather?.type === "gather" && gather.action !== undefined);
  const { action } = gather;
  const wrong = code === "000000" ? "111111" : "000000";
  await leg.report({ type: "gathered", digits: wrong, action });
  assert.deepEqual(await callerIds(), []);
  await leg.report({ type: "gathered", digits: code, action });
  assert.deepEqual(await callerIds(), [[number, "Hotline"]]);
});

for (const hasTrunk of [true, false]) {
  Deno.test(`a validation leaves by no Gateway of its tenant, ${hasTrunk ? "however many it has" : "and fails without a trunk of the operator"}`, async () => {
    using lab = await tenants();
    const { app, tenant } = lab;
    app.ports.settings.strictCallerId = true;
    const gateway = (Proxy: string) => ({ UserName: "t", Password: "secret", Proxy });
    for (let n = 0; n < 12; n++) {
      await tenant.post("Management/Gateways.json", gateway(`own${n}.tenant.test`));
    }
    if (hasTrunk) await app.root.post("Management/Gateways.json", gateway("sip.carrier.test"));

    const asked = await tenant.post("OutgoingCallerIds/ValidationRequests.json", {
      PhoneNumber: "+18005551212",
    });
    await app.runJobs();

    const proxies = app.scripts.flatMap(({ script: [step] }) =>
      step?.type === "invite" && step.invitation.target.kind === "trunk"
        ? step.invitation.target.routes.map(({ proxy }) => proxy)
        : []
    );
    assert.deepEqual(proxies, hasTrunk ? ["sip.carrier.test"] : [], asked.text);
  });
}

Deno.test("an account without a number gets the way to validate one", async () => {
  using lab = await tenants();
  const refused = await lab.below.post("OutgoingCallerIds/ValidationRequests.json", {
    PhoneNumber: "+18005551212",
  });
  assert.equal(refused.json().code, 21210);
  assert.match(refused.json().message, /buy a number, or let the root account add one/);
});

const email = { To: "a@example.com", Subject: "Hi", Body: "Hello" };

Deno.test("under STRICT_EMAIL_FROM e-mail leaves only from senders that the operator allows", async () => {
  using lab = await tenants();
  const { app, tenant, below } = lab;
  const other = await app.subAccount(app.root, "other");
  const codeOf = async (client: ApiClient, From: string) => {
    const { status, ...answer } = await client.post("Email/Messages.json", { ...email, From });
    return status === 200 ? 200 : answer.json().code;
  };
  assert.equal(await codeOf(tenant, "ceo@bank.test"), 200);

  Object.assign(app.ports.settings, {
    strictEmailFrom: true,
    emailSenders: [
      { accountSid: null, sender: "news@all.test" },
      { accountSid: tenant.sid, sender: "@tenant.test" },
    ],
  });

  for (
    const [client, from, code] of [
      [tenant, "ceo@bank.test", 21607],
      [tenant, "tenant@example.com", 200],
      [tenant, "Tenant@Example.COM", 200],
      [below, "tenant@example.com", 200],
      [below, "below@example.com", 21607], // The tenant chose it.
      [tenant, "root@example.com", 21607],
      [other, "tenant@example.com", 21607],
      [other, "news@all.test", 200],
      [other, "NEWS@ALL.test", 200],
      [other, "sales@all.test", 21607],
      [tenant, "any@tenant.test", 200],
      [below, "any@tenant.test", 200],
      [other, "any@tenant.test", 21607],
      [tenant, "any@sub.tenant.test", 21607],
      [tenant, "any@eviltenant.test", 21607],
      [app.root, "ceo@bank.test", 200],
    ] as const
  ) {
    assert.equal(await codeOf(client, from), code, `${client.sid} ${from}`);
  }
});

Deno.test("markup sends e-mail by the same rule", async () => {
  using lab = await tenants();
  const { app, tenant } = lab;
  Object.assign(app.ports.settings, { strictEmailFrom: true });
  Object.assign(app.ports.settings.trunks, {
    outboundProxy: { proxy: "edge.carrier.test", credentials: null },
  });
  const mailed = async (from: string) => {
    const email = `<Email from="${from}" to="a@example.com" subject="Hi">Hello</Email>`;
    app.answers = () => xml(email);
    const form = { From: own, To: "+18005551212", Url: "https://app.test/voice" };
    const { sid } = await made(tenant, "Calls", form);
    await app.runJobs();
    const leg = companionOf(app, sid, tenant.sid);
    const script = await leg.report({ type: "answered" });
    const note = script.find((step) => step.type === "note")!;
    const { serviceContext, action } = note;
    await leg.report({ type: "noted", serviceContext, ...action && { action } });
    await app.runJobs();
    return app.mailed.map(({ from }) => from);
  };
  assert.deepEqual(await mailed("ceo@bank.test"), []);
  assert.deepEqual(await mailed("tenant@example.com"), ["tenant@example.com"]);
});

/** A call that a tenant's Gateway brought to the tenant's number, whose markup dials on. */
async function passedOn(
  { app, tenant }: Awaited<ReturnType<typeof tenants>>,
  { dial, gatewayOf }: { dial: string; gatewayOf?: string },
) {
  const [found] = (await tenant.get("IncomingPhoneNumbers.json")).json();
  await tenant.post(`IncomingPhoneNumbers/${found.sid}.json`, { VoiceUrl: "https://app.test/v" });
  app.answers = () => xml(`<Dial>${dial}</Dial>`);
  const leg = companionOf(app, app.ports.newSid("CA"), tenant.sid);
  const script = await leg.report({
    type: "incomingNumber",
    numberSid: found.sid,
    dialled: own,
    from: { user: "+18005551212", host: "pbx.test" },
    hops: 0,
    ...gatewayOf !== undefined && { gatewayOf },
    sipCallId: crypto.randomUUID(),
    headers: {},
  });
  const step = script.find((step) => step.type === "dial");
  const targets = step?.type === "dial" ? step.legs : [];
  return targets.map(({ target }) =>
    target.kind === "trunk" ? target.routes.map(({ proxy }) => proxy) : target.kind
  );
}

Deno.test("a caller that a tenant's Gateway names leaves by the tenant's trunks alone under STRICT_CALLER_ID", async () => {
  using lab = await tenants();
  const { app, tenant } = lab;
  const outboundProxy = { proxy: "edge.carrier.test", credentials: null };
  Object.assign(app.ports.settings.trunks, { outboundProxy });
  const of = { gatewayOf: tenant.sid };
  const far = "<Number>+442079460000</Number>";
  assert.deepEqual(await passedOn(lab, { dial: far, ...of }), [["edge.carrier.test"]]);

  app.ports.settings.strictCallerId = true;

  assert.deepEqual(await passedOn(lab, { dial: far, ...of }), [[]]); // No route: it fails.
  // The operator's trunk vouches for the caller.
  assert.deepEqual(await passedOn(lab, { dial: far }), [["edge.carrier.test"]]);
  assert.deepEqual(await passedOn(lab, { dial: far, gatewayOf: app.root.sid }), [[
    "edge.carrier.test",
  ]]);
  await tenant.post("Management/Gateways.json", {
    UserName: "t",
    Password: "secret",
    Proxy: "pbx.test",
  });
  assert.deepEqual(await passedOn(lab, { dial: far, ...of }), [["pbx.test"]]);
});

Deno.test("a caller that a tenant's Gateway names reaches Clients of the tenant alone under STRICT_CALLER_ID", async () => {
  using lab = await tenants();
  const { app, tenant, below } = lab;
  app.ports.settings.strictCallerId = true;
  const other = await app.subAccount(app.root, "other");
  for (const [client, Login] of [[tenant, "mine"], [below, "below"], [other, "theirs"]] as const) {
    await client.post("Clients.json", { Login, Password: "secret" });
  }
  const of = { gatewayOf: tenant.sid };
  assert.deepEqual(await passedOn(lab, { dial: "<Client>mine</Client>", ...of }), ["client"]);
  assert.deepEqual(await passedOn(lab, { dial: "<Client>below</Client>", ...of }), ["client"]);
  assert.deepEqual(await passedOn(lab, { dial: "<Client>theirs</Client>", ...of }), [[]]);
});
