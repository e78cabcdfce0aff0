import assert from "node:assert/strict";
import { polledUdp } from "../../../../sip/media/rtp/polled_udp.ts";
import { bindDatagrams, type Udp, udpByDeno } from "../../../../sip/media/rtp/rtp_sockets.ts";
import { webrtcSockets } from "../../../../sip/media/webrtc/sockets.ts";

const host = "127.0.0.1";
const kinds: [string, () => Udp | undefined][] = [["Deno", () => udpByDeno], [
  "the C library",
  () => polledUdp(),
]];

for (const [name, open] of kinds) {
  Deno.test({
    name: `a port is taken over from a socket that reads no more: by ${name}`,
    ignore: Deno.build.os !== "linux",
    timeout: 30_000,
    async fn() {
      const udp = open()!; // On Linux there are both.
      const first = await udp.bind(host, 0, { takesOver: true });
      const { port } = first;
      await assert.rejects(bindDatagrams(host, port), /Address already in use/);
      const second = await udp.bind(host, port, { takesOver: true });
      first.onMessage = () => assert.fail("the first one hears no more");
      const peer = await bindDatagrams(host, 0);
      const heard = Promise.withResolvers<void>();
      let count = 0;
      second.onMessage = () => ++count === 5 && heard.resolve();

      for (let i = 0; i < 5; i++) peer.send(new Uint8Array(20), { address: host, port });
      await heard.promise;

      await Promise.all([first.close(), second.close(), peer.close()]);
      udp.close();
    },
  });
}

Deno.test("MEDIA_PORT that another process has is refused, unless it is taken over", async () => {
  const other = await bindDatagrams(host, 0);
  const { port } = other;
  await assert.rejects(webrtcSockets({ bindAddress: host, port }), /MEDIA_PORT/);
  await other.close();

  const hanging = await webrtcSockets({ bindAddress: host, port });
  await assert.rejects(webrtcSockets({ bindAddress: host, port }), /MEDIA_PORT/);
  const next = await webrtcSockets({ bindAddress: host, port, takesOver: true });

  await Promise.all([hanging.close(), next.close()]);
});
