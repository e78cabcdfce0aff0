import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { LIBC_PATHS } from "../../../core/base/libc_paths.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { socketName } from "../../../sip/base/libc.ts";
import { clockOf } from "../../../sip/base/clock.ts";
import { type DirectUdp, directUdp } from "../../../sip/transport/direct_udp.ts";
import { openUdp } from "../../../sip/transport/udp.ts";
import { createTimers } from "../../../sip/base/timers.ts";
import { openUdpPeer, peerRequest } from "../../support/sip/sip_peer.ts";
import { eventually } from "../../support/process/eventually.ts";

const hostname = "127.0.0.1";
const isLinux = Deno.build.os === "linux";

/** How many bytes the kernel holds for a socket that asks for more than it has unless asked. */
const allowed = isLinux ? Number(Deno.readTextFileSync("/proc/sys/net/core/rmem_max")) : 0;

const listen = (host = hostname, port = 0) =>
  Deno.listenDatagram({ transport: "udp", hostname: host, port });

const portOf = (socket: Deno.DatagramConn) => (socket.addr as Deno.NetAddr).port;

const nameOf = (socket: Deno.DatagramConn) => socketName(hostname, portOf(socket))!;

/** The next datagram, once it is there. */
const next = (direct: DirectUdp) =>
  eventually("a datagram", () => {
    const got = direct.receive();
    return got && { data: [...got.data], from: got.from };
  });

interface Lab {
  own: Deno.DatagramConn;
  peer: Deno.DatagramConn;
  direct: DirectUdp;
}

function directTest(name: string, body: (lab: Lab) => Promise<void>): void {
  Deno.test({
    name: `directUdp() ${name}`,
    timeout: 60_000,
    ignore: !isLinux,
    permissions: { net: true, ffi: LIBC_PATHS },
    async fn() {
      const [own, peer] = [listen(), listen()];
      const direct = directUdp(own);
      assert.ok(direct, "the C library is not to be had");
      try {
        await body({ own, peer, direct });
      } finally {
        direct.close();
        own.close();
        peer.close();
      }
    },
  });
}

directTest("has the kernel hold what comes while nobody reads", async ({ own, peer, direct }) => {
  // The kernel counts about twice what a datagram has, and so holds twice what it is asked for.
  const count = Math.floor(Math.min(allowed, sipLimits.udpBufferBytes) / 2_000);
  const to = own.addr as Deno.NetAddr;

  for (let at = 0; at < count; at++) await peer.send(new Uint8Array(1_000).fill(at), to);
  let held = 0;
  while (direct.receive() !== undefined) held++;

  assert.equal(held, count);
});

directTest("takes what waits in order, with its sender", async ({ own, peer, direct }) => {
  const other = listen();
  const to = own.addr as Deno.NetAddr;
  for (const [socket, byte] of [[peer, 1], [other, 2], [peer, 3]] as const) {
    await socket.send(Uint8Array.of(byte), to);
  }

  const heard = [await next(direct), await next(direct), await next(direct)];
  other.close();

  const from = (socket: Deno.DatagramConn) => ({ host: hostname, port: portOf(socket) });
  assert.deepEqual(heard, [
    { data: [1], from: from(peer) },
    { data: [2], from: from(other) },
    { data: [3], from: from(peer) },
  ]);
  assert.equal(direct.receive(), undefined);
});

directTest("sends from the port of the socket", async ({ own, peer, direct }) => {
  assert.equal(direct.send(Uint8Array.of(7, 8), nameOf(peer)), true);

  const [data, from] = await peer.receive();

  assert.deepEqual([...data], [7, 8]);
  assert.equal((from as Deno.NetAddr).port, portOf(own));
});

directTest("says what the system does not take", ({ peer, direct }) => {
  assert.equal(direct.send(new Uint8Array(65_530), nameOf(peer)), false);
  return Promise.resolve();
});

