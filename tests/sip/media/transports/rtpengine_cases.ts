import assert from "node:assert/strict";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import type { NgAddress } from "../../../../sip/media/transports/ng.ts";
import { ofKind, parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import { bindDatagrams } from "../../../../sip/media/rtp/rtp_sockets.ts";
import { openPeer } from "../../../../sip/media/webrtc/peer.ts";
import { writeRtp } from "../../../../sip/media/rtp/rtp.ts";
import type { Encoding } from "../../../../sip/media/sdp/sdp.ts";
import { type Clock, systemClock } from "../../../../sip/media/base/ticker.ts";
import type { Peer } from "../../../../sip/media/sdp/transport.ts";
import { ownSockets } from "../../../../sip/media/webrtc/sockets.ts";
import { writeSdp } from "../../../../sip/media/sdp/write_sdp.ts";
import { handClock } from "../../../support/process/hand_clock.ts";
import { connectRtpPeer } from "../../../support/media/rtp_peer.ts";
import { type Rtpengine, startRtpengine } from "../../../support/media/rtpengine.ts";
import { BROWSER_OFFER } from "../../../support/media/sdp_samples.ts";
import { relayed, relayedBy } from "../../../support/media/webrtc_engines.ts";

/** What goes wrong with rtpengines, and how several share the legs. */

const FORMATS = new Map<Encoding, number>([["PCMU", 0], ["telephone-event", 101]]);

/** Where nobody listens: the discard port of the loopback. */
const NOBODY: NgAddress = { host: "127.0.0.1", port: 9 };

interface Lab {
  start(port?: number): Promise<Rtpengine>;
  engine(servers: NgAddress[], options?: { clock?: Clock; relayClock?: Clock }): MediaEngineLab;
}

type MediaEngineLab = ReturnType<typeof mediaEngine>;

function rtpengineTest(name: string, body: (lab: Lab) => Promise<void>): void {
  Deno.test({
    name: name + relayed.skipped,
    ignore: relayed.skipped !== "",
    timeout: 90_000,
    async fn() {
      const servers: Rtpengine[] = [];
      const engines: MediaEngineLab[] = [];
      try {
        await body({
          async start(port) {
            const server = await startRtpengine(port === undefined ? {} : { port });
            servers.push(server);
            return server;
          },
          engine(addresses, { clock = systemClock, relayClock = systemClock } = {}) {
            // In the time of a fast clock a connection may take long.
            const webrtc = relayedBy(addresses, { clock: relayClock, connectMs: 5_000_000 });
            const engine = mediaEngine({ transports: [webrtc], log: () => {}, clock });
            engines.push(engine);
            return engine;
          },
        });
      } finally {
        await Promise.all(engines.map((engine) => engine.close()));
        await Promise.all(servers.map((server) => server.kill()));
      }
    },
  });
}

/** A peer that names a certificate of somebody else; its DTLS may be done before its answer comes. */
async function connectImpostor(engine: MediaEngineLab, direction: "answer" | "offer") {
  const named = (sdp: string) =>
    sdp.replace(/(?<=a=fingerprint:sha-256 )../, (byte) => byte === "00" ? "01" : "00");
  const options = { sockets: ownSockets("127.0.0.1"), mid: "0", formats: FORMATS };
  if (direction === "answer") {
    const peer = await openPeer(options);
    const leg = await engine.answer(named(writeSdp(peer.local)));
    peer.accept(parseSdp(leg.localSdp));
    return { leg, peer };
  }
  const leg = await engine.offer();
  const peer = await openPeer({ ...options, offer: parseSdp(leg.localSdp) });
  // As with a softphone whose answer is slow.
  await peer.connected;
  await leg.accept(named(writeSdp(peer.local)));
  return { leg, peer };
}

let packets = 0;
const sound = ({ stream: { ssrc } }: Peer) => {
  const at = { sequence: ++packets & 0xffff, timestamp: packets * 160, marker: false };
  return writeRtp({ ...at, payloadType: 0, ssrc, payload: new Uint8Array(160).fill(0x20) });
};

/** Goes a hundred times as fast. */
const fastClock: Clock = {
  now: () => systemClock.now() * 100,
  after: (ms, callback) => systemClock.after(ms / 100, callback),
};

/** Of the server that does DTLS for a leg, as each has a certificate of its own. */
const certificateOf = (sdp: string) => ofKind("webrtc", parseSdp(sdp)).audio.fingerprint;

const failures = [
  ["answer", /DTLS failed: what the peer sends cannot be read/],
  ["offer", /DTLS failed: the peer has another certificate than it named/],
] as const;

for (const [direction, why] of failures) {
  rtpengineTest(`${direction}() tells soon of another certificate than was named`, async (lab) => {
    const { address } = await lab.start();
    const engine = lab.engine([address]);
    const { leg, peer } = await connectImpostor(engine, direction);
    let heard = 0;
    leg.listen((frame) => frame.some((sample) => sample !== 0) && heard++);

    const saying = setInterval(() => peer.send(sound(peer)), 20);
    await assert.rejects(leg.connected, why);
    await leg.lost;
    clearInterval(saying);

    assert.equal(heard, 0);
    await peer.close();
  });
}

rtpengineTest("legs go to several rtpengines in turn", async (lab) => {
  const servers = [await lab.start(), await lab.start()];
  const engine = lab.engine(servers.map(({ address }) => address));

  const certificates: string[] = [];
  for (let i = 0; i < 4; i++) certificates.push(certificateOf((await engine.offer()).localSdp));

  const [first, second] = certificates;
  assert.notEqual(first, second);
  assert.deepEqual(certificates, [first, second, first, second]);
});

rtpengineTest("an rtpengine that does not answer is passed over, and asked last", async (lab) => {
  const server = await lab.start();
  const silent = await bindDatagrams("127.0.0.1", 0);
  let asked = 0;
  silent.onMessage = () => asked++;
  const engine = lab.engine([{ host: "127.0.0.1", port: silent.port }, server.address]);

  for (let i = 0; i < 2; i++) await engine.offer();
  const peer = await connectRtpPeer(engine, FORMATS);
  const before = asked;
  for (let i = 0; i < 4; i++) await engine.offer();

  assert.ok(before > 0);
  assert.equal(asked, before, "nobody waits for one that was silent before");
  await Promise.all([peer.close(), silent.close()]);
});

rtpengineTest("without any rtpengine there is no leg, and the error names them", async (lab) => {
  const engine = lab.engine([NOBODY]);
  const refused = /^Cannot open a WebRTC leg: rtpengine at 127.0.0.1:9 does not answer to "offer"$/;
  const message = (error: Error) => refused.test(error.message);
  await Promise.all([
    assert.rejects(engine.offer(), message),
    assert.rejects(engine.answer(BROWSER_OFFER), message),
  ]);
});

rtpengineTest("a leg is lost when its rtpengine was started again", async (lab) => {
  const server = await lab.start();
  const engine = lab.engine([server.address], { relayClock: fastClock });
  const peer = await connectRtpPeer(engine, FORMATS);
  await server.kill();
  await lab.start(server.address.port);

  await peer.leg.lost;
  await peer.close();
});

rtpengineTest("a leg is lost when its rtpengine answers no more", async (lab) => {
  const server = await lab.start();
  const engine = lab.engine([server.address], { relayClock: fastClock });
  const peer = await connectRtpPeer(engine, FORMATS);
  await server.kill();

  await peer.leg.lost;
  await peer.close();
});

rtpengineTest(
  "onQuiet() reports a peer behind rtpengine that is silent, but not on hold",
  async (lab) => {
    const server = await lab.start();
    const clock = handClock();
    const engine = lab.engine([server.address], { clock });
    const [held, silent] = [
      await connectRtpPeer(engine, FORMATS),
      await connectRtpPeer(engine, FORMATS),
    ];
    let heldReports = 0;
    held.leg.onQuiet(() => heldReports++);
    const told = Promise.withResolvers<number>();
    silent.leg.onQuiet(told.resolve);
    await held.leg.reanswer(held.offer("inactive"));

    clock.advance(70_000);

    assert.ok(await told.promise >= 25_000);
    assert.equal(heldReports, 0);
    await Promise.all([held.close(), silent.close()]);
  },
);
