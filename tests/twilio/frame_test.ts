import assert from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import { startTwilioLab } from "../support/service/twilio_lab.ts";

interface Page {
  instances: { sid: string }[];
  nextPage(): Promise<Page> | undefined;
}

const call = { to: "client:alice", from: "client:bob", url: "https://app.test/voice" };

Deno.test("a list of npm twilio reaches its end, each record once, while records arrive", async () => {
  await using lab = await startTwilioLab();
  const made: string[] = [];
  for (let n = 0; n < 7; n++) made.unshift((await lab.client.calls.create(call)).sid);

  const seen: string[] = [];
  let page: Pick<Page, "instances" | "nextPage"> | undefined = await lab.client.calls.page({
    pageSize: 3,
  });
  while (page !== undefined) {
    seen.push(...page.instances.map(({ sid }) => sid));
    await lab.client.calls.create(call);
    page = await page.nextPage();
  }

  assert.deepEqual(seen, made);
  assert.equal((await lab.client.calls.list({ pageSize: 4 })).length, 10);
  assert.equal((await lab.client.calls.list({ limit: 5 })).length, 5);
});

Deno.test("the envelope of a list has the paging of Twilio, with null where no page is", async () => {
  await using lab = await startTwilioLab();
  const { sid } = lab.app.root;
  for (let n = 0; n < 3; n++) await lab.client.calls.create(call);

  const first = await (await lab.ask("GET", "Calls.json?PageSize=2&To=client:alice")).json();
  const second = await (await fetch(lab.url + first.next_page_uri, {
    headers: { Authorization: `Basic ${btoa(`${sid}:${lab.app.root.token}`)}` },
  })).json();

  const list = `/2010-04-01/Accounts/${sid}/Calls.json?To=client%3Aalice&PageSize=2`;
  const [, last] = first.calls;
  assert.deepEqual({ ...first, calls: first.calls.length }, {
    first_page_uri: `${list}&Page=0`,
    end: 1,
    next_page_uri: `${list}&Page=1&PageToken=P${last.sid}`,
    page: 0,
    page_size: 2,
    previous_page_uri: null,
    start: 0,
    uri: `${list}&Page=0`,
    calls: 2,
  });
  assert.deepEqual({ ...second, calls: second.calls.length }, {
    first_page_uri: `${list}&Page=0`,
    end: 2,
    next_page_uri: null,
    page: 1,
    page_size: 2,
    previous_page_uri: `${list}&Page=0`,
    start: 2,
    uri: `${list}&Page=1&PageToken=P${last.sid}`,
    calls: 1,
  });
});

Deno.test("a PageToken that no list gave is refused, as a wrong Page and PageSize are", async () => {
  await using lab = await startTwilioLab();
  const query = "Page=x&PageSize=0&PageToken=AC1&Status=asleep&StartTime=yesterday";
  const answer = await lab.ask("GET", `Calls.json?${query}`);

  assert.equal(answer.status, 400);
  const { code, message } = await answer.json();
  assert.equal(code, 20001);
  for (const name of ["Page", "PageSize", "PageToken", "Status", "StartTime"]) {
    assert.match(message, new RegExp(`\\b${name} must`));
  }
});

Deno.test("errors reach npm twilio with code, message, more_info and status", async () => {
  await using lab = await startTwilioLab();
  const { client, clientOf, app } = lab;

  await assert.rejects(client.calls("CA" + "0".repeat(32)).fetch(), {
    status: 404,
    code: 20404,
    moreInfo: "http://api.test/errors/20404",
  });
  await assert.rejects(clientOf(app.root.sid, "wrong").calls.list(), { status: 401, code: 20003 });
  await assert.rejects(client.calls.create({ ...call, url: "no URL" }), {
    status: 400,
    code: 21205,
  });
  const unknown = await lab.ask("GET", "Nothing.json");
  assert.equal(unknown.status, 404);
  assert.equal((await unknown.json()).code, 20404);
  const wrongMethod = await lab.ask("DELETE", "Calls.json");
  assert.equal(wrongMethod.status, 405);
  assert.equal(wrongMethod.headers.get("Allow"), "GET, HEAD, POST");
});

Deno.test("a parameter with an effect at Twilio and none here is refused with its reason", async () => {
  await using lab = await startTwilioLab();

  await assert.rejects(lab.client.calls.create({ ...call, byoc: "BY1", passports: "x" }), {
    status: 400,
    message: /Passports is not supported: .*; Byoc is not supported: a Gateway/,
  });
  const ignored = await lab.ask("POST", "Calls.json", {
    To: call.to,
    From: call.from,
    Url: call.url,
    Misspelt: "1",
  });
  assert.equal(ignored.status, 201);
  assert.match(ignored.headers.get("Warning") ?? "", /Unknown parameter: Misspelt/);
});

