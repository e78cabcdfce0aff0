import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { connect } from "node:tls";
import type { Endpoint, Flow, Protocol } from "../../../sip/base/flow.ts";
import {
  listenSip,
  type SipListener,
  type TransportOptions,
} from "../../../sip/transport/listen.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createTimers } from "../../../sip/base/timers.ts";
import { hostPort } from "../../../sip/transport/local_name.ts";
import type { Resolver } from "../../../sip/transport/resolver.ts";
import { listenTls } from "../../../sip/transport/stream_listener.ts";
import { parseSipUri } from "../../../sip/text/uri.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { sipTest } from "../../support/sip/sip_lab.ts";
import { connectPeer, peerRequest, peerResponse } from "../../support/sip/sip_peer.ts";
import { queue } from "../../support/service/queue.ts";
import { readSip } from "../../support/sip/sip_text.ts";
import { eventually } from "../../support/process/eventually.ts";
import {
  certificateFiles,
  serialAt,
  testAuthority,
  testCertificates,
} from "../../support/process/test_certificates.ts";

/** A listener with no core above it: what comes is kept for the test. */
async function openLab(options: TransportOptions) {
  const timers = createTimers();
  const messages = queue<{ flow: Flow; text: string }>();
  const lost = queue<Flow>();
  const logged = queue<string>();
  const sip = await listenSip({
    hostname: "127.0.0.1",
    timers,
    log: (line) => logged.put(line),
    ...options,
  }, {
    onConnect: () => () => {},
    onMessage: (flow, text) => messages.put({ flow, text }),
    onClose: lost.put,
  });
  return {
    sip,
    next: messages.take,
    lost: lost.take,
    nextLog: logged.take,
    async [Symbol.asyncDispose]() {
      timers.clear();
      await sip.close();
    },
  };
}

const at = (sip: SipListener, protocol: Protocol): Endpoint => sip.addresses.get(protocol)!;

const uriOf = (sip: SipListener, protocol: Protocol, host = "127.0.0.1") =>
  parseSipUri(`sip:${host}:${at(sip, protocol).port};transport=${protocol.toLowerCase()}`)!;

/** A resolver that knows one name. */
const knows = (name: string, addresses: string[]): Resolver => ({
  naptr: () => Promise.resolve([]),
  srv: () => Promise.resolve([]),
  addresses: (asked) => Promise.resolve(asked === name ? addresses : []),
});

for (const protocol of ["TCP", "WS", "UDP"] as const) {
  sipTest(`reach() sends by ${protocol} on one flow, and is answered on it`, async () => {
    await using server = await openLab({ ports: { [protocol]: 0 } });
    await using client = await openLab({ ports: { UDP: 0 } });
    const uri = uriOf(server.sip, protocol);

    const [flow, again] = await Promise.all([client.sip.reach(uri), client.sip.reach(uri)]);
    const text = peerRequest("OPTIONS", protocol, 5060);
    await flow.transport.send(text);
    const request = await server.next();
    const response = peerResponse(readSip(text), 200).replace(
      "rport",
      `rport=${request.flow.remote.port}`,
    );
    await request.flow.transport.send(response);
    const answered = await client.next();

    assert.equal(again, flow);
    assert.equal(request.text, text);
    assert.equal(request.flow.transport.protocol, protocol);
    assert.deepEqual(answered, { flow, text: response });
  });
}

sipTest("reach() connects again where a connection closed", async () => {
  await using server = await openLab({ ports: { TCP: 0 } });
  await using client = await openLab({});
  const uri = uriOf(server.sip, "TCP");

  const first = await client.sip.reach(uri);
  first.close();
  await client.lost();
  const second = await client.sip.reach(uri);

  assert.notEqual(second, first);
  assert.deepEqual([first.closed, second.closed], [true, false]);
});

