import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { outboundRequests } from "../../core/machine/adapters/outbound_fetch.ts";
import type { Script } from "../../core/protocol/script.ts";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf, made, xml } from "../support/service/hand_companion.ts";

const number = "+12025550143";
const [ann, bob] = ["+12025550198", "+12025550199"];

/** An application server that counts by cookie; `asked` is what came to each path, in order. */
function counting(app: App, documents: Record<string, string> = {}) {
  const asked: string[] = [];
  app.answers = (request) => {
    const { host, pathname } = new URL(request.url);
    const cookie = request.headers.get("cookie");
    asked.push(`${host}${pathname} ${cookie ?? "-"}`);
    const next = Number(cookie?.split("=")[1] ?? 0) + 1;
    const response = xml(documents[pathname] ?? "");
    response.headers.append("set-cookie", `count=${next}; Path=/; HttpOnly`);
    return response;
  };
  return asked;
}

async function receiveText(app: App, from: string, to = number): Promise<void> {
  await made(app.root, "SMS/Messages", { From: from, To: to, Body: "hello" });
  await app.runJobs();
}

/** A call by one face to a Client, answered; every Redirect is followed. */
async function placeCall(app: App, face: string, form: Record<string, string>) {
  const path = `/${face}/Accounts/${app.root.sid}/Calls.json`;
  const { sid } = (await app.root.post(path, form)).json();
  await app.runJobs();
  const leg = companionOf(app, sid);
  const followed = async (script: Script): Promise<Script> => {
    const [step] = script;
    if (step?.type !== "next") return script;
    return await followed(await leg.report({ type: "next", action: step.action }));
  };
  return { sid, leg, followed, script: await followed(await leg.report({ type: "answered" })) };
}

Deno.test("cookies go from message to message of one pair of addresses alone", async () => {
  using app = await startApp();
  const asked = counting(app, { "/in": "<Redirect>/next</Redirect>" });
  const sms = { PhoneNumber: number, SmsUrl: "https://app.test/in" };
  await made(app.root, "IncomingPhoneNumbers", sms);
  await made(app.root, "IncomingPhoneNumbers", { ...sms, PhoneNumber: "+12025550144" });
  await receiveText(app, ann);
  await receiveText(app, ann);
  await receiveText(app, bob);
  await receiveText(app, ann, "+12025550144");
  app.clock.now += 4 * 3_600_000 + 1;
  await receiveText(app, ann);
  assert.deepEqual(asked, [
    "app.test/in -",
    "app.test/next count=1",
    "app.test/in count=2",
    "app.test/next count=3",
    "app.test/in -",
    "app.test/next count=1",
    "app.test/in -",
    "app.test/next count=1",
    "app.test/in -",
    "app.test/next count=1",
  ]);
});

for (const face of ["2012-04-24", "2010-04-01"]) {
  Deno.test(`documents of a call of /${face} share cookies by host, callbacks have none`, async () => {
    using app = await startApp();
    await made(app.root, "Clients", { Login: "alice", Password: "pass" });
    const asked = counting(app, {
      "/one": "<Redirect>/two</Redirect>",
      "/two": `<Gather action="/three" numDigits="1"/>`,
      "/three": "<Redirect>https://other.test/four</Redirect>",
      "/four": "<Redirect>https://app.test:8443/five</Redirect>",
      "/five": "<Redirect>https://app.test/six</Redirect>",
    });
    const form = {
      From: number,
      To: "client:alice",
      Url: "https://app.test/one",
      StatusCallback: "https://app.test/status",
    };
    const { leg, script, followed } = await placeCall(app, face, form);
    const gather = script.find((step) => step.type === "gather");
    assert.ok(gather?.type === "gather" && gather.action !== undefined);
    // Longer than the lifetime of cookies between calls.
    app.clock.now += 10 * 3_600_000;
    await followed(await leg.report({ type: "gathered", digits: "1", action: gather.action }));
    await leg.report({ type: "ended", outcome: "completed" });
    await app.runJobs();
    assert.deepEqual(asked.filter((one) => !one.includes("/status")), [
      "app.test/one -",
      "app.test/two count=1",
      "app.test/three count=2",
      "other.test/four -",
      "app.test:8443/five -",
      "app.test/six count=3",
    ]);
    const callbacks = asked.filter((one) => one.includes("/status"));
    assert.ok(callbacks.length > 0 && callbacks.every((one) => one === "app.test/status -"));
  });
}

Deno.test("the value of a cookie shows in no record", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "pass" });
  app.answers = (request) => {
    const isBroken = request.url.endsWith("two");
    const response = isBroken ? xml("<Say>&</Say>") : xml("<Redirect>/two</Redirect>");
    response.headers.append("set-cookie", "session=s3cretvalue; Path=/");
    return response;
  };
  const form = {
    From: number,
    To: "client:alice",
    Url: "https://app.test/one",
    StatusCallback: "https://app.test/status",
  };
  const { sid } = await placeCall(app, "2012-04-24", form);
  await app.runJobs();
  const paths = ["Notifications", "Webhooks/Deliveries", "Webhooks/Documents", `Calls/${sid}`];
  const shown = await Promise.all(paths.map((path) => app.root.get(`${path}.json`)));
  for (const { text } of shown) assert.doesNotMatch(text, /s3cretvalue/);
  assert.match(shown[0]!.text, /session=\*{8}/);
  assert.match(shown[2]!.text, /session=\*{8}/);
  assert.doesNotMatch(JSON.stringify(app.logged), /s3cretvalue/);
});

