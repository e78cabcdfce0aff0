import assert from "node:assert/strict";
import type { Address } from "../../../../sip/media/rtp/latch.ts";
import { bindDatagrams, type Datagrams } from "../../../../sip/media/rtp/rtp_sockets.ts";
import { stunKey, writeStun } from "../../../../sip/media/webrtc/stun.ts";
import { ownSockets, webrtcSockets } from "../../../../sip/media/webrtc/sockets.ts";

/** A socket without a network: what it sent, and who it hears from. */
function fakeUdp() {
  const sent: [text: string, to: number][] = [];
  let closed = 0;
  const socket: Datagrams = {
    port: 40_000,
    onMessage: () => {},
    send: (bytes, { port }) => void sent.push([new TextDecoder().decode(bytes), port]),
    close: () => Promise.resolve(void closed++),
  };
  return { socket, sent, bind: () => Promise.resolve(socket), closed: () => closed };
}

const at = (port: number): Address => ({ address: "192.0.2.1", port });
const text = (content: string) => new TextEncoder().encode(content);
const key = stunKey("a password of no matter");

const check = (username?: string) =>
  writeStun({ type: "request", transaction: "00".repeat(12), ...username && { username } }, key);

/** What a socket hears: of which port. */
function heardBy(datagrams: Datagrams): number[] {
  const heard: number[] = [];
  datagrams.onMessage = (_, { port }) => void heard.push(port);
  return heard;
}

Deno.test("on one port a check goes to whom it names, and all else to who has sent there", async () => {
  const udp = fakeUdp();
  const sockets = await webrtcSockets({ bindAddress: "192.0.2.7", port: 40_000 }, udp);
  const [one, other] = [await sockets.open("one"), await sockets.open("other")];
  const heard = [heardBy(one), heardBy(other)];
  const hear = (bytes: Uint8Array, port: number) => udp.socket.onMessage(bytes, at(port));

  hear(check("one:peer"), 1);
  hear(check("other:peer"), 2);
  hear(check("nobody:peer"), 3);
  hear(check("two"), 3);
  hear(check(), 3);
  hear(text("\u0001 no STUN"), 3);
  hear(text("never asked"), 1);
  assert.deepEqual(heard, [[1], [2]]);

  one.send(text("hello"), at(1));
  other.send(text("hello"), at(2));
  other.send(text("both"), at(5));
  one.send(text("both"), at(5));
  hear(text("for one"), 1);
  hear(text("for other"), 2);
  hear(text("for both"), 5);
  assert.deepEqual(heard, [[1, 1, 5], [2, 2, 5]]);
  assert.deepEqual(udp.sent.map(([, port]) => port), [1, 2, 5, 5]);
  assert.deepEqual([one.port, other.port], [40_000, 40_000]);
});

Deno.test("on one port a check goes by the first characters of whom it names", async () => {
  const udp = fakeUdp();
  const sockets = await webrtcSockets({ bindAddress: "192.0.2.7", port: 40_000 }, udp);
  const heard = [heardBy(await sockets.open("12345678")), heardBy(await sockets.open("short"))];
  for (
    const [i, name] of ["12345678", "12345678/another", "1234567", "short", "shorter"].entries()
  ) {
    udp.socket.onMessage(check(`${name}:peer`), at(i));
  }
  assert.deepEqual(heard, [[0, 1], [3]]);
});

