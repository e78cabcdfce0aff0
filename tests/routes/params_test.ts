import assert from "node:assert/strict";
import { limits } from "../../core/base/limits.ts";
import type { Hono } from "hono";
import { routes } from "../../routes/mod.ts";
import { apiClient } from "../support/service/api_client.ts";
import { startApp } from "../support/service/app.ts";

const client = { Login: "alice", Password: "secret" };

Deno.test("a body over the limit answers 413, with and without Content-Length", async () => {
  using app = await startApp();
  const big = "x".repeat(limits.bodyBytes + 1);
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };

  const whole = await app.root.request("POST", "Clients.json", { headers, body: big });
  const streamed = await app.root.request("POST", "Clients.json", {
    headers,
    body: new Blob([big.slice(1), "yy"]).stream(),
  });
  const declared = await app.root.request("POST", "Clients.json", {
    headers: { ...headers, "Content-Length": String(limits.bodyBytes + 1) },
    body: "x",
  });

  for (const answer of [whole, streamed, declared]) {
    assert.equal(answer.status, 413);
    assert.equal(answer.json().code, 20413);
  }
});

Deno.test("a body that cannot be read answers 400 or 415 and says why", async () => {
  using app = await startApp();
  const cases: [type: string, body: BodyInit, why: RegExp][] = [
    ["application/json", "{", /the body must be JSON$/],
    ["application/json", "[]", /must be a JSON object/],
    ["application/json", "null", /must be a JSON object/],
    ["application/json", '"text"', /must be a JSON object/],
    ["application/json", '{"Login":{"a":1}}', /Login must be a text/],
    ["application/json", '{"Login":[["a"]]}', /Login must be a text/],
    [
      "application/json",
      '{"Login":"a","FriendlyName":"\\ud800"}',
      /: FriendlyName must be whole Unicode/,
    ],
    ["application/xml", "<a/>", /Content-Type must be .*, not "application\/xml"/],
    ["multipart/form-data; boundary=x", "--x--", /Content-Type .* not "multipart\/form-data"/],
    ["text/plain", "Login=a", /Content-Type/],
    ["application/x-www-form-urlencoded", new Uint8Array([0x4c, 0xff]), /UTF-8/],
    [
      "application/x-www-form-urlencoded",
      "Login=bob&Password=secret&FriendlyName=B%C3%BCb%FCb",
      /: FriendlyName must be percent-encoded UTF-8$/,
    ],
    ["application/x-www-form-urlencoded", "L%e2%82gin=bob", /: L�gin must be percent-encoded/],
  ];

  for (const [type, body, why] of cases) {
    const init = { headers: { "Content-Type": type }, body };
    const answer = await app.root.request("POST", "Clients.json", init);
    const isOfType = why.source.includes("Content-Type");
    assert.equal(answer.status, isOfType ? 415 : 400, type);
    assert.equal(answer.json().code, isOfType ? 20415 : 20001);
    assert.match(answer.json().message, why);
  }
});

Deno.test("the values of a JSON body are the texts that a form would carry", async () => {
  using app = await startApp();
  const body = JSON.stringify({ ...client, Status: 0, VoiceUrl: null });
  const headers = { "Content-Type": "application/json; charset=utf-8" };

  const made = (await app.root.request("POST", "Clients.json", { headers, body })).json();

  assert.equal(made.status, "0");
  assert.equal(made.voice_url, null);
});

Deno.test("numbers of a JSON body keep their digits, and no member is given twice", async () => {
  using app = await startApp();
  const headers = { "Content-Type": "application/json" };
  const send = (body: string) => app.root.request("POST", "Applications.json", { headers, body });
  for (const digits of ["7615917337495251231", "1.10", "-0", "0.30000000000000000004", "12"]) {
    const made = await send(`{"FriendlyName": ${digits} }`);
    assert.deepEqual([made.status, made.json().friendly_name], [200, digits]);
  }
  const nested = await send(
    '{"FriendlyName":"a","x":{"FriendlyName":1e5,"y":[{"FriendlyName":2}]}}',
  );
  assert.equal(nested.json().friendly_name, "a");
  for (
    const [body, why] of [
      ['{"FriendlyName":1e400}', /FriendlyName must be a text, a number without an exponent/],
      ['{"FriendlyName":-1E-7}', /a number without an exponent/],
      ['{"FriendlyName":"a","FriendlyName":"a"}', /FriendlyName must be given once/],
      ['{"FriendlyName":"a", "Friendly\\u004eame" :2}', /FriendlyName must be given once/],
      ['{"x":{},"FriendlyName":"\\"{","x":[]}', /x must be given once/],
    ] as const
  ) {
    const refused = await send(body);
    assert.equal(refused.status, 400, body);
    assert.match(refused.json().message, why);
  }
});