directTest("does nothing once it is closed", async ({ own, peer, direct }) => {
  await peer.send(Uint8Array.of(1), own.addr);
  direct.close();

  assert.equal(direct.receive(), undefined);
  assert.equal(direct.send(Uint8Array.of(1), nameOf(peer)), false);
  assert.deepEqual([...(await own.receive())[0]], [1]);
});

directTest("takes no stream of the same port for the socket", async ({ peer }) => {
  const stream = Deno.listen({ hostname, port: 0 });
  const { port } = stream.addr as Deno.NetAddr;
  const socket = listen(hostname, port);
  const direct = directUdp(socket);
  await peer.send(Uint8Array.of(5), socket.addr);

  const { data } = await next(direct!);
  direct!.close();
  socket.close();
  stream.close();

  assert.deepEqual(data, [5]);
});

Deno.test("directUdp() is for sockets of IPv4 alone", () => {
  const socket = listen("::1");
  assert.equal(directUdp(socket), undefined);
  socket.close();
});

Deno.test({
  name: "openUdp() does without the C library where it may not have it",
  timeout: 60_000,
  permissions: { net: true, ffi: false },
  fn: () => echoes(),
});

Deno.test({
  name: "openUdp() hears every datagram of a burst",
  timeout: 60_000,
  fn: () => echoes(),
});

Deno.test({
  name: "openUdp() lets others have their turn in a flood",
  timeout: 60_000,
  ignore: !isLinux,
  async fn() {
    const timers = createTimers();
    const enough = 40 * sipLimits.datagramsAtOnce;
    const over = Promise.withResolvers<void>();
    let heard = 0;
    let turns = 0;
    const takeTurn = () => {
      turns++;
      if (heard < enough) setImmediate(takeTurn);
    };
    const udp = openUdp({ hostname, port: 0, name: "SIP_UDP_PORT" }, {
      nameOf: (port) => ({ sentBy: `${hostname}:${port}`, contact: `sip:${hostname}:${port}` }),
      clock: clockOf(timers),
      events: {
        // Another one is there whenever one was read.
        onMessage() {
          if (heard++ === 0) takeTurn();
          if (heard < enough) direct.send(data, to);
          else over.resolve();
        },
        onClose() {},
      },
    });
    const peer = listen();
    const direct = directUdp(peer)!;
    const to = socketName(hostname, udp.address.port)!;
    const data = new TextEncoder().encode("OPTIONS sip:sip.test SIP/2.0\r\n\r\n");

    direct.send(data, to);
    await over.promise;
    direct.close();
    peer.close();
    await udp.close();
    timers.clear();

    assert.ok(turns >= 20, `others had ${turns} turns during ${heard} datagrams`);
  },
});

/** Has a socket say back what it hears, of a burst larger than what is read at once. */
async function echoes(): Promise<void> {
  const timers = createTimers();
  const heard: string[] = [];
  const udp = openUdp({ hostname, port: 0, name: "SIP_UDP_PORT" }, {
    nameOf: (port) => ({ sentBy: `${hostname}:${port}`, contact: `sip:${hostname}:${port}` }),
    clock: clockOf(timers),
    events: {
      onMessage(flow, text) {
        heard.push(text);
        void flow.transport.send(text);
      },
      onClose() {},
    },
  });
  const peer = await openUdpPeer(udp.address);
  const sent = Array.from(
    { length: 100 },
    (_, at) =>
      peerRequest("OPTIONS", "UDP", peer.port, { branch: `z9hG4bK${at}`, callId: `${at}` }),
  );
  for (const text of sent) peer.send(text);

  const starts: string[] = [];
  for (const _ of sent) starts.push((await peer.next()).start);
  await assert.rejects(
    udp.flowTo({ host: hostname, port: peer.port }).transport.send(
      peerRequest("OPTIONS", "UDP", peer.port, { headers: [`X-Long: ${"x".repeat(66_000)}`] }),
    ),
  );
  await Promise.all([peer.close(), udp.close()]);
  timers.clear();

  assert.deepEqual(heard.toSorted(), sent.toSorted());
  assert.deepEqual(new Set(starts), new Set([sent[0]!.split("\r\n")[0]]));
}
