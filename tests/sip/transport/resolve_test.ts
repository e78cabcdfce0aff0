import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { resolveTargets } from "../../../sip/transport/resolve.ts";
import {
  bySrv,
  type NaptrRecord,
  type Resolver,
  type SrvRecord,
  systemResolver,
} from "../../../sip/transport/resolver.ts";
import { parseSipUri } from "../../../sip/text/uri.ts";

/** A zone of names, and the questions that were asked of it. */
function zone(records: Record<string, NaptrRecord[] | SrvRecord[] | string[]>) {
  const asked: string[] = [];
  const answer = <T>(kind: string) => (name: string) => {
    asked.push(`${kind} ${name}`);
    return Promise.resolve((records[`${kind} ${name}`] ?? []) as T[]);
  };
  const resolver: Resolver = {
    naptr: answer("NAPTR"),
    srv: answer("SRV"),
    addresses: answer("A"),
  };
  return { resolver, asked };
}

const naptr = (order: number, services: string, replacement: string): NaptrRecord => ({
  order,
  preference: 0,
  services,
  replacement,
});

const srv = (priority: number, target: string, port = 5060, weight = 0): SrvRecord => ({
  priority,
  weight,
  port,
  target,
});

const everything: Record<string, NaptrRecord[] | SrvRecord[] | string[]> = {
  "NAPTR full.test": [
    naptr(2, "SIP+D2U", "_sip._udp.full.test."),
    naptr(1, "SIPS+D2T", "_sips._tcp.full.test."),
    naptr(0, "SIP+D2S", "_sip._sctp.full.test."),
  ],
  "SRV _sips._tcp.full.test": [srv(0, "tls.full.test.", 5061)],
  "SRV _sip._udp.full.test": [srv(1, "b.full.test.", 5070), srv(0, "a.full.test.")],
  "A tls.full.test": ["192.0.2.1"],
  "A a.full.test": ["192.0.2.2", "2001:db8::2"],
  "A b.full.test": ["192.0.2.3"],
  "SRV _sip._tcp.srv.test": [srv(0, "c.srv.test")],
  "A c.srv.test": ["192.0.2.4"],
  "A plain.test": ["192.0.2.5"],
};

async function resolve(uri: string, wanted: { udp?: boolean } = {}) {
  const { resolver, asked } = zone(everything);
  const targets = await resolveTargets(parseSipUri(uri)!, {
    resolver,
    speaks: (protocol) => protocol !== "UDP" || wanted.udp !== false,
    random: () => 0,
  });
  return {
    asked,
    targets: targets.map(({ protocol, address, port }) => `${protocol} ${address} ${port}`),
  };
}

Deno.test("resolveTargets() sends no query for numeric hosts", async () => {
  const uris = {
    "sip:192.0.2.9": "UDP 192.0.2.9 5060",
    "sip:192.0.2.9:5070": "UDP 192.0.2.9 5070",
    "sip:192.0.2.9;transport=tcp": "TCP 192.0.2.9 5060",
    "sip:[2001:db8::9]:5070;transport=TLS": "TLS 2001:db8::9 5070",
    "sips:192.0.2.9": "TLS 192.0.2.9 5061",
    "sips:192.0.2.9;transport=tcp": "TLS 192.0.2.9 5061",
    "sip:192.0.2.9:8088;transport=ws": "WS 192.0.2.9 8088",
    "sips:192.0.2.9;transport=ws": "WSS 192.0.2.9 443",
  };
  for (const [uri, target] of Object.entries(uris)) {
    assert.deepEqual(await resolve(uri), { asked: [], targets: [target] }, uri);
  }
});

Deno.test("resolveTargets() follows NAPTR, then SRV, then addresses, in their order", async () => {
  const { targets } = await resolve("sip:full.test");

  assert.deepEqual(targets, [
    "TLS 192.0.2.1 5061",
    "UDP 192.0.2.2 5060",
    "UDP 2001:db8::2 5060",
    "UDP 192.0.2.3 5070",
  ]);
});

