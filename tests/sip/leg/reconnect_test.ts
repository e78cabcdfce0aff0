import assert from "node:assert/strict";
import type { Flow, Protocol } from "../../../sip/base/flow.ts";
import type { Signalling } from "../../../sip/contracts/signalling.ts";
import type { Trunk } from "../../../sip/contracts/trunk.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { reachNext } from "../../../sip/leg/reconnect.ts";
import { parseSipUri } from "../../../sip/text/uri.ts";
import { resolveTargets, type Target } from "../../../sip/transport/resolve.ts";

const peer = "198.51.100.7";
const many = Array.from({ length: 20 }, (_, at) => `203.0.113.${at + 1}`);

/** Where a companion connects to, in order, once a connection to a peer has closed. */
async function attempts(
  next: string,
  { protocol = "TCP", isTrunk = false, refuses = false }: {
    protocol?: Protocol;
    isTrunk?: boolean;
    refuses?: boolean;
  } = {},
): Promise<string[]> {
  const tried: string[] = [];
  const flow = { remote: { host: peer, port: 49_152 }, transport: { protocol } } as Flow;
  const open = ({ protocol, address, port }: Target) => {
    tried.push(`${protocol} ${address}:${port}`);
    return refuses ? Promise.reject(new Error("refused")) : Promise.resolve(flow);
  };
  const trunk = {
    owns: (host: string) => host.startsWith("198.51.100."),
    reach: () => Promise.resolve((tried.push("the usual way"), flow)),
  } as unknown as Trunk;
  const resolver = {
    naptr: () => Promise.resolve([]),
    srv: () => Promise.resolve([]),
    addresses: (name: string) =>
      Promise.resolve(name === "carrier.test" ? [peer] : name === "many.test" ? many : []),
  };
  const signalling = {
    routes: {
      resolve: (uri: Parameters<typeof resolveTargets>[0]) =>
        resolveTargets(uri, { resolver, speaks: () => true }),
      open,
    },
    isPublicAddress: (address: string) => address.startsWith("203.0.113."),
    isOwn: (uri: { host: string }) => uri.host === "sip.test",
  } as unknown as Signalling;
  const uri = parseSipUri(next);
  const gone = { flow, next: uri, ...isTrunk && { trunk } };
  await reachNext(signalling, gone).catch(() => {});
  return tried;
}

Deno.test("reachNext() connects to the Contact of a peer, by the transport of its call", async () => {
  assert.deepEqual(await attempts(`sip:a@${peer}:5070`), [`TCP ${peer}:5070`]);
  assert.deepEqual(await attempts(`sip:a@${peer}`), [`TCP ${peer}:5060`]);
  assert.deepEqual(await attempts("sip:a@carrier.test"), [`TCP ${peer}:5060`]);
  assert.deepEqual(await attempts(`sip:a@${peer};transport=udp`), [`UDP ${peer}:5060`]);
  assert.deepEqual(await attempts("sip:a@203.0.113.1;transport=tls"), ["TLS 203.0.113.1:5061"]);
});

Deno.test("reachNext() goes on over TLS alone where the call was over TLS", async () => {
  const over = { protocol: "TLS" } as const;
  assert.deepEqual(await attempts("sip:a@carrier.test", over), [`TLS ${peer}:5061`]);
  assert.deepEqual(await attempts("sip:a@carrier.test;transport=tcp", over), []);
  assert.deepEqual(await attempts("sip:a@carrier.test;transport=udp", over), []);
});

Deno.test("reachNext() connects to no host inside the network, whatever a Contact says", async () => {
  for (const host of ["10.0.0.1", "127.0.0.1", "198.51.100.8", "nowhere.test"]) {
    assert.deepEqual(await attempts(`sip:a@${host}:5070`), [], host);
  }
});

Deno.test("reachNext() connects to no softphone that accepts no connections", async () => {
  assert.deepEqual(await attempts(`sip:a@${peer};ob`), []);
  assert.deepEqual(await attempts("sip:a@sip.test;gr=1"), []);
  assert.deepEqual(await attempts(`sip:a@${peer};transport=ws`, { protocol: "WS" }), []);
});

Deno.test("reachNext() connects to each address of a trunk, and to where its calls go", async () => {
  const trunk = { isTrunk: true };
  assert.deepEqual(await attempts("sip:a@198.51.100.8:5070", trunk), ["TCP 198.51.100.8:5070"]);
  assert.deepEqual(await attempts("sip:a@10.0.0.1:5070", trunk), [`TCP ${peer}:5070`]);
  assert.deepEqual(await attempts("sip:a@10.0.0.1", trunk), ["the usual way"]);
  assert.deepEqual(
    await attempts("sip:a@198.51.100.8:5070", { ...trunk, refuses: true }),
    ["TCP 198.51.100.8:5070", "the usual way"],
  );
});

Deno.test("reachNext() connects to few addresses of a Contact, and to all of a trunk", async () => {
  const refuses = { refuses: true };
  assert.equal((await attempts("sip:a@many.test", refuses)).length, sipLimits.contactTargets);
  const ofTrunk = await attempts("sip:a@many.test", { ...refuses, isTrunk: true });
  assert.equal(ofTrunk.length, many.length + 1); // And the usual way.
});
