import assert from "node:assert/strict";
import { mediaEngine } from "../../../../sip/media/engine/engine.ts";
import { webrtcTransport } from "../../../../sip/media/webrtc/peer.ts";
import { ownSockets } from "../../../../sip/media/webrtc/sockets.ts";
import { BROWSER_OFFER } from "../../../support/media/sdp_samples.ts";

const createEngine = (bindAddress: string) =>
  mediaEngine({ transports: [webrtcTransport(ownSockets(bindAddress))], log: () => {} });

Deno.test({
  name: "answer() and offer() reject when the address cannot be bound",
  timeout: 90_000,
  async fn() {
    for (
      const [address, why] of [["192.0.2.77", /assign/], ["here", /not an IP/]] as const
    ) {
      const engine = createEngine(address);
      await assert.rejects(engine.offer(), /Cannot bind media sockets to/);
      await assert.rejects(engine.answer(BROWSER_OFFER), why);
      await engine.close();
    }
  },
});

Deno.test({
  name: "join() refuses a leg of another engine",
  timeout: 90_000,
  async fn() {
    const engines = [createEngine("127.0.0.1"), createEngine("127.0.0.1")] as const;
    const [one, other] = await Promise.all(engines.map((engine) => engine.offer()));
    assert.throws(() => one!.join(other!), /different engines/);
    await Promise.all(engines.map((engine) => engine.close()));
  },
});

Deno.test({
  name: "connected rejects and lost resolves when the answer names another certificate",
  timeout: 90_000,
  async fn() {
    const engine = createEngine("127.0.0.1");
    const caller = await engine.offer();
    const callee = await engine.answer(caller.localSdp);
    const forged = callee.localSdp.replace(
      /(a=fingerprint:sha-256 )(..)/,
      (_, name, byte) => name + (byte === "00" ? "01" : "00"),
    );
    await caller.accept(forged);
    await assert.rejects(
      caller.connected,
      /Cannot connect media: DTLS failed with the peer: its certificate is not the one/,
    );
    await caller.lost;
    await engine.close();
  },
});