Deno.test("resolveTargets() keeps to TLS for sips", async () => {
  assert.deepEqual((await resolve("sips:full.test")).targets, ["TLS 192.0.2.1 5061"]);
});

Deno.test("resolveTargets() skips NAPTR where the transport is given, SRV where the port is", async () => {
  const transport = await resolve("sip:full.test;transport=udp");
  const port = await resolve("sip:plain.test:5080");

  assert.equal(transport.asked[0], "SRV _sip._udp.full.test");
  assert.equal(transport.targets[0], "UDP 192.0.2.2 5060");
  assert.deepEqual(port, { asked: ["A plain.test"], targets: ["UDP 192.0.2.5 5080"] });
});

Deno.test("resolveTargets() asks SRV without NAPTR, and addresses without SRV", async () => {
  const { asked, targets } = await resolve("sip:srv.test");
  const plain = await resolve("sip:plain.test");

  assert.deepEqual(targets, ["TCP 192.0.2.4 5060"]);
  assert.deepEqual(asked.slice(0, 3), [
    "NAPTR srv.test",
    "SRV _sip._udp.srv.test",
    "SRV _sip._tcp.srv.test",
  ]);
  assert.deepEqual(plain.targets, ["UDP 192.0.2.5 5060"]);
});

Deno.test("resolveTargets() offers only transports that we speak", async () => {
  assert.deepEqual((await resolve("sip:full.test", { udp: false })).targets, [
    "TLS 192.0.2.1 5061",
  ]);
  assert.deepEqual((await resolve("sip:plain.test", { udp: false })).targets, [
    "TCP 192.0.2.5 5060",
  ]);
  await assert.rejects(
    resolve("sip:192.0.2.9;transport=udp", { udp: false }),
    /^Error: Cannot reach sip:192\.0\.2\.9;transport=udp: its transport is not available here$/,
  );
  await assert.rejects(resolve("sip:192.0.2.9;transport=sctp"), /is not available here$/);
  await assert.rejects(resolve("sip:nowhere.test"), /Cannot resolve nowhere\.test: it has no addr/);
});

Deno.test("bySrv() draws by weight within a priority", () => {
  const records = [srv(1, "later"), srv(0, "light", 1, 1), srv(0, "heavy", 1, 9), srv(0, "none")];
  const order = (random: number) => bySrv(records, () => random).map(({ target }) => target);

  assert.deepEqual(order(0), ["none", "light", "heavy", "later"]);
  assert.deepEqual(order(0.15), ["light", "heavy", "none", "later"]);
  assert.deepEqual(order(0.99), ["heavy", "light", "none", "later"]);
  assert.deepEqual(bySrv([srv(0, ".")], () => 0), []);
});

Deno.test("bySrv() orders no more records than are tried", () => {
  const many = Array.from({ length: 3_000 }, (_, n) => srv(1, `a${n}.test`, 5060, n % 2));
  let draws = 0;
  const ordered = bySrv(many, () => (draws++, 0.5));

  assert.equal(ordered.length, sipLimits.targets);
  assert.equal(draws, sipLimits.targets);
});

Deno.test("resolveTargets() asks for a few services of a domain that names thousands", async () => {
  const named = Array.from(
    { length: 2_000 },
    (_, n) => naptr(n, "SIP+D2U", `_sip._udp.a${n}.test.`),
  );
  const { resolver, asked } = zone({ "NAPTR many.test": named, "A many.test": ["192.0.2.6"] });
  await resolveTargets(parseSipUri("sip:many.test")!, { resolver, speaks: () => true });

  assert.equal(asked.filter((one) => one.startsWith("SRV")).length, sipLimits.srvNames);
});

Deno.test("systemResolver knows what the hosts file says", async () => {
  assert.ok((await systemResolver.addresses("localhost")).includes("127.0.0.1"));
});
