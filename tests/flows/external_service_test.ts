import assert from "node:assert/strict";
import { outboundRequests } from "../../core/machine/adapters/outbound_fetch.ts";
import { limits } from "../../core/base/limits.ts";
import { type App, startApp } from "../support/service/app.ts";
import { fakeSignals } from "../support/sip/fake_signals.ts";
import { calledFlow, flowOf } from "../support/service/flow_lab.ts";
import { notifications } from "../support/service/hand_companion.ts";

interface Asked {
  method: string;
  /** Path and query. */
  address: string;
  type: string | null;
  authorization: string | null;
  body: string;
}

/** A server on the loopback that keeps what it is asked. */
function startService(answer: () => Response) {
  const asked: Asked[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push({
        method: request.method,
        address: pathname + search,
        type: request.headers.get("content-type"),
        authorization: request.headers.get("authorization"),
        body: await request.text(),
      });
      return answer();
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return { origin, asked, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** The service with the requests that it makes in earnest; private addresses may be reached. */
const startReal = (mayReach?: (address: string) => boolean): Promise<App> =>
  startApp({
    ports: {
      fetch: outboundRequests({ ownOrigin: "http://api.test", ...mayReach && { mayReach } }),
    },
  });

const json = (value: unknown) => Response.json(value);

const after = {
  good: { type: "say", text: "good $ServiceStatus $x" },
  bad: { type: "say", text: "bad $ServiceStatus" },
};

/** Performs one step against the server; returns its request, and the texts spoken then. */
async function perform(step: object, answer: () => Response = () => json({ x: "y" })) {
  await using service = await startService(answer);
  using app = await startReal();
  const place = { url: `${service.origin}/a`, next: "good", onRemoteError: "bad" };
  const ask = { type: "externalService", ...place, ...step };
  const { origin } = service;
  const bare = new URL(origin).host;
  const variables = { name: "Ann & Bob", host: origin, bare, quoted: '"' };
  const { script } = await calledFlow(app, flowOf({ ask, ...after }, { variables }));
  const said = script.flatMap((one) => one.type === "say" ? [one.text] : []);
  return { asked: service.asked, said, told: await notifications(app) };
}

const get = { method: "GET", address: "/a", type: null, authorization: null, body: "" };
const form = "application/x-www-form-urlencoded; charset=utf-8";
const parameters = [{ name: "who", value: "$name" }, { name: "a b", value: "1" }];

/** The six rules of the specification, each as a step and the request that it makes. */
const rules: Record<string, { step: object; asked: Asked }> = {
  "1: GET is the default": { step: {}, asked: get },
  "1: a form by POST": {
    step: { method: "POST" },
    asked: { ...get, method: "POST", type: form },
  },
  "1: JSON by POST": {
    step: { method: "POST", contentType: "json", body: "{}" },
    asked: { ...get, method: "POST", type: "application/json", body: "{}" },
  },
  "1: Basic credentials": {
    step: { username: "$From", password: "pass:word" },
    asked: { ...get, authorization: `Basic ${btoa("+12025550199:pass:word")}` },
  },
  "1: Basic credentials in the URL, of which an escape is none": {
    step: { url: "http://a%40b:100%zz@$bare/a" },
    asked: { ...get, authorization: `Basic ${btoa("a@b:100%zz")}` },
  },
  "2: variables in the URL, encoded behind its host": {
    step: { url: "$host/to/$name?from=$From&unknown=$unknown&d=$Digits" },
    asked: {
      ...get,
      address: "/to/Ann%20%26%20Bob?from=%2B12025550199&unknown=$unknown&d=",
    },
  },
  "3: the parameters of a GET are appended to the query, with their variables": {
    step: { url: "$host/a?x=1", parameters },
    asked: { ...get, address: "/a?x=1&who=Ann+%26+Bob&a+b=1" },
  },
  "4: a form of the parameters": {
    step: { method: "POST", population: "auto", parameters },
    asked: { ...get, method: "POST", type: form, body: "who=Ann+%26+Bob&a+b=1" },
  },
  "4: a form by hand, without the parameters": {
    step: { method: "POST", population: "manual", body: "me=$name&x", parameters },
    asked: { ...get, method: "POST", type: form, body: "me=Ann%20%26%20Bob&x" },
  },
  "5: JSON by hand, where a variable is replaced as it is": {
    step: { method: "POST", contentType: "json", body: '{"a":"$name","b":"$quoted","c":$n}' },
    asked: {
      ...get,
      method: "POST",
      type: "application/json",
      body: '{"a":"Ann & Bob","b":""","c":$n}',
    },
  },
};

for (const [rule, { step, asked: expected }] of Object.entries(rules)) {
  Deno.test(`externalService, rule ${rule}`, async () => {
    const { asked, said, told } = await perform(step);
    assert.deepEqual(asked, [expected]);
    assert.deepEqual([said, told], [["good 200 $x"], []]);
  });
}

const failures: Record<string, { answer: () => Response; step?: object; problem: string }> = {
  "400": { answer: () => new Response("no", { status: 400 }), problem: "it answered 400" },
  "503": { answer: () => new Response(null, { status: 503 }), problem: "it answered 503" },
  "no JSON": {
    answer: () => new Response("plain"),
    step: { extract: { x: "a" } },
    problem: "its answer is no JSON",
  },
  "a long answer": {
    answer: () => new Response("x".repeat(limits.documentBytes + 1)),
    problem: "its answer is over 64 KiB",
  },
};

for (const [what, { answer, step = {}, problem }] of Object.entries(failures)) {
  Deno.test(`externalService, rule 6: ${what} runs onRemoteError`, async () => {
    const { asked, said, told } = await perform(step, answer);
    assert.equal(asked.length, 1);
    assert.deepEqual(said, [`bad ${answer().status}`]);
    assert.deepEqual(told, [
      `Cannot use the response of an external service: step "ask": ${problem}`,
    ]);
  });
}

Deno.test("externalService takes the selected values of a JSON response, texts unchanged", async () => {
  const answer = () => json({ a: { b: [{ c: 1 }, true, null] }, long: "x".repeat(3_000) });
  for (
    const [place, text] of [
      ["a.b.0.c", "1"],
      ["a.b.1", "true"],
      ["a.b.2", ""],
      ["a.b.9.c", ""],
      ["a.b.0", '{"c":1}'],
      ["constructor", ""],
      ["long", "x".repeat(limits.flowVariableLength)],
    ] as const
  ) {
    const { said } = await perform({ extract: { x: place } }, answer);
    assert.deepEqual(said, [`good 200 ${text}`.trim()], place);
  }
  const whole = await perform({ extract: { x: "" } }, () => new Response("two words"));
  assert.deepEqual(whole.said, ["good 200 two words"]);
});

const ask = { type: "externalService", username: "crm", password: "top secret" };

Deno.test("externalService reaches no private address, and its record shows no secret", async () => {
  await using service = await startService(() => new Response());
  using app = await startReal((address) => !address.startsWith("127."));
  const { script } = await calledFlow(app, flowOf({ ask: { ...ask, url: service.origin } }));

  assert.deepEqual(service.asked, []);
  assert.deepEqual(script, [{ type: "reject", status: 500, cause: "document-failed" }]);
  const [{ message_text, ...notice }] = (await app.root.get("Notifications.json")).json()
    .notifications;
  assert.match(
    message_text,
    /external service: step "ask": .*127\.0\.0\.1 is at a private address/,
  );
  assert.deepEqual([notice.error_code, notice.log], [12510, 0]);
  assert.equal(notice.request_url, `${service.origin}/`);
  assert.ok(!JSON.stringify(notice).includes("secret"));
});

Deno.test("externalService shows no secret that the server repeats", async () => {
  const authorization = `Basic ${btoa("crm:top secret")}`;
  await using service = await startService(() =>
    new Response(`top secret ${authorization}`, { status: 500, headers: { echo: authorization } })
  );
  using app = await startReal();
  await calledFlow(app, flowOf({ ask: { ...ask, url: service.origin } }));

  const [notice] = (await app.root.get("Notifications.json")).json().notifications;
  assert.equal(service.asked[0]!.authorization, authorization);
  assert.equal(notice.response_body, "******** Basic ********");
  assert.ok(!JSON.stringify(notice).includes(btoa("crm:top secret")));
});

Deno.test("externalService waits 15 s for an answer", async () => {
  using signals = fakeSignals();
  const waiting = Promise.withResolvers<void>();
  using app = await startApp({
    ports: {
      fetch: ({ signal }) => {
        waiting.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason))
        );
      },
    },
  });
  const step = { ...ask, url: "https://crm.test/", onRemoteError: "bad" };
  const called = calledFlow(app, flowOf({ ask: step, ...after }));
  await waiting.promise;
  signals.expire(15_000);

  const { script } = await called;
  assert.deepEqual(script.flatMap((one) => one.type === "say" ? [one.text] : []), ["bad"]);
  assert.match((await notifications(app))[0]!, /step "ask": the server did not answer in time/);
});