Deno.test("control characters that no response could show are refused before anything is stored", async () => {
  using app = await startApp();
  for (const code of [0, 1, 8, 0xb, 0xc, 0xe, 0x1b, 0x1f, 0xfffe, 0xffff]) {
    const Password = `secret${String.fromCharCode(code)}12`;
    const refused = await app.root.post("Clients.json", { Login: "alice", Password });
    assert.equal(refused.status, 400, String(code));
    assert.match(refused.json().message, /Password must have no control characters/);
    const body = JSON.stringify({ Login: "alice", Password });
    const headers = { "Content-Type": "application/json" };
    const asJson = await app.root.request("POST", "Clients.json", { headers, body });
    assert.equal(asJson.status, 400, String(code));
    const twilio = `/2010-04-01/Accounts/${app.root.sid}/Messages.json`;
    const form = { From: "+15550001", To: "+15550009", Body: String.fromCharCode(code) };
    assert.equal((await app.root.post(twilio, form)).status, 400);
  }
  const kept = "one\ttwo\nthree\r\nfour\u0085\u{1f600}";
  const form = { FriendlyName: "a", RcmlUrl: "", Kind: "voice" };
  const made = await app.root.post("Applications.json", { ...form, FriendlyName: "x\ty" });
  assert.equal(made.json().friendly_name, "x\ty");
  const text = { From: "+15550001", To: "+15550009", Body: kept };
  assert.equal((await app.root.post("SMS/Messages.json", text)).json().body, kept);
});

Deno.test("parameter names are case-sensitive, and unknown ones are named in Warning", async () => {
  using app = await startApp();

  const made = await app.root.post("Clients.json", { ...client, login: "bob", friendlyname: "x" });
  assert.equal(made.json().login, "alice");
  const warning = made.headers.get("Warning");
  assert.equal(
    warning,
    '299 - "Unknown parameter: login. Did you mean Login?", ' +
      '299 - "Unknown parameter: friendlyname. Did you mean FriendlyName?"',
  );

  const refused = await app.root.post("Clients.json", { login: "bob", Password: "secret" });
  assert.match(refused.json().message, /Login is required$/);
  assert.match(refused.headers.get("Warning")!, /login/);
});

Deno.test("an unknown parameter makes a Notification, one a day for each name and account", async () => {
  using app = await startApp();
  app.clock.now = Date.UTC(2026, 4, 1, 9);
  const other = await app.subAccount(app.root, "other");
  const told = async ({ get }: typeof other) => {
    const list = (await get("Notifications.json?ErrorCode=12210&PageSize=1000")).json();
    return (list.notifications as Record<string, string>[]).toReversed();
  };
  const call = { To: "client:alice", From: "client:bob", Url: "https://app.test/voice" };
  await app.root.post("Calls.json", { ...call, StatusCalback: "https://app.test/ended" });
  app.clock.now += 2 * 3_600_000;
  await app.root.post("Calls.json", { ...call, StatusCalback: "https://app.test/ended" });
  await app.root.get("Calls.json?Stauts=failed&StartTime=2026-05-01");
  const [misspelt, filter, ...more] = await told(app.root);

  assert.deepEqual(more, []);
  assert.match(
    misspelt!.message_text!,
    /unknown parameter: StatusCalback\. Did you mean StatusCallback\?$/,
  );
  assert.equal(misspelt!.log, 1);
  assert.equal(misspelt!.request_method, "POST");
  assert.match(misspelt!.request_url!, /\/Calls$/);
  assert.match(filter!.message_text!, /: Stauts\. Did you mean Status\?$/);
  assert.deepEqual(await told(other), []);
  await other.get(`/2010-04-01/Accounts/${other.sid}/Calls.json?Stauts=failed`);
  assert.equal((await told(other)).length, 1);
  app.clock.now += 14 * 3_600_000;
  await app.root.get("Calls.json?Stauts=failed");
  assert.equal((await told(app.root)).length, 3);
});

Deno.test("Notifications of unknown parameters are bounded for each tenant", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const below = await app.subAccount(tenant, "below");
  const other = await app.subAccount(app.root, "other");
  for (let n = 0; n < limits.dailyNotices + 20; n++) {
    await (n % 2 === 0 ? tenant : below).get(`Clients.json?Name${n}=x`);
  }
  await other.get("Clients.json?Name=x");

  const counted = async ({ get }: typeof other) =>
    (await get("Notifications.json?ErrorCode=12210")).json().total;
  assert.equal(await counted(tenant) + await counted(below), limits.dailyNotices);
  assert.equal(await counted(other), 1);
});

Deno.test("two instances notify an account of an unknown parameter once", async () => {
  using app = await startApp();
  const twin = apiClient(routes(app.ports) as unknown as Hono, app.root);
  await app.root.get("Clients.json?Name=x");
  await twin.get("Clients.json?Name=x");

  assert.equal((await app.root.get("Notifications.json?ErrorCode=12210")).json().total, 1);
});

