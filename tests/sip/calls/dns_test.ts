import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { companionRequests } from "../../../core/protocol/requests.ts";
import type { Registration } from "../../../core/protocol/trunks.ts";
import type { NaptrRecord, SrvRecord } from "../../../sip/transport/resolver.ts";
import { type DnsServer, startDnsServer } from "../../support/sip/dns_server.ts";
import { queue } from "../../support/service/queue.ts";
import { type SipLab, sipTest } from "../../support/sip/sip_lab.ts";
import { peerResponse, streamPeer } from "../../support/sip/sip_peer.ts";
import { type SipText, valueOf } from "../../support/sip/sip_text.ts";
import { testAuthority, testCertificates } from "../../support/process/test_certificates.ts";
import {
  callScript,
  openTrunk,
  startTrunkLab,
  trunkInvitation,
} from "../../support/sip/trunk_peer.ts";

const proxy = "sip.test";
const route = { gatewaySid: null, proxy, publicOnly: false };

const naptr = (order: number, services: string, replacement: string): NaptrRecord => ({
  order,
  preference: 10,
  services,
  replacement,
});

const srv = (priority: number, port: number, target = "host.sip.test"): SrvRecord => ({
  priority,
  weight: 0,
  port,
  target,
});

/** One domain, reached by TLS, then TCP, then UDP. */
const zoneOf = (servers: Record<"TLS" | "TCP" | "UDP", SrvRecord[]>): DnsServer["zone"] => ({
  "sip.test": {
    NAPTR: [
      naptr(30, "SIP+D2U", "_sip._udp.sip.test"),
      naptr(10, "SIPS+D2T", "_sips._tcp.sip.test"),
      naptr(20, "SIP+D2T", "_sip._tcp.sip.test"),
    ],
  },
  "_sips._tcp.sip.test": { SRV: servers.TLS },
  "_sip._tcp.sip.test": { SRV: servers.TCP },
  "_sip._udp.sip.test": { SRV: servers.UDP },
  "host.sip.test": { A: ["127.0.0.1"] },
});

const startLab = (dns: DnsServer): Promise<SipLab> =>
  startTrunkLab({
    transports: { ports: { UDP: 0 }, resolver: dns.resolver, caCerts: [testAuthority] },
  });

