import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { clockOf } from "../../../sip/base/clock.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createTimers } from "../../../sip/base/timers.ts";
import { openUdp } from "../../../sip/transport/udp.ts";
import { openUdpPeer, peerRequest } from "../../support/sip/sip_peer.ts";

const hostname = "127.0.0.1";

Deno.test({
  name: "openUdp() hears every datagram of a burst",
  timeout: 60_000,
  fn: () => echoes(),
});

Deno.test({
  name: "openUdp() lets others have their turn in a flood",
  timeout: 60_000,
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
          if (heard < enough) void peer.send(data, to);
          else over.resolve();
        },
        onClose() {},
      },
    });
    const peer = Deno.listenDatagram({ transport: "udp", hostname, port: 0 });
    const to = { transport: "udp", hostname, port: udp.address.port } as const;
    const data = new TextEncoder().encode("OPTIONS sip:sip.test SIP/2.0\r\n\r\n");

    await peer.send(data, to);
    await over.promise;
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