sipTest("reach() names us by the port we listen on, else by the connection's", async () => {
  await using server = await openLab({ ports: { TCP: 0, WS: 0 } });
  await using client = await openLab({ publicHost: "phone.test" });

  const out = await server.sip.reach(uriOf(server.sip, "TCP"));
  const other = await client.sip.reach(uriOf(server.sip, "TCP"));
  const webSocket = await client.sip.reach(uriOf(server.sip, "WS"));

  const { port } = at(server.sip, "TCP");
  assert.equal(out.local.contact, `sip:switchboard@127.0.0.1:${port};transport=tcp`);
  assert.match(other.local.sentBy, /^phone\.test:\d+$/);
  assert.match(webSocket.local.contact, /^sip:switchboard@phone\.test:\d+;transport=ws$/);
});

sipTest("reach() goes on to the next address, and says why none would do", async () => {
  await using server = await openLab({ ports: { TCP: 0 } });
  const resolver = knows("gateway.test", ["127.0.0.2", "127.0.0.1"]);
  await using client = await openLab({ resolver });

  const flow = await client.sip.reach(uriOf(server.sip, "TCP", "gateway.test"));
  const { port } = at(server.sip, "TCP");
  await server.sip.close();

  assert.equal(flow.remote.host, "127.0.0.1");
  await client.lost();
  await assert.rejects(
    client.sip.reach(parseSipUri(`sip:gateway.test:${port};transport=tcp`)!),
    /^Error: Cannot reach sip:gateway\.test:\d+;transport=tcp: Cannot connect to 127\.0\.0\.2:\d+ by TCP: .*refused.*; Cannot connect to 127\.0\.0\.1:/i,
  );
});

sipTest("reach() believes a TLS peer only by its name and authority", async () => {
  await using files = await certificateFiles();
  const { certificate } = files;
  await using server = await openLab({ ports: { TLS: 0 }, certificate });
  const resolver: Resolver = { ...knows("", []), addresses: () => Promise.resolve(["127.0.0.1"]) };
  await using client = await openLab({ resolver, caCerts: [testAuthority] });
  await using stranger = await openLab({ resolver });

  const flow = await client.sip.reach(uriOf(server.sip, "TLS", "sip.test"));
  await flow.transport.send(peerRequest("OPTIONS", "TLS", 5061));
  const { flow: theirs } = await server.next();

  const { port } = at(server.sip, "TLS");
  assert.equal(theirs.local.contact, `sip:switchboard@127.0.0.1:${port};transport=tls`);
  await assert.rejects(client.sip.reach(uriOf(server.sip, "TLS", "other.test")), /by TLS: .*cert/i);
  await assert.rejects(stranger.sip.reach(uriOf(server.sip, "TLS", "sip.test")), /by TLS: .*cert/i);
});

sipTest("reach() sends by secure WebSocket to a peer of its name", async () => {
  await using files = await certificateFiles();
  const { certificate } = files;
  await using server = await openLab({ ports: { WSS: 0 }, certificate });
  await using client = await openLab({ caCerts: [testAuthority] });

  const flow = await client.sip.reach(uriOf(server.sip, "WSS", "localhost"));
  await flow.transport.send(peerRequest("OPTIONS", "WSS", 443));
  const { flow: theirs } = await server.next();

  assert.equal(theirs.transport.protocol, "WSS");
  await assert.rejects(client.sip.reach(uriOf(server.sip, "WSS")), /by WSS: /);
});

sipTest("respondElsewhere() answers a closed connection at the port in Via", async () => {
  await using server = await openLab({ ports: { TCP: 0 } });
  await using peer = await openLab({ ports: { TCP: 0 } });
  const { host, port } = at(peer.sip, "TCP");
  const connection = await connectPeer(at(server.sip, "TCP"));

  const via = `SIP/2.0/TCP ${hostPort(host, port)};branch=z9hG4bKgone`;
  const text = peerRequest("OPTIONS", "TCP", 0, { via });
  connection.send(text);
  const { flow } = await server.next();
  await connection.close();
  await server.lost();
  const response = peerResponse(readSip(text), 200);
  await flow.transport.send(response);

  assert.equal((await peer.next()).text, response);
});

