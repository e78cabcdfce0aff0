import assert from "node:assert/strict";
import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import { asTelephone, programTest, voiceIn, wordsOf } from "../support/media/speech_lab.ts";
import { startAgent } from "../support/process/page_agent.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import {
  isSound,
  plainOffer,
  plainSocket,
  portOf,
  soundOf as soundOfPackets,
} from "../support/sip/plain_peer.ts";

const page = "docs/how-to/voice-agents.md";

programTest(
  "pocketsphinx_continuous",
  "the agent of the page greets a caller, understands words, and answers them",
  async () => {
    const secret = "a-secret-of-this-machine";
    const [port] = freePorts(1) as [number];
    await using system = await startSystem({ env: { RTP_PORTS: "0", SPEECH_SECRET: secret } });
    const speechUrl = system.speechUrl;
    const env = { PORT: String(port), SPEECH_URL: speechUrl, SPEECH_SECRET: secret };
    await using agent = await startAgent(page, env);
    await system.post("Clients.json", {
      Login: "alice",
      Password: "alice-secret",
      VoiceUrl: `http://127.0.0.1:${port}/`,
    });
    const phone = await system.phone("alice");
    const spoken = asTelephone(await wordsOf("four five six"));
    const socket = await plainSocket();
    let timer: ReturnType<typeof setInterval> | undefined;
    try {
      const dialog = await phone.call("agent", { sdp: plainOffer(socket.port) }).answered;
      const to = portOf(dialog.remoteSdp);
      const frames = framesOf(spoken.pcm);
      const silence = new Uint8Array(160).fill(0xff);
      let isSpeaking = false;
      timer = setInterval(() => {
        socket.send(to, { payload: isSpeaking && frames.length > 0 ? frames.shift()! : silence });
      }, 20);
      const greeting = await socket.next(50, isSound);
      isSpeaking = true;
      const words = await agent.line("heard: ");
      const answer = await socket.next(50, isSound);

      assert.match(words, /four|five|six/i);
      for (const packets of [greeting, answer]) {
        const { voicedS } = voiceIn({ pcm: soundOfPackets("PCMU", packets), sampleRate: 8_000 });
        assert.ok(voicedS > 0.5, `${voicedS} s are voiced`);
      }
    } finally {
      clearInterval(timer);
      await socket.close();
    }
  },
);

function framesOf(pcm: Int16Array): Uint8Array<ArrayBuffer>[] {
  const bytes = encodeG711("PCMU", new Int16Array(pcm));
  const count = Math.floor(bytes.length / 160);
  return Array.from({ length: count }, (_, i) => bytes.slice(i * 160, (i + 1) * 160));
}
