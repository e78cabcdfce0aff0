import assert from "node:assert/strict";
import type { Credentials } from "../../core/bridge.ts";
import { createCredentialsCache } from "../../sip/credentials.ts";
import { createNonces } from "../../sip/digest.ts";
import { sipLimits } from "../../sip/limits.ts";
import { type Connection, openReceiveLab, type ReceiveLab } from "../support/receive_lab.ts";
import { invite } from "../support/sip_lab.ts";
import { readSip, tagOf, valueOf, valuesOf, writeSip } from "../support/sip_text.ts";

const domain = "example.com";
const uri = `sip:${domain}`;
const sdp = "v=0\r\no=phone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";

let count = 0;

interface Parts {
  login?: string;
  branch?: string;
  to?: string;
  from?: string;
  callId?: string;
  cseq?: number;
  headers?: string[];
  body?: string;
}

function request(method: string, target: string, parts: Parts = {}): string {
  const { login = "alice", headers = [], body = "" } = parts;
  count++;
  return writeSip(`${method} ${target} SIP/2.0`, [
    `Via: SIP/2.0/WS phone.invalid;branch=${parts.branch ?? `z9hG4bK${count}`}`,
    `From: ${parts.from ?? `<sip:${login}@${domain}>;tag=${count}`}`,
    `To: ${parts.to ?? `<sip:${login}@${domain}>`}`,
    `Call-ID: ${parts.callId ?? count}`,
    `CSeq: ${parts.cseq ?? 1} ${method}`,
    `Contact: <sip:${login}@phone.invalid;transport=ws>`,
    ...headers,
  ], body);
}

const register = (lab: ReceiveLab, login: string) =>
  request("REGISTER", uri, {
    login,
    headers: [lab.proof("Authorization", { login, method: "REGISTER", uri })],
  });

