import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import type { Flow } from "../../../sip/base/flow.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { openStream } from "../../../sip/transport/stream.ts";
import { handClock } from "../../support/process/hand_clock.ts";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { connectPeer, peerRequest, type SipPeer } from "../../support/sip/sip_peer.ts";
import { queue } from "../../support/service/queue.ts";
import { uriIn, valueOf } from "../../support/sip/sip_text.ts";

const onTcp = { transports: { ports: { TCP: 0 } } };

sipTest("openStream() answers requests that come in pieces and together", async () => {
  await using lab = await startSipLab(onTcp);
  const address = lab.companion.sipAddresses.get("TCP")!;
  const peer = await connectPeer(address);
  const options = (callId: string) => peerRequest("OPTIONS", "TCP", peer.port, { callId });

  for (const char of options("bytewise")) peer.send(char);
  peer.send(`${options("second")}\r\n${options("third")}${options("fourth").slice(0, 30)}`);
  const responses = [await peer.next(), await peer.next(), await peer.next()];
  await peer.close();

  assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200]);
  const callIds = responses.map((response) => valueOf(response, "call-id"));
  assert.deepEqual(callIds, ["bytewise", "second", "third"]);
  const contact = `sip:switchboard@127.0.0.1:${address.port};transport=tcp`;
  assert.equal(uriIn(valueOf(responses[0]!, "contact")), contact);
});

sipTest("openStream() answers keep-alives, and closes on a message that is too long", async () => {
  await using lab = await startSipLab(onTcp);
  const peer = await connectPeer(lab.companion.sipAddresses.get("TCP")!);

  peer.send("\r\n\r\n");
  const pong = await peer.next();
  peer.send(`OPTIONS sip:a SIP/2.0\r\nContent-Length: ${sipLimits.messageBytes}\r\n\r\n`);
  await peer.closed;

  assert.equal(pong.start, "");
  assert.deepEqual(peer.heard, [pong]);
});

/** A stream on a clock that stands still, with a raw peer at its other end. */
async function openLab(isKnown?: (flow: Flow) => boolean) {
  const clock = handClock();
  const connected = Promise.withResolvers<Socket>();
  const server = createServer(connected.resolve);
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = server.address() as { port: number };
  const peer = await connectPeer({ host: "127.0.0.1", port });
  const messages = queue<string>();
  const closed = Promise.withResolvers<void>();
  const elsewhere: string[] = [];
  const flow: Flow = openStream(await connected.promise, {
    protocol: "TCP",
    local: { sentBy: "127.0.0.1:5060", contact: "sip:127.0.0.1" },
    clock,
    events: { onMessage: (_, text) => messages.put(text), onClose: () => closed.resolve() },
    respondElsewhere: (_, response) => Promise.resolve(void elsewhere.push(response)),
    isKnown,
  });
  const end = async (peer: SipPeer) => {
    await peer.close();
    await closed.promise;
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { clock, peer, flow, next: messages.take, closed: closed.promise, elsewhere, end };
}

sipTest("openStream() closes a peer that does not complete its message", async () => {
  const { clock, peer, next, closed, end } = await openLab();
  const text = peerRequest("OPTIONS", "TCP", peer.port);

  peer.send(text + text.slice(0, 50));
  await next();
  clock.advance(sipLimits.messageCompleteMs - 1);
  peer.send(text.slice(50) + text.slice(0, 10));
  await next();
  clock.advance(sipLimits.messageCompleteMs - 1);
  peer.send(text.slice(10));
  assert.equal(await next(), text);
  peer.send(`${text}O`);
  await next();
  clock.advance(sipLimits.messageCompleteMs);
  await closed;
  await peer.closed;

  assert.equal(clock.waiting(), 0);
  await end(peer);
});

sipTest(
  "openStream() closes a silent unauthenticated stream soon, and a Client's later",
  async () => {
    const stranger = await openLab();
    stranger.clock.advance(sipLimits.unauthenticatedIdleMs);
    await stranger.peer.closed;
    await stranger.end(stranger.peer);

    const client = await openLab();
    client.flow.logins.add("alice");
    client.clock.advance(sipLimits.streamIdleMs - 1);
    assert.equal(client.flow.closed, false);
    client.clock.advance(1);
    await client.peer.closed;
    await client.end(client.peer);
  },
);

sipTest(
  "openStream() keeps the silent connection of a trunk, authenticated by its address",
  async () => {
    const trunk = await openLab(({ remote }) => remote.host === "127.0.0.1");

    trunk.clock.advance(sipLimits.streamIdleMs - 1);
    assert.equal(trunk.flow.closed, false);
    trunk.clock.advance(1);
    await trunk.peer.closed;
    await trunk.end(trunk.peer);
  },
);

sipTest(
  "openStream() keeps the silent connection of a live call, whoever its peer is",
  async () => {
    const peer = await openLab();

    peer.flow.dialogs++;
    peer.clock.advance(2 * sipLimits.streamIdleMs);
    assert.equal(peer.flow.closed, false);
    peer.flow.dialogs--;
    peer.clock.advance(sipLimits.unauthenticatedIdleMs);
    await peer.peer.closed;
    await peer.end(peer.peer);
  },
);

sipTest("openStream() hands on a response whose connection is gone, and no request", async () => {
  const { peer, flow, closed, elsewhere, end } = await openLab();

  await peer.close();
  await closed;
  await flow.transport.send("SIP/2.0 200 OK\r\n\r\n");

  assert.deepEqual(elsewhere, ["SIP/2.0 200 OK\r\n\r\n"]);
  await assert.rejects(flow.transport.send("BYE sip:a SIP/2.0\r\n\r\n"), /connection is closed$/);
  await end(peer);
});