Deno.test("callers who withhold their number share no cookies", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "pass" });
  const asked = counting(app, { "/one": "<Redirect>/two</Redirect>" });
  const form = { From: "anonymous", To: "client:alice", Url: "https://app.test/one" };
  for (let calls = 0; calls < 2; calls++) await placeCall(app, "2012-04-24", form);
  const each = ["app.test/one -", "app.test/two count=1"];
  assert.deepEqual(asked, [...each, ...each]);
});

Deno.test("a test of markup neither sends cookies nor keeps any", async () => {
  using app = await startApp();
  const asked = counting(app);
  const sms = { PhoneNumber: number, SmsUrl: "https://app.test/in" };
  await made(app.root, "IncomingPhoneNumbers", sms);
  await receiveText(app, ann);
  const tried = { Url: "https://app.test/in", From: ann, To: number, Kind: "sms" };
  assert.equal((await app.root.post("Webhooks/Tests.json", tried)).status, 200);
  await receiveText(app, ann);
  assert.deepEqual(asked, ["app.test/in -", "app.test/in -", "app.test/in count=1"]);
});

Deno.test("a redirect keeps its cookies, and takes none to another host", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { cookie = "-", host } = request.headers;
    asked.push(`${host?.split(":")[0]}${request.url} ${cookie}`);
    if (request.url === "/login") {
      const location = `http://localhost:${port}/home`;
      response.writeHead(302, { location, "set-cookie": ["a=1; Path=/", "b=2; Path=/"] });
    } else if (request.url === "/home") {
      const location = `http://127.0.0.1:${port}/end`;
      response.writeHead(307, { location, "set-cookie": "c=3; Path=/" });
    } else response.writeHead(200, { "content-type": "text/xml" });
    response.end("<Response/>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    using app = await startApp({
      ports: { fetch: outboundRequests({ ownOrigin: "http://api.test" }) },
    });
    const SmsUrl = `http://127.0.0.1:${port}/login`;
    await made(app.root, "IncomingPhoneNumbers", { PhoneNumber: number, SmsUrl });
    await receiveText(app, ann);
    await receiveText(app, ann);
    assert.deepEqual(asked, [
      "127.0.0.1/login -",
      "localhost/home -",
      "127.0.0.1/end a=1; b=2",
      "127.0.0.1/login a=1; b=2",
      "localhost/home c=3",
      "127.0.0.1/end a=1; b=2",
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

Deno.test("a text whose request is repeated has the same X-Switchboard-Delivery, another one not", async () => {
  using app = await startApp();
  const ids: (string | null)[] = [];
  app.answers = (request) => {
    ids.push(`${new URL(request.url).pathname} ${request.headers.get("x-switchboard-delivery")}`);
    return ids.length === 2 ? new Response("", { status: 500 }) : xml("<Redirect>/two</Redirect>");
  };
  app.answers = ((answer) => (request: Request) => {
    const response = answer(request);
    return ids.length > 3 && request.url.endsWith("two") ? xml("") : response;
  })(app.answers);
  const sms = { PhoneNumber: number, SmsUrl: "https://app.test/one" };
  await made(app.root, "IncomingPhoneNumbers", sms);
  await receiveText(app, ann);
  app.clock.now += 60_000;
  await app.runJobs();
  await receiveText(app, ann);
  const [one, two, again, twoAgain, other] = ids;
  assert.match(one!, /^\/one WM[0-9a-f]{32}$/);
  assert.match(two!, /^\/two WM[0-9a-f]{32}$/);
  assert.deepEqual([again, twoAgain], [one, two]);
  assert.notEqual(one!.slice(-34), two!.slice(-34));
  assert.notEqual(other, one);
});

Deno.test("X-Switchboard-Delivery of a document of a call is the Sid of its record, repeated too", async () => {
  using app = await startApp();
  await made(app.root, "Clients", { Login: "alice", Password: "pass" });
  const ids: string[] = [];
  app.answers = (request) => {
    ids.push(request.headers.get("x-switchboard-delivery") ?? "none");
    return xml("<Pause/>");
  };
  const form = { From: number, To: "client:alice", Url: "https://app.test/one" };
  const { leg } = await placeCall(app, "2012-04-24", form);
  await leg.repeat();
  await app.settle();
  assert.equal(new Set(ids).size, 1);
  const { url } = (await app.root.get(`Webhooks/Documents/${ids[0]}.json`)).json();
  assert.equal(url, "https://app.test/one");
});