/** A REGISTER with a password that is wrong. */
const guess = (lab: ReceiveLab, login: string) =>
  register(lab, login).replace(/response="../, 'response="zz');

async function registered(lab: ReceiveLab, login = "alice"): Promise<Connection> {
  const connection = lab.connect();
  connection.receive(register(lab, login));
  await lab.time.settle();
  assert.deepEqual(connection.statuses(), [200]);
  return connection;
}

function call(lab: ReceiveLab, parts: Parts = {}): string {
  const target = `sip:bob@${domain}`;
  const proof = lab.proof("Proxy-Authorization", { login: "alice", method: "INVITE", uri: target });
  const { headers = [], ...others } = parts;
  return request("INVITE", target, { body: sdp, ...others, headers: [proof, ...headers] });
}

Deno.test("receive() keeps nothing of the INVITEs of strangers", async () => {
  using lab = openReceiveLab(domain);
  const connection = lab.connect();

  for (let i = 0; i < 1_000; i++) connection.receive(request("INVITE", `sip:bob@${domain}`));
  const invite = request("INVITE", `sip:bob@${domain}`, { branch: "z9hG4bKlast" });
  connection.receive(invite);
  await lab.time.settle();
  connection.receive(invite.replaceAll("INVITE", "ACK").replace(/To: (.*)/, "To: $1;tag=x"));

  assert.equal(connection.statuses().filter((status) => status === 407).length, 1_001);
  assert.equal(lab.kept().serverTransactions, 0);
  assert.equal(lab.kept().timers, 0);
});

Deno.test("receive() keeps nothing of a call that is cancelled while its caller is looked up", async () => {
  using lab = openReceiveLab(domain);
  const answerLookups = lab.holdLookups();
  const connection = lab.connect();
  const invite = call(lab);

  connection.receive(invite);
  connection.receive(
    invite.replaceAll("INVITE", "CANCEL").replace(/Content-(Type|Length).*\r\n/g, "")
      .replace(sdp, ""),
  );
  answerLookups();
  await lab.time.settle();

  assert.deepEqual(connection.statuses(), [100, 200, 487]);
  assert.equal(lab.kept().serverTransactions, 0);
});

Deno.test("receive() refuses a re-INVITE before the ACK, whose 200 would repeat for ever", async () => {
  using lab = openReceiveLab(domain);
  lab.answer = () => [{ type: "answer" }, { type: "silence", seconds: 5 }];
  const alice = await registered(lab);
  alice.receive(call(lab, { callId: "early" }));
  await lab.time.settle();
  const answer = readSip(alice.sent.at(-1) ?? "");
  assert.equal(answer.status, 200);

  alice.receive(request("INVITE", uri, {
    callId: "early",
    from: valueOf(answer, "from"),
    to: valueOf(answer, "to"),
    cseq: 2,
    body: sdp,
  }));
  const refused = readSip(alice.sent.at(-1) ?? "");
  for (let minutes = 0; minutes < 5; minutes++) {
    lab.time.advance(60_000);
    await lab.time.settle();
  }
  const before = alice.sent.length;
  lab.time.advance(600_000);

  assert.equal(refused.status, 500);
  assert.equal(valueOf(refused, "retry-after"), "10");
  assert.equal(alice.sent.length, before);
});

Deno.test("receive() takes an answer whose body has no type for one without a body", async () => {
  using lab = openReceiveLab(domain);
  const bob = await registered(lab, "bob");
  lab.calls.place(invite("bob"), { timeoutS: 20 });
  await lab.time.settle();
  const invitation = readSip(bob.sent.at(-1) ?? "");

  bob.receive(
    writeSip("SIP/2.0 200 OK", [
      `Via: ${valueOf(invitation, "via")}`,
      `From: ${valueOf(invitation, "from")}`,
      `To: ${valueOf(invitation, "to")};tag=bob`,
      `Call-ID: ${valueOf(invitation, "call-id")}`,
      `CSeq: ${valueOf(invitation, "cseq")}`,
      "Contact: <sip:bob@phone.invalid>",
    ], sdp).replace("Content-Type: application/sdp\r\n", ""),
  );
  await lab.time.settle();

  const [ack] = bob.sent.slice(-1);
  assert.match(ack ?? "", /^ACK /);
  assert.deepEqual(lab.logged, []);
});

Deno.test("receive() tells apart requests whose branch is the bare cookie", async () => {
  using lab = openReceiveLab(domain);
  const connection = lab.connect();

  for (const login of ["alice", "bob"]) {
    connection.receive(request("REGISTER", uri, { login, branch: "z9hG4bK" }));
  }
  await lab.time.settle();

  const asked = connection.sent.map((text) => valueOf(readSip(text), "to").split(";")[0]);
  assert.deepEqual(asked, [`<sip:alice@${domain}>`, `<sip:bob@${domain}>`]);
});

Deno.test("authenticate() looks at no more guesses of an address than it has free", async () => {
  using lab = openReceiveLab(domain);
  const connections = Array.from({ length: 50 }, () => lab.connect("203.0.113.1"));
  const { free } = sipLimits.wrongAnswersFromAddress;

  for (let i = 0; i < 2_000; i++) {
    connections[i % 50]!.receive(guess(lab, `login${i}`));
    await lab.time.settle();
  }
  const statuses = connections.flatMap((connection) => connection.statuses());
  const good = await registered(lab);

  assert.equal(lab.lookups.length, free + 1);
  assert.equal(statuses.filter((status) => status === 401).length, free);
  assert.equal(statuses.filter((status) => status === 403).length, 2_000 - free);
  assert.deepEqual(good.statuses(), [200]);
});

Deno.test("authenticate() asks the service for so many logins of one address at once", async () => {
  using lab = openReceiveLab(domain);
  const answerLookups = lab.holdLookups();
  const flood = lab.connect("203.0.113.1");
  const good = lab.connect("198.51.100.1");

  for (let i = 0; i < 1_000; i++) flood.receive(guess(lab, `login${i}`));
  good.receive(register(lab, "alice"));
  await lab.time.settle();
  const asked = lab.lookups.length;
  answerLookups();
  await lab.time.settle();

  assert.equal(asked, sipLimits.lookupsAtOnce + 1);
  const refused = flood.statuses().filter((status) => status === 503).length;
  assert.equal(refused, 1_000 - sipLimits.lookupsAtOnce);
  assert.deepEqual(good.statuses(), [200]);
});

Deno.test("receive() serves others while one address floods it", async () => {
  const bounds = { connectionsPerAddress: 0, strangerRequestsPerS: 20 };
  using lab = openReceiveLab(domain, bounds);
  const flood = Array.from({ length: 100 }, () => lab.connect("203.0.113.1"));
  const known = await registered(lab, "bob");

  for (let i = 0; i < 5_000; i++) flood[i % 100]!.receive(guess(lab, "alice"));
  await lab.time.settle();
  known.receive(register(lab, "bob"));
  const good = await registered(lab, "carol");

  assert.equal(lab.lookups.filter((login) => login === "alice").length, 1);
  const statuses = flood.flatMap((connection) => connection.statuses());
  assert.ok(statuses.length < 2 * bounds.strangerRequestsPerS * 100, `${statuses.length} answers`);
  assert.ok(flood.every(({ flow }) => flow.closed));
  assert.deepEqual([known.statuses(), good.statuses()], [[200, 200], [200]]);
});

Deno.test("lookup() remembers a bounded number of logins, the latest", async () => {
  const asked: string[] = [];
  const answer: Credentials | null = null;
  const cache = createCredentialsCache({
    credentials: (login) => (asked.push(login), Promise.resolve(answer)),
  });

  for (let i = 0; i <= sipLimits.cachedLogins; i++) await cache.lookup(`login${i}`);
  await cache.lookup(`login${sipLimits.cachedLogins}`);
  const known = asked.length;
  await cache.lookup("login0");

  assert.equal(known, sipLimits.cachedLogins + 1);
  assert.equal(asked.at(-1), "login0");
});

Deno.test("take() remembers a bounded number of nonces, and takes none that it forgot", () => {
  let now = 1_000;
  const nonces = createNonces(domain, () => now);
  const make = () => /nonce="([^"]+)"/.exec(nonces.challenges("X", false)[0] ?? "")?.[1] ?? "";
  const first = make();
  assert.ok(nonces.take(first, 1));

  for (let i = 0; i < sipLimits.nonces; i++) {
    now += i % 1_000 === 0 ? 1 : 0;
    nonces.take(make(), 1);
  }

  assert.equal(nonces.take(first, 2), false);
});

