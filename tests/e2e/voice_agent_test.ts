import assert from "node:assert/strict";
import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import { asTelephone, programTest, voiceIn, wordsOf } from "../support/media/speech_lab.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts, startSystem } from "../support/process/system.ts";
import { pageCode } from "../support/service/page_code.ts";
import {
  isSound,
  plainOffer,
  plainSocket,
  portOf,
  soundOf as soundOfPackets,
} from "../support/sip/plain_peer.ts";

const page = "docs/how-to/voice-agents.md";

/** The agent of the page, with the permissions that the page gives it. */
async function startAgent(env: Record<string, string>) {
  const directory = await Deno.makeTempDir();
  const code = await pageCode(page, "agent.ts");
  assert.ok(code.split("\n").length <= 81, "it has more than 80 lines");
  await Deno.writeTextFile(`${directory}/agent.ts`, code);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--allow-net", "--allow-env", "agent.ts"],
    cwd: directory,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  return {
    /** Resolves with the rest of the first line that begins with this. */
    async line(begin: string): Promise<string> {
      for (;;) {
        const found = output.split("\n").slice(0, -1).find((line) => line.startsWith(begin));
        if (found !== undefined) return found.slice(begin.length);
        const { value, done } = await lines.read();
        if (done) throw new Error(`The agent ended: ${output}`);
        output += value;
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await Promise.all([child.status, lines.cancel()]);
      await Deno.remove(directory, { recursive: true });
    },
  };
}

programTest(
  "pocketsphinx_continuous",
  "the agent of the page greets a caller, understands words, and answers them",
  async () => {
    const secret = "a-secret-of-this-machine";
    const [port] = freePorts(1) as [number];
    await using system = await startSystem({ env: { RTP_PORTS: "0", SPEECH_SECRET: secret } });
    const speechUrl = system.speechUrl;
    const env = { PORT: String(port), SPEECH_URL: speechUrl, SPEECH_SECRET: secret };
    await using agent = await startAgent(env);
    await eventually(
      "the agent listens",
      () =>
        fetch(`http://127.0.0.1:${port}/`).then((response) =>
          response.body?.cancel().then(() => true)
        )
          .catch(() => false),
    );
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