sipTest("listenSip() takes up a renewed certificate and keeps connections", async () => {
  await using files = await certificateFiles();
  const { certificate } = files;
  await using server = await openLab({ ports: { TLS: 0, WSS: 0 }, certificate });
  await using client = await openLab({
    resolver: knows("sip.test", ["127.0.0.1"]),
    caCerts: [testAuthority],
  });
  const [tls, wss] = [at(server.sip, "TLS"), at(server.sip, "WSS")];
  const http = Deno.createHttpClient({ caCerts: [testAuthority] });
  const socket = new WebSocket(`wss://localhost:${wss.port}`, { protocols: ["sip"], client: http });
  await new Promise((resolve) => socket.onopen = resolve);
  const flow = await client.sip.reach(uriOf(server.sip, "TLS", "sip.test"));
  const before = [await serialAt(tls), await serialAt(wss)];

  await files.write({ ...testCertificates.first, cert: "no certificate" });
  assert.equal(await server.nextLog(), "Cannot load the renewed TLS certificate");
  assert.deepEqual([await serialAt(tls), await serialAt(wss)], before);
  await files.write(testCertificates.second);
  // A slow machine may see the files twice before they match again.
  while (await server.nextLog() !== "Loaded the renewed TLS certificate");
  const after = [await serialAt(tls), await serialAt(wss)];
  await flow.transport.send(peerRequest("OPTIONS", "TLS", 1));
  const byTls = await server.next();
  socket.send(peerRequest("OPTIONS", "WSS", 1));
  const byWss = await server.next();
  await byWss.flow.transport.send("SIP/2.0 200 OK\r\n\r\n");
  const answer = await new Promise((resolve) => socket.onmessage = ({ data }) => resolve(data));
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  http.close();

  assert.notDeepEqual(after, before);
  assert.equal(new Set([...before, ...after]).size, 2);
  assert.equal(byTls.flow.transport.protocol, "TLS");
  assert.equal(byWss.flow.transport.protocol, "WSS");
  assert.equal(byWss.flow.remote.host, "127.0.0.1");
  assert.equal(answer, "SIP/2.0 200 OK\r\n\r\n");
});

sipTest("listenTls() closes who does not come to the end of the handshake", async () => {
  const clock = handClock();
  const watch = { certificate: testCertificates.first, onRenewed() {}, close() {} };
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const listener = await listenTls(
    { hostname: "127.0.0.1", port: 0, name: "TLS" },
    (socket) => (resolve(socket), { close: () => socket.end() }),
    { watch, clock },
  );
  const client = connect({ ...listener.address, servername: "sip.test", ca: testAuthority });
  await promise;
  assert.equal(clock.waiting(), 0);

  const silent = await connectPeer(listener.address);
  await eventually("the connection is taken", () => clock.waiting() === 1);
  clock.advance(sipLimits.connectTimeoutMs);
  await silent.closed;

  assert.equal(client.destroyed, false);
  client.destroy();
  await listener.close();
});

for (const protocol of ["WS", "UDP", "TCP"] as const) {
  sipTest(`listenSip() names the variable of a ${protocol} port that is taken`, async () => {
    await using taken = await openLab({ ports: { [protocol]: 0 } });
    const { port } = at(taken.sip, protocol);

    await assert.rejects(
      openLab({ ports: { [protocol]: port } }),
      new RegExp(
        `^Error: Cannot listen on 127\\.0\\.0\\.1:${port} \\(SIP_${protocol}_PORT\\): the port is in use\\. Stop`,
      ),
    );
  });
}

sipTest("listenSip() says which certificate file cannot be used, and listens nowhere", async () => {
  await using files = await certificateFiles();
  const { certificate } = files;
  const { keyFile } = certificate;
  await Deno.writeTextFile(keyFile, testCertificates.second.key);

  await assert.rejects(
    openLab({ ports: { TLS: 0 }, certificate }),
    /^Error: Cannot use .*key\.pem \(SIP_TLS_KEY\): it is not the key of .*cert\.pem$/,
  );
  await assert.rejects(
    openLab({ ports: { TLS: 0 }, certificate: { ...certificate, certFile: "/nowhere.pem" } }),
    /^Error: Cannot read \/nowhere\.pem \(SIP_TLS_CERT\): /,
  );
});