Deno.test("parameters in the address of a POST are ignored, and named in Warning", async () => {
  using app = await startApp();

  const missing = await app.root.post("Clients.json?Login=alice&Login=bob", { Password: "secret" });
  const made = await app.root.post("Clients.json?FriendlyName=x&%ff", client);

  assert.deepEqual([missing.status, made.json().friendly_name], [400, "alice"]);
  const warning = `299 - "Unknown parameter: Login in the URL. Send it in the body."`;
  assert.equal(missing.headers.get("Warning"), `${warning}, ${warning}`);
  assert.match(made.headers.get("Warning")!, /FriendlyName.*"Unknown parameter: \?"$/);
});

Deno.test("a URL at a private address is stored, and named in Warning", async () => {
  const urls = {
    VoiceUrl: "http://127.0.0.1:3000/voice",
    VoiceFallbackUrl: "http://localhost/voice",
    SmsUrl: "http://[fd00::1]/sms",
    StatusCallback: "https://app.example.com/events",
  };
  const numbered = { PhoneNumber: "+14155550100", ...urls };
  for (const allowPrivate of [false, true]) {
    using app = await startApp();
    app.ports.settings.trunks.allowPrivate = allowPrivate;
    const made = await app.root.post("IncomingPhoneNumbers.json", numbered);

    assert.equal(made.json().voice_url, urls.VoiceUrl);
    const named = (made.headers.get("Warning") ?? "").match(/request \w+: \S+/g) ?? [];
    const expected = ["VoiceUrl: 127.0.0.1", "VoiceFallbackUrl: localhost", "SmsUrl: fd00::1"];
    assert.deepEqual(named, allowPrivate ? [] : expected.map((text) => `request ${text}`));
  }
});

Deno.test("a Warning never has characters that a header must not have", async () => {
  using app = await startApp();
  const names = ['a"b\\c', "line\r\nSet-Cookie: x=1", "ü€", "x".repeat(1_000)];
  const unknown = Object.fromEntries(names.map((name) => [name, "1"]));

  const { headers, status } = await app.root.post("Clients.json", { ...client, ...unknown });

  assert.equal(status, 200);
  assert.equal(headers.get("Set-Cookie"), null);
  assert.match(headers.get("Warning")!, /^[\x20-\x7e]+$/);
  assert.ok(headers.get("Warning")!.length < 400);
});

Deno.test("every wrong parameter is named with the rule it breaks", async () => {
  using app = await startApp();
  const cases: [Record<string, string | string[]>, string][] = [
    [{ Login: "" }, "Login must be 1 to 64 of letters, digits and - . _ +"],
    [
      { Login: "a b" },
      "Login must be 1 to 64 of letters, digits and - . _ + " +
      "(in a form, + means a space: send + as %2B)",
    ],
    [{ Login: ["a", "b"] }, "Login must be given once"],
    [{ Password: "" }, "Password must have at least 4 characters"],
    [{ Password: "abc" }, "Password must have at least 4 characters"],
    [{ Password: "x".repeat(129) }, "Password must have at most 128 characters"],
    [{ FriendlyName: "x".repeat(65) }, "FriendlyName must have at most 64 characters"],
    [{ Status: "2" }, "Status must be one of 0, 1"],
    [{ Status: ["0", "1"] }, "Status must be given once"],
    [{ VoiceMethod: "PUT" }, "VoiceMethod must be one of GET, POST"],
    [{ VoiceUrl: "ftp://app.test/" }, "VoiceUrl must be an absolute http or https URL"],
    [{ VoiceUrl: ["http://a.test", "http://b.test"] }, "VoiceUrl must be given once"],
    [{ VoiceApplicationSid: "AP1" }, "VoiceApplicationSid must be a Sid that begins AP"],
    [
      { Status: "x", VoiceUrl: "/voice" },
      "Status must be one of 0, 1; VoiceUrl must be an absolute http or https URL",
    ],
  ];

  for (const [form, rules] of cases) {
    const answer = await app.root.post("Clients.json", { ...client, ...form });
    assert.equal(answer.status, 400);
    assert.equal(answer.json().message, `Cannot accept the request parameters: ${rules}`);
  }
  assert.deepEqual((await app.root.get("Clients.json")).json(), []);
});