Deno.test("a caller and what REST says of it end no header line of an INVITE", async () => {
  using lab = openReceiveLab(domain);
  const bob = await registered(lab, "bob");
  const evil = 'a\r\nInjected: "1"\r\n\r\n<b>@c;d?e %00\0';

  lab.calls.place({
    ...invite("bob"),
    from: evil,
    to: evil,
    headers: { "X-Good": "fine", "X-Bad": evil, [evil]: "x", "Via": "SIP/2.0/WS evil" },
  }, { timeoutS: 20 });
  await lab.time.settle();

  const sent = readSip(bob.sent.at(-1) ?? "");
  assert.equal(sent.method, "INVITE");
  assert.deepEqual(valuesOf(sent, "injected"), []);
  assert.deepEqual(valuesOf(sent, "x-bad"), []);
  assert.deepEqual(valuesOf(sent, "x-good"), ["fine"]);
  assert.equal(valuesOf(sent, "via").length, 1);
  assert.match(valueOf(sent, "from"), /^<sip:[A-Za-z0-9%'().!~*_:?-]+@example\.com>;tag=\w+$/);
  assert.notEqual(tagOf(valueOf(sent, "from")), "");
});

Deno.test("what a caller says of itself reaches the service bounded and without control characters", async () => {
  using lab = openReceiveLab(domain);
  const alice = await registered(lab);
  const more = Array.from({ length: 60 }, (_, i) => `X-Many-${i}: ${"v".repeat(600)}`);

  alice.receive(call(lab, {
    from: `"A \\"l\\" \\\u0007\u0000ice \u{1f4de}${"x".repeat(300)}" <sip:alice@${domain}>;tag=1`,
    headers: [`X-Long: \u0007${"é".repeat(3_000)}`, ...more],
  }));
  await lab.time.settle();

  const event = lab.reports[0]?.event;
  assert.ok(event?.type === "incoming");
  assert.match(event.displayName ?? "", /^A "l" +ice \u{1f4de}x+$/u);
  assert.equal([...event.displayName ?? ""].length, sipLimits.displayNameLength);
  assert.equal(event.headers["X-Long"], "é".repeat(sipLimits.passedHeaderLength));
  assert.equal(Object.keys(event.headers).length, sipLimits.passedHeaders);
});
