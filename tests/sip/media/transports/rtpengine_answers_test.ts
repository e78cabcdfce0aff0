import assert from "node:assert/strict";
import { rtpengineTransport } from "../../../../sip/media/transports/rtpengine.ts";
import { ofKind, parseSdp } from "../../../../sip/media/sdp/parse_sdp.ts";
import { rtpTransport } from "../../../../sip/media/transports/plain_rtp.ts";
import { systemClock } from "../../../../sip/media/base/ticker.ts";
import { plainOffer } from "../../../support/sip/plain_peer.ts";
import { webrtcAnswer } from "../../../support/media/webrtc_answer.ts";

const bindAddress = "127.0.0.1";

/** What would be an rtpengine: it tells each side of the other, and forwards nothing. */
function namesake() {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: bindAddress, port: 0 });
  const asked: string[] = [];
  const outside = webrtcAnswer("").replace("setup:active", "setup:actpass");
  const serving = (async () => {
    for await (const [bytes, from] of socket) {
      const [, cookie = "", json = ""] = /^(\S+) (.*)$/.exec(new TextDecoder().decode(bytes)) ?? [];
      const { command } = JSON.parse(json);
      asked.push(command);
      const sdp = command === "offer" ? outside : plainOffer(9);
      const answer = `${cookie} ${JSON.stringify({ result: "ok", sdp })}`;
      await socket.send(new TextEncoder().encode(answer), from);
    }
  })();
  const { port } = socket.addr as Deno.NetAddr;
  return {
    asked,
    address: { host: bindAddress, port },
    async [Symbol.asyncDispose]() {
      socket.close();
      await serving;
    },
  };
}

Deno.test("rtpengineTransport() takes the answer of who was heard early again, and of nobody else", async () => {
  await using server = namesake();
  const ports = { first: 0, last: 0 };
  const plain = rtpTransport({ bindAddress, host: bindAddress, ports, now: systemClock.now });
  const transport = rtpengineTransport({ servers: [server.address], plain, log: () => {} });
  const peer = await transport.open();
  const answer = ofKind("webrtc", parseSdp(webrtcAnswer("")));
  const another = { ...answer, audio: { ...answer.audio, ufrag: "efgh" } };

  await peer.accept(answer, true);
  await assert.rejects(async () => await peer.accept(another), /there was one before/);
  await peer.accept({ ...answer, audio: { ...answer.audio, direction: "sendonly" } });
  await assert.rejects(async () => await peer.accept(answer), /there was one before/);
  await peer.close();
  await transport.close?.();

  const answers = server.asked.filter((command) => command === "answer");
  assert.equal(answers.length, 1);
});