/** A server on streams that answers every request but ACK as it is told. */
async function streamServer(respond: (request: SipText) => string, isSecure = false) {
  const requests = queue<SipText>();
  const heard: SipText[] = [];
  const sockets: Socket[] = [];
  const take = async (socket: Socket) => {
    sockets.push(socket);
    const peer = streamPeer(socket);
    for (;;) {
      const request = await peer.next();
      heard.push(request);
      requests.put(request);
      if (request.method !== "ACK") peer.send(respond(request));
    }
  };
  const server: Server = isSecure
    ? createTlsServer({ ...testCertificates.first }, (socket) => void take(socket))
    : createServer((socket) => void take(socket));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    next: requests.take,
    /** Every request that came. */
    heard,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

/** A port that refuses connections. */
async function closedPort(): Promise<number> {
  await using server = await streamServer((request) => peerResponse(request, 200));
  return server.port;
}

async function call(lab: SipLab) {
  const invitation = trunkInvitation([route]);
  await (await lab.run(invitation.leg, callScript(invitation))).body?.cancel();
  return invitation.leg;
}

const full = (request: SipText) => peerResponse(request, 503);
const busy = (request: SipText) => peerResponse(request, 486);

sipTest("a call tries the servers of NAPTR and SRV in turn: refused, full, silent", async () => {
  const refused = await closedPort();
  await using overTcp = await streamServer(full);
  await using silent = await openTrunk();
  await using good = await openTrunk();
  using dns = await startDnsServer(zoneOf({
    TLS: [srv(1, refused)],
    TCP: [srv(1, overTcp.port)],
    UDP: [srv(20, good.port), srv(10, silent.port)],
  }));
  await using lab = await startLab(dns);

  const leg = await call(lab);
  const first = await overTcp.next();
  const second = await silent.request("INVITE");
  const third = await good.request("INVITE");
  good.respond(third, 486);
  const { event } = await lab.service.event("ended", leg);

  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
  const tried = [first, second, third];
  assert.deepEqual(tried.map(({ start }) => start.split(";")[0]), [
    "INVITE sip:+442079460000@sip.test SIP/2.0",
    "INVITE sip:+442079460000@sip.test SIP/2.0",
    "INVITE sip:+442079460000@sip.test SIP/2.0",
  ]);
  assert.deepEqual(
    tried.map((invite) => valueOf(invite, "via").split(" ")[0]),
    ["SIP/2.0/TCP", "SIP/2.0/UDP", "SIP/2.0/UDP"],
  );
});

sipTest("a call leaves by TLS where the domain prefers that, and follows its records", async () => {
  await using secure = await streamServer(busy, true);
  await using moved = await openTrunk();
  const records = { TLS: [srv(1, secure.port)], TCP: [], UDP: [srv(1, moved.port)] };
  using dns = await startDnsServer(zoneOf(records));
  await using lab = await startLab(dns);

  const before = await call(lab);
  const byTls = await secure.next();
  await lab.service.event("ended", before);
  dns.zone = zoneOf({ ...records, TLS: [] });
  const after = await call(lab);
  moved.respond(await moved.request("INVITE"), 486);
  const { event } = await lab.service.event("ended", after);

  assert.match(valueOf(byTls, "via"), /^SIP\/2\.0\/TLS /);
  assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
});

/** A companion whose carrier's domain has two servers, the first of which is asked over TCP. */
async function startTwo(answer: Parameters<typeof streamServer>[0]) {
  const opened = new AsyncDisposableStack();
  const overTcp = opened.use(await streamServer(answer));
  const good = opened.use(await openTrunk());
  const records = { TLS: [], TCP: [srv(1, overTcp.port)], UDP: [srv(1, good.port)] };
  const dns = opened.use(await startDnsServer(zoneOf(records)));
  const lab = opened.use(await startLab(dns));
  return { overTcp, good, dns, lab, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

sipTest("a server that is full is left alone, and the domain's others are not", async () => {
  const retryLater = (request: SipText) =>
    peerResponse(request, 503, { headers: ["Retry-After: 60"] });
  await using domain = await startTwo(retryLater);
  const { overTcp, good, dns, lab } = domain;

  for (let calls = 0; calls < 2; calls++) {
    const leg = await call(lab);
    good.respond(await good.request("INVITE"), 486);
    const { event } = await lab.service.event("ended", leg);
    assert.deepEqual(event, { type: "ended", outcome: "busy", sipStatus: 486 });
  }
  dns.zone = zoneOf({ TLS: [], TCP: [srv(1, overTcp.port)], UDP: [] });
  const last = await lab.service.event("ended", await call(lab));

  const expected = { outcome: "failed", sipStatus: 503, reason: "no-trunk" };
  assert.deepEqual(last.event, { type: "ended", ...expected });
  assert.equal(overTcp.heard.filter(({ method }) => method === "INVITE").length, 1);
});

const gateway: Registration = {
  gatewaySid: `GW${"1".repeat(32)}`,
  accountSid: `AC${"1".repeat(32)}`,
  version: "1",
  userName: "trunk",
  password: "pass",
  proxy,
  publicOnly: false,
  ttlS: 600,
};

async function keep(lab: SipLab, ...gateways: Registration[]): Promise<void> {
  lab.service.trunks.gateways = gateways;
  await (await lab.service.order(lab.companion.bridgeUrl, "/gateways", {})).body?.cancel();
}

sipTest("a Gateway registers at the next server of its domain when the first is full", async () => {
  await using domain = await startTwo(full);
  const { overTcp, good, lab } = domain;

  await keep(lab, gateway);
  assert.equal((await overTcp.next()).method, "REGISTER");
  good.respond(await good.request("REGISTER"), 200);
  await lab.service.gatewayTold(({ status }) => status === "registered");
  await keep(lab);
  good.respond(await good.request("REGISTER"), 200);

  await lab.service.gatewayTold(({ status }) => status === "unregistered");
});

sipTest("a Gateway and its calls heed Retry-After of a server", async () => {
  await using domain = await startTwo((request) =>
    peerResponse(request, 503, { headers: ["Retry-After: 60"] })
  );
  const { overTcp, good, lab } = domain;
  const { gatewaySid, userName, password } = gateway;
  const own = { ...route, gatewaySid, credentials: { userName, password } };
  const invitation = trunkInvitation([own]);

  await keep(lab, gateway);
  for (let refreshes = 0; refreshes < 2; refreshes++) {
    good.respond(await good.request("REGISTER"), 200, { headers: ["Expires: 1"] });
  }
  good.respond(await good.request("REGISTER"), 200, { headers: ["Expires: 600"] });
  await (await lab.run(invitation.leg, callScript(invitation))).body?.cancel();
  good.respond(await good.request("INVITE"), 486);
  await lab.service.event("ended", invitation.leg);
  await keep(lab);
  good.respond(await good.request("REGISTER"), 200);
  await lab.service.gatewayTold(({ status }) => status === "unregistered");

  assert.deepEqual(overTcp.heard.map(({ method }) => method), ["REGISTER"]);
});

sipTest("a Gateway tries only the server again that did not ask to be left alone", async () => {
  await using domain = await startTwo((request) =>
    peerResponse(request, 503, { headers: ["Retry-After: 60"] })
  );
  const { overTcp, good, lab } = domain;

  await keep(lab, gateway);
  good.respond(await good.request("REGISTER"), 503);
  const failed = await lab.service.gatewayTold(({ status }) => status === "failed");
  good.respond(await good.request("REGISTER"), 200);
  await lab.service.gatewayTold(({ status }) => status === "registered");
  await keep(lab);
  good.respond(await good.request("REGISTER"), 200);
  await lab.service.gatewayTold(({ status }) => status === "unregistered");

  assert.equal(failed.reason, "Cannot register: the proxy answered 503 Told So");
  assert.equal(overTcp.heard.length, 1);
});

sipTest("a MESSAGE goes to the next server of its domain when the first is full", async () => {
  await using domain = await startTwo(full);
  const { overTcp, good, lab } = domain;

  const order = { sid: "SM1", from: "+15550001", to: "+15550002", body: "Hello", routes: [route] };
  const sent = lab.service.order(
    lab.companion.bridgeUrl,
    companionRequests.outwardMessage.path,
    order,
  );
  assert.equal((await overTcp.next()).method, "OPTIONS");
  assert.equal((await overTcp.next()).method, "MESSAGE");
  good.respond(await good.request("OPTIONS"), 200);
  good.respond(await good.request("MESSAGE"), 202);

  assert.deepEqual(await (await sent).json(), { status: 202 });
});