Deno.test("CLIENT_PASSWORD_MIN is the least that a Password of a Client may have, and is described", async () => {
  using app = await startApp();
  app.ports.settings.clientPasswordMin = 12;
  const http = routes(app.ports);
  const root = apiClient(http as unknown as Hono, app.root);
  const short = { Login: "alice", Password: "x".repeat(11) };
  const long = { ...short, Password: "x".repeat(12) };
  const rule = /: Password must have at least 12 characters$/;

  const { sid } = (await app.root.post("Clients.json", { ...client, Login: "early" })).json();
  assert.match((await root.post("Clients.json", short)).json().message, rule);
  assert.match((await root.put(`Clients/${sid}.json`, short)).json().message, rule);
  assert.equal((await root.put(`Clients/${sid}.json`, { Status: "0" })).json().status, "0");
  assert.equal((await root.post("Clients.json", long)).json().password, long.Password);
  const { components, paths } = (await root.get("/openapi.json")).json();
  assert.equal(components.schemas.ClientCreate.properties.Password.minLength, 12);
  const { post } = paths["/2012-04-24/Accounts/{AccountSid}/Clients.json"];
  const { example } = post.requestBody.content["application/json"];
  assert.equal((await root.post("Clients.json", example)).status, 200, "the example is taken");
});

Deno.test("a percent sign that encodes nothing stands for itself", async () => {
  using app = await startApp();
  const body = "Login=bob&Password=secret&FriendlyName=100%+%E2%82%AC%20%zz";
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };

  const answer = await app.root.request("POST", "Clients.json", { headers, body });

  assert.equal(answer.json().friendly_name, "100% € %zz");
});

Deno.test("an empty URL or Sid on update clears it", async () => {
  using app = await startApp();
  const VoiceUrl = "https://app.test/voice";
  const { sid, voice_url } = (await app.root.post("Clients.json", { ...client, VoiceUrl })).json();
  assert.equal(voice_url, VoiceUrl);

  const cleared = await app.root.post(`Clients/${sid}.json`, { VoiceUrl: "" });

  assert.equal(cleared.json().voice_url, null);
});

Deno.test("an alias means its field, on create and on update", async () => {
  using app = await startApp();
  const form = { FriendlyName: "ivr", HasVoiceCallerIdLookup: "true" };

  const made = (await app.root.post("Applications.json", form)).json();
  assert.equal(made.voice_caller_id_lookup, true);
  const changed = await app.root.put(`Applications/${made.sid}`, { VoiceCallerIdLookup: "false" });
  assert.match(changed.text, /<VoiceCallerIdLookup>false<\/VoiceCallerIdLookup>/);
});

Deno.test("a Login in use answers 409, and is free again when its Client is deleted", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const { sid } = (await app.root.post("Clients.json", client)).json();

  const answer = await other.post("Clients.json", client);
  assert.equal(answer.status, 409);
  assert.equal(answer.json().code, 20409);

  await app.root.delete(`Clients/${sid}`);
  assert.equal((await other.post("Clients.json", client)).status, 200);
});

Deno.test("a VoiceApplicationSid names an Application of the same account", async () => {
  using app = await startApp();
  const other = await app.subAccount(app.root, "other");
  const form = { FriendlyName: "ivr" };
  const own = (await app.root.post("Applications.json", form)).json().sid;
  const foreign = (await other.post("Applications.json", form)).json().sid;
  const { sid } = (await app.root.post("Clients.json", client)).json();

  const set = (VoiceApplicationSid: string) =>
    app.root.post(`Clients/${sid}.json`, { VoiceApplicationSid });
  assert.equal((await set(own)).json().voice_application_sid, own);
  for (const unknown of [foreign, `AP${"0".repeat(32)}`]) {
    assert.match((await set(unknown)).json().message, /VoiceApplicationSid must name one of/);
  }
  assert.equal((await set("")).json().voice_application_sid, null);
});

Deno.test("a body of very many or very long parameters is refused", async () => {
  using app = await startApp();

  const many = await app.root.post("Clients.json", {
    Login: Array(limits.parameters + 1).fill(""),
  });
  assert.match(many.json().message, /at most 1000 parameters/);
  const long = { Login: "x".repeat(limits.longParameterLength + 1) };
  assert.match(
    (await app.root.post("Clients.json", long)).json().message,
    /Login must have at most/,
  );
});

for (
  const [path, form, rule] of [
    ["Clients", "Login=ann+tag&Password=secret", "Login must be 1 to 64"],
    ["Calls", "From=ann&To=sip:+1555@a.test&Url=http://a.test", "To must be a phone number"],
    ["Email/Messages", "From=a+b@a.test&To=c@a.test&Subject=x&Body=y", "From must be"],
  ] as const
) {
  Deno.test(`the error about an unencoded + says to send %2B: ${path}`, async () => {
    using app = await startApp();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };

    const response = await app.root.request("POST", `${path}.json`, { headers, body: form });

    assert.equal(response.status, 400, response.text);
    const { message } = response.json();
    assert.ok(message.includes(rule), message);
    assert.match(message, /\(in a form, \+ means a space: send \+ as %2B\)/);
  });
}
