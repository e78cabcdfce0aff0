import assert from "node:assert/strict";
import { createCredentialsCache } from "../../../sip/auth/credentials.ts";
import { createNonces } from "../../../sip/text/digest.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { domain, guess, register, registered } from "../../support/sip/phone_text.ts";
import { openReceiveLab } from "../../support/service/receive_lab.ts";

Deno.test("authenticate() looks at no more guesses of an address than it has free", async () => {
  using lab = openReceiveLab(domain);
  const connections = Array.from({ length: 50 }, () => lab.connect("203.0.113.1"));
  const { free } = sipLimits.wrongAnswersFromAddress;

  for (let i = 0; i < 2_000; i++) {
    connections[i % 50]!.receive(guess(lab, `login${i}`, "203.0.113.1"));
    await lab.time.settle();
  }
  const statuses = connections.flatMap((connection) => connection.statuses());
  const good = await registered(lab);

  assert.equal(lab.lookups.length, free + 1);
  assert.equal(statuses.filter((status) => status === 401).length, free);
  assert.equal(statuses.filter((status) => status === 503).length, 2_000 - free);
  assert.deepEqual(good.statuses(), [200]);
});

Deno.test("authenticate() asks the service for so many logins of one address at once", async () => {
  using lab = openReceiveLab(domain);
  const answerLookups = lab.holdLookups();
  const flood = lab.connect("203.0.113.1");
  const good = lab.connect("198.51.100.1");

  for (let i = 0; i < 1_000; i++) flood.receive(guess(lab, `login${i}`, "203.0.113.1"));
  good.receive(register(lab, "alice", "198.51.100.1"));
  await lab.time.settle();
  const asked = lab.lookups.length;
  answerLookups();
  await lab.time.settle();

  assert.equal(asked, sipLimits.lookupsOfAddress + 1);
  const refused = flood.sent.filter((text) => /^SIP\/2.0 503 Service/.test(text)).length;
  assert.equal(refused, 1_000 - sipLimits.lookupsOfAddress);
  assert.deepEqual(good.statuses(), [200]);
});

Deno.test("onRegister() answers at once when it need not ask who has the login", async () => {
  using lab = openReceiveLab(domain);
  const phone = await registered(lab, "alice");
  lab.holdLookups();

  for (let i = 0; i < 3; i++) phone.receive(register(lab, "alice"));
  phone.receive(guess(lab, "alice"));
  phone.receive(register(lab, "bob"));

  assert.deepEqual(phone.statuses(), [200, 200, 200, 200, 401]);
  assert.deepEqual(lab.lookups, ["alice", "bob"]);
});

Deno.test("receive() serves others while one address floods it", async () => {
  const bounds = { connectionsPerAddress: 0, unauthenticatedRequestsPerS: 20 };
  using lab = openReceiveLab(domain, bounds);
  const flood = Array.from({ length: 100 }, () => lab.connect("203.0.113.1"));
  const known = await registered(lab, "bob");

  for (let i = 0; i < 5_000; i++) flood[i % 100]!.receive(guess(lab, "alice", "203.0.113.1"));
  await lab.time.settle();
  known.receive(register(lab, "bob"));
  const good = await registered(lab, "carol");

  assert.equal(lab.lookups.filter((login) => login === "alice").length, 1);
  const statuses = flood.flatMap((connection) => connection.statuses());
  assert.ok(
    statuses.length < 2 * bounds.unauthenticatedRequestsPerS * 100,
    `${statuses.length} answers`,
  );
  assert.ok(flood.every(({ flow }) => flow.closed));
  assert.deepEqual([known.statuses(), good.statuses()], [[200, 200], [200]]);
});

Deno.test("lookup() remembers a bounded number of logins, the latest", async () => {
  const asked: string[] = [];
  const cache = createCredentialsCache({
    credentials: ({ login }) => (asked.push(login), Promise.resolve({ credentials: null })),
  });

  for (let i = 0; i <= sipLimits.cachedLogins; i++) await cache.lookup(`login${i}`);
  await cache.lookup(`login${sipLimits.cachedLogins}`);
  const known = asked.length;
  await cache.lookup("login0");

  assert.equal(known, sipLimits.cachedLogins + 1);
  assert.equal(asked.at(-1), "login0");
});

Deno.test("take() remembers a bounded number of nonces, and none that it forgot is fresh", () => {
  let now = 1_000;
  const nonces = createNonces(domain, () => now);
  const options = { stale: false, algorithms: ["MD5"], host: "192.0.2.1" } as const;
  const make = () => /nonce="([^"]+)"/.exec(nonces.challenges("X", options)[0] ?? "")?.[1] ?? "";
  const first = make();
  assert.ok(nonces.isFresh(first, "192.0.2.1") && nonces.take(first, 1));

  for (let i = 0; i < sipLimits.nonces; i++) {
    now += i % 1_000 === 0 ? 1 : 0;
    nonces.take(make(), 1);
  }

  assert.equal(nonces.isFresh(first, "192.0.2.1"), false);
});
