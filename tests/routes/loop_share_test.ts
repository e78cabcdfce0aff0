import assert from "node:assert/strict";
import { startApp } from "../support/service/app.ts";

const attributes = Array.from({ length: 1_990 }, (_, n) => `a${n}="${"x".repeat(20)}"`).join(" ");
const markup = `<Response><Say ${attributes}>x</Say></Response>`;

/** How many dear requests of `flooder` end before the cheap one of another tenant does. */
async function overtaken(beside: "others" | "strangers"): Promise<number> {
  using app = await startApp();
  app.answers = () => new Response(markup, { headers: { "Content-Type": "application/xml" } });
  const tenant = await app.subAccount(app.root, "flooder");
  const subs = await Promise.all([1, 2, 3].map((n) => app.subAccount(tenant, `sub${n}`)));
  const other = await app.subAccount(app.root, "other");
  const dear = async (n: number) => {
    const one = subs[n % subs.length]!;
    const tried = await one.post("Webhooks/Tests.json", { Url: "http://customer.test/" });
    assert.equal(tried.status, 200, tried.text);
  };
  const cheap = async () => {
    const answer = beside === "others"
      ? (await other.get("Calls.json")).status
      : (await app.http.request("/errors/11200", {}, { client: "192.0.2.1" })).status;
    assert.equal(answer, 200);
  };
  for (let n = 0; n < 5; n++) await dear(n); // Their cost is known by then.
  await cheap();

  let ended = 0;
  const flood = Array.from({ length: 40 }, (_, n) => dear(n).then(() => ended++));
  await new Promise((resolve) => setTimeout(resolve, 0));
  await cheap();
  const before = ended;
  await Promise.all(flood);
  return before;
}

Deno.test("a tenant's dear requests, by its sub-accounts too, end after another's cheap one", async () => {
  const count = await overtaken("others");
  assert.ok(count < 10, `${count} of 40 came first`);
});

Deno.test("an unauthenticated request is answered before most expensive requests of a tenant", async () => {
  const count = await overtaken("strangers");
  assert.ok(count < 10, `${count} of 40 came first`);
});

Deno.test("an account that asks for more than its share for too long gets 429", async () => {
  using app = await startApp();
  let answer = () => {};
  app.answers = () => new Response("<Response/>");
  const waits = new Promise<void>((resolve) => answer = resolve);
  const { fetch } = app.ports;
  app.ports.fetch = async (...wanted) => {
    await waits;
    return await fetch(...wanted);
  };
  const test = () => app.root.post("Webhooks/Tests.json", { Url: "http://customer.test/" });
  const all = Array.from({ length: 700 }, test);
  const first = await Promise.race(all);
  assert.equal(first.status, 429);
  assert.equal(first.json().code, 20429);
  assert.match(first.text, /their share of this instance; send fewer at once/);
  assert.ok(Number(first.headers.get("Retry-After")) > 0);
  answer();
  await Promise.all(all);
});