Deno.test("who has left one port hears and sends nothing, and the others go on", async () => {
  const udp = fakeUdp();
  const sockets = await webrtcSockets({ bindAddress: "192.0.2.7", port: 40_000 }, udp);
  const closedBefore = udp.closed(); // By the look whether another process has the port.
  const [one, other] = [await sockets.open("one"), await sockets.open("other")];
  const heard = [heardBy(one), heardBy(other)];
  one.send(text("hello"), at(5));
  other.send(text("hello"), at(5));

  await one.close();
  await one.close();
  one.send(text("too late"), at(5));
  udp.socket.onMessage(text("still"), at(5));
  udp.socket.onMessage(check("one:peer"), at(5));
  udp.socket.onMessage(check("other:peer"), at(5));
  assert.deepEqual(heard, [[], [5, 5]]);
  assert.equal(udp.sent.length, 2);

  // Its name is free again.
  const again = await sockets.open("one");
  const heardAgain = heardBy(again);
  await one.close();
  udp.socket.onMessage(check("one:peer"), at(6));
  assert.deepEqual(heardAgain, [6]);
  await Promise.all([sockets.close(), sockets.close()]);
  assert.equal(udp.closed() - closedBefore, 1);
});

Deno.test("of one port, an address is forgotten when its peer has many newer ones", async () => {
  const udp = fakeUdp();
  const sockets = await webrtcSockets({ bindAddress: "192.0.2.7", port: 40_000 }, udp);
  const one = await sockets.open("one");
  const heard = heardBy(one);
  for (let port = 1; port <= 5_000; port++) one.send(text("hello"), at(port));

  for (let port = 1; port <= 5_000; port++) udp.socket.onMessage(text("still"), at(port));
  assert.ok(heard.includes(5_000));
  assert.ok(heard.length <= 1_000, `${heard.length} addresses are kept`);
  const known = heard.length;
  one.send(text("again"), at(1));
  udp.socket.onMessage(text("still"), at(1));
  assert.equal(heard.length, known + 1, "who is sent to is heard again");
});

Deno.test("what all peers of one port are sent in one turn leaves, whatever opened it", async () => {
  const sockets = await webrtcSockets({ bindAddress: "127.0.0.1", port: 0 }, {
    bind: bindDatagrams,
  });
  const peer = await bindDatagrams("127.0.0.1", 0);
  const all = Promise.withResolvers<void>();
  let heard = 0;
  peer.onMessage = () => {
    if (++heard === 150) all.resolve();
  };
  const guests = await Promise.all(
    Array.from({ length: 150 }, (_, i) => sockets.open(`guest${i}`)),
  );
  for (const { send } of guests) send(text("hello"), { address: "127.0.0.1", port: peer.port });
  await all.promise;
  await sockets.close();
  await peer.close();
});

const hasIpv6 = await bindDatagrams("::", 0).then((socket) => socket.close()).then(
  () => true,
  () => false,
);

Deno.test({
  name: "a socket of IPv6 meets a peer of IPv4 by its own address",
  ignore: !hasIpv6,
  timeout: 30_000,
  async fn() {
    const socket = await ownSockets("::").open("one");
    const peer = await bindDatagrams("127.0.0.1", 0);
    const toSocket = Promise.withResolvers<Address>();
    const toPeer = Promise.withResolvers<number>();
    socket.onMessage = (_, from) => toSocket.resolve(from);
    peer.onMessage = (_, { port }) => toPeer.resolve(port);
    peer.send(text("hello"), { address: "127.0.0.1", port: socket.port });
    const from = await toSocket.promise;
    assert.deepEqual(from, { address: "127.0.0.1", port: peer.port });
    socket.send(text("hello"), from);
    assert.equal(await toPeer.promise, socket.port);
    await Promise.all([socket.close(), peer.close()]);
  },
});

Deno.test("an address that cannot be bound is named in the error, and no name is looked up", async () => {
  await assert.rejects(
    ownSockets("192.0.2.77").open("one"),
    /^MediaShortage: Cannot bind media sockets to "192.0.2.77": .*assign/,
  );
  await assert.rejects(
    ownSockets("localhost").open("one"),
    /^MediaShortage: Cannot bind media sockets to "localhost": it is not an IP address$/,
  );
  await assert.rejects(
    webrtcSockets({ bindAddress: "localhost", port: 40_000 }),
    /^Error: Cannot listen on localhost:40000 \(MEDIA_PORT\): it is not an IP address$/,
  );
});