Deno.test("a parameter that only describes is stored and shown, with a Warning", async () => {
  await using lab = await startTwilioLab();
  const placed = await lab.ask("POST", "Calls.json", {
    To: call.to,
    From: call.from,
    Url: call.url,
    CallReason: "your order",
    CallToken: "",
    Misspelt: "1",
  });
  assert.equal(placed.status, 201);
  const warning = placed.headers.get("Warning") ?? "";
  assert.match(
    warning,
    /299 - "CallReason has no effect: carriers are not told the reason of a call"/,
  );
  assert.match(warning, /Unknown parameter: Misspelt/);
  assert.doesNotMatch(warning, /CallToken/);
  const made = await placed.json();
  assert.equal(made.call_reason, "your order");
  const again = await (await lab.ask("GET", `Calls/${made.sid}.json`)).json();
  assert.equal(again.call_reason, "your order");
  assert.match(
    await (await lab.ask("GET", `Calls/${made.sid}`)).text(),
    /<CallReason>your order<\/CallReason>/,
  );

  const told = {
    MaxPrice: "0.05",
    ProvideFeedback: "true",
    Attempt: "2",
    ForceDelivery: "true",
    TrafficType: "free",
    MessageIntent: "otp",
    RiskCheck: "disable",
  };
  const sent = await lab.ask("POST", "Messages.json", {
    To: "+14155550109",
    From: "+14155550101",
    Body: "Hi",
    ...told,
  });
  assert.equal(sent.status, 201);
  for (const name of Object.keys(told)) {
    assert.match(sent.headers.get("Warning") ?? "", new RegExp(`"${name} has no effect: `));
  }
  const kept = await (await lab.ask("GET", `Messages/${(await sent.json()).sid}.json`)).json();
  assert.partialDeepStrictEqual(kept, {
    max_price: "0.05",
    provide_feedback: true,
    attempt: 2,
    force_delivery: true,
    traffic_type: "free",
    message_intent: "otp",
    risk_check: "disable",
  });
  const { body } = await lab.client.messages.create({
    to: "+14155550109",
    from: "+14155550101",
    body: "by the library",
    maxPrice: 1,
    provideFeedback: true,
  });
  assert.equal(body, "by the library");
});

Deno.test("a record shows null for parameters that its request did not have", async () => {
  await using lab = await startTwilioLab();
  const { sid } = await lab.client.calls.create({ ...call, callReason: "" });
  assert.equal((await (await lab.ask("GET", `Calls/${sid}.json`)).json()).call_reason, null);
  const there = await lab.app.root.post("Calls.json", {
    To: call.to,
    From: call.from,
    Url: call.url,
  });
  const shown = await (await lab.ask("GET", `Calls/${there.json().sid}.json`)).json();
  assert.equal(shown.call_reason, null);
});

Deno.test("a token that came with a call is not stored", async () => {
  await using lab = await startTwilioLab();
  const { sid } = await lab.client.calls.create({ ...call, callToken: "eyJ-secret" });
  assert.doesNotMatch(await (await lab.ask("GET", `Calls/${sid}.json`)).text(), /eyJ-secret/);
  assert.doesNotMatch(
    JSON.stringify(await lab.app.ports.records.calls.get(lab.app.root.sid, sid)),
    /eyJ-secret/,
  );
});

Deno.test("informational parameters are checked, and errors name them", async () => {
  await using lab = await startTwilioLab();
  const message = { to: "+14155550109", from: "+14155550101", body: "Hi" };
  for (const [name, value] of [["maxPrice", "cheap"], ["attempt", "x"], ["riskCheck", "<b>"]]) {
    await assert.rejects(lab.client.messages.create({ ...message, [name!]: value }), (error) => {
      const { status, message } = error as { status: number; message: string };
      assert.equal(status, 400);
      assert.match(message.toLowerCase(), new RegExp(name!.toLowerCase()));
      return true;
    });
  }
  await assert.rejects(lab.client.calls.create({ ...call, callReason: "x".repeat(256) }), {
    status: 400,
    message: /CallReason/,
  });
});

Deno.test("records, lists and errors are in XML below TwilioResponse without a suffix", async () => {
  await using lab = await startTwilioLab();
  const { sid } = await lab.client.calls.create(call);
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false });
  const read = async (path: string) => parser.parse(await (await lab.ask("GET", path)).text());

  const one = (await read(`Calls/${sid}`)).TwilioResponse.Call;
  assert.equal(one.Sid, sid);
  assert.equal(one.ApiVersion, "2010-04-01");
  assert.equal(one.Uri, `/2010-04-01/Accounts/${lab.app.root.sid}/Calls/${sid}`);
  assert.equal(one.SubresourceUris.Recordings, `${one.Uri}/Recordings`);
  assert.deepEqual((await read(`Calls/${sid}.xml`)).TwilioResponse.Call, one);
  const { Calls } = (await read("Calls?PageSize=1")).TwilioResponse;
  assert.deepEqual(Calls.Call, one);
  assert.equal(Calls["@_pagesize"], "1");
  assert.equal(Calls["@_nextpageuri"], "");
  assert.equal((await read("Calls/CA1")).TwilioResponse.RestException.Code, "20404");
});

Deno.test("a record made by one interface is read by the other, and no account reads another's", async () => {
  await using lab = await startTwilioLab();
  const { app, client, clientOf } = lab;
  const child = await app.subAccount(app.root, "child");
  const there = await client.calls.create(call);
  const here = (await app.root.post("Calls.json", {
    To: call.to,
    From: call.from,
    Url: call.url,
  })).json();

  assert.equal((await app.root.get(`Calls/${there.sid}.json`)).json().api_version, "2010-04-01");
  assert.equal((await client.calls(here.sid).fetch()).to, call.to);
  await assert.rejects(clientOf(child.sid, child.token).calls(there.sid).fetch(), { status: 404 });
  const other = clientOf(child.sid, child.token).api.v2010.accounts(app.root.sid);
  await assert.rejects(other.calls.list(), { status: 403 });
});

Deno.test("Gateways answer below 2010-04-01 as before, in ServiceResponse", async () => {
  await using lab = await startTwilioLab();

  const answer = await lab.ask("GET", "Management/Gateways");
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /<ServiceResponse>/);
});
