import { runtimeFlags } from "../../core/machine/start/programs.ts";
import { askNg } from "../../sip/media/transports/ng.ts";
import { startRtpengine } from "../support/media/rtpengine.ts";
import type { Answer, Mode, Order } from "./media_engine.ts";
import { cpuSeconds, family } from "./process_cpu.ts";

/** The servers of `media.ts`, each a process of its own, pinned to the first core. */

const root = new URL("../../", import.meta.url).pathname;

export interface MediaServer extends AsyncDisposable {
  /** Opens a leg for each offer, of which pairs in a row may be joined; resolves with the answers. */
  open(offers: string[]): Promise<string[]>;
  /** Has the legs do something. */
  perform(mode: Mode): Promise<void>;
  /** Opens a stream of each leg to a server, where the engine does that. */
  stream?(url: string): Promise<void>;
  /** Ends all legs. */
  close(): Promise<void>;
  /** CPU seconds used so far. */
  cpuS(): number;
  /** The part of them that an rtpengine used which an engine has beside it. */
  relayCpuS?(): number;
}

const firstCore = ["taskset", "--cpu-list", "0"] as const;

const cpuOf = (pid: number) => family(pid).map(cpuSeconds).reduce((all, one) => all + one, 0);

/** The engine of the companion, started as it is; given a port, with WebRTC by the rtpengine there. */
export function embedded(...rtpenginePort: string[]): MediaServer {
  const [taskset, ...args] = firstCore;
  // As RTP_FFI=true, or as `deno task start` starts it otherwise.
  const ffi = Deno.env.get("RTP_FFI") === "true" ? [] : ["--deny-ffi"];
  const flags = ["-A", ...ffi, "--quiet", ...runtimeFlags.companion];
  const script = ["run", ...flags, "tests/bench/media_engine.ts"];
  const child = new Deno.Command(taskset, {
    args: [...args, Deno.execPath(), ...script, ...rtpenginePort],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  let text = "";

  const answered = async (): Promise<Answer> => {
    for (;;) {
      const end = text.indexOf("\n");
      if (end >= 0) {
        const answer = JSON.parse(text.slice(0, end)) as Answer;
        text = text.slice(end + 1);
        if (answer.error === undefined) return answer;
        throw new Error(`The engine failed: ${answer.error}`);
      }
      const { done, value } = await output.read();
      if (done) throw new Error("The engine ended");
      text += value;
    }
  };
  const order = async (order: Order) => {
    await input.write(encoder.encode(JSON.stringify(order) + "\n"));
    return await answered();
  };
  return {
    open: async (offers) => (await order({ open: offers })).sdps!,
    perform: async (mode) => void await order({ mode }),
    stream: async (url) => void await order({ stream: url }),
    close: async () => void await order({ close: true }),
    cpuS: () => cpuOf(child.pid),
    async [Symbol.asyncDispose]() {
      await input.close();
      await child.status;
    },
  };
}

export const plainRtpengine = () => rtpengine(PLAIN);
export const webrtcRtpengine = () => rtpengine(WEBRTC);

/** The engine of the companion with WebRTC by an rtpengine, whose CPU time counts too. */
export async function relayed(): Promise<MediaServer> {
  const server = await startRtpengine({ before: [...firstCore] });
  const engine = embedded(String(server.address.port));
  const relayCpuS = () => cpuOf(server.pid);
  return {
    ...engine,
    cpuS: () => engine.cpuS() + relayCpuS(),
    relayCpuS,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await server.kill();
    },
  };
}

/** How rtpengine describes a call to both sides. */
const PLAIN = { ICE: "remove", "transport-protocol": "RTP/AVP" };
const WEBRTC = {
  ICE: "force",
  "transport-protocol": "UDP/TLS/RTP/SAVPF",
  SDES: ["off"],
  "rtcp-mux": ["offer", "require"],
};

/** What one side offered as an answer, and what was offered to it as the answer to its own offer. */
const asAnswer = (sdp: string) => sdp.replace("a=setup:actpass", "a=setup:active");
const answered = (sdp: string) => sdp.replace("a=setup:actpass", "a=setup:passive");

/**
 * rtpengine without its kernel module, steered by its NG protocol; it joins legs of one kind and does
 * no more. The callee's offer stands for the answer to the one that rtpengine makes it.
 */
async function rtpengine(options: typeof PLAIN | typeof WEBRTC): Promise<MediaServer> {
  const server = await startRtpengine({ before: [...firstCore] });
  const ask = async (command: string, args: Record<string, unknown>) =>
    (await askNg(server.address, command, args)).sdp;
  let calls: string[] = [];
  let made = 0;

  const pair = async (caller: string, callee: string): Promise<[string, string]> => {
    const call = { "call-id": `call-${made++}`, "from-tag": "caller" };
    calls.push(call["call-id"]);
    // The callee's codec is put beside the caller's, so that its answer has it transcoded.
    const wanted = / 8 101/.test(callee) ? { codec: { transcode: ["PCMA"] } } : {};
    const offer = await ask("offer", { ...call, ...options, ...wanted, sdp: caller });
    const sdp = await ask("answer", {
      ...call,
      ...options,
      "to-tag": "callee",
      sdp: asAnswer(callee),
    });
    return [sdp, answered(offer)];
  };
  return {
    async open(offers) {
      const answers: string[] = [];
      for (let i = 0; i < offers.length; i += 2) {
        answers.push(...await pair(offers[i]!, offers[i + 1]!));
      }
      return answers;
    },
    perform: () => Promise.resolve(),
    async close() {
      for (const call of calls) await ask("delete", { "call-id": call });
      calls = [];
    },
    cpuS: () => cpuOf(server.pid),
    [Symbol.asyncDispose]: () => server.kill(),
  };
}
