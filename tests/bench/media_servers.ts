import { createSocket } from "node:dgram";
import { once } from "node:events";
import { freePorts } from "../support/system.ts";
import { decodeBencode, encodeBencode } from "./bencode.ts";
import type { Answer, Mode, Order } from "./media_engine.ts";
import { cpuSeconds, family } from "./process_cpu.ts";

/** The servers of `media.ts`, each a process of its own, pinned to the first core. */

const root = new URL("../../", import.meta.url).pathname;

export interface MediaServer extends AsyncDisposable {
  /** Opens a leg for each offer, of which pairs in a row may be joined; resolves with the answers. */
  open(offers: string[]): Promise<string[]>;
  /** Has the legs do something. */
  perform(mode: Mode): Promise<void>;
  /** Ends all legs. */
  close(): Promise<void>;
  /** CPU seconds used so far. */
  cpuS(): number;
}

const onFirstCore = (command: string[], streams: "piped" | "null") =>
  new Deno.Command("taskset", {
    args: ["--cpu-list", "0", ...command],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: streams,
    stdout: streams,
    stderr: streams === "null" ? "null" : "inherit",
  }).spawn();

const cpuOf = (pid: number) => family(pid).map(cpuSeconds).reduce((all, one) => all + one, 0);

/** The engine of the companion. */
export function embedded(): MediaServer {
  const command = [Deno.execPath(), "run", "-A", "--quiet", "tests/bench/media_engine.ts"];
  const child = onFirstCore(command, "piped");
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
    close: async () => void await order({ close: true }),
    cpuS: () => cpuOf(child.pid),
    async [Symbol.asyncDispose]() {
      await input.close();
      await child.status;
    },
  };
}

/** Whether rtpengine is installed, or `RTPENGINE` names it. */
export async function hasRtpengine(): Promise<boolean> {
  try {
    const command = new Deno.Command(rtpengineCommand, { args: ["--version"], stdout: "null" });
    return (await command.output()).success;
  } catch {
    return false;
  }
}

const rtpengineCommand = Deno.env.get("RTPENGINE") ?? "rtpengine";

/** rtpengine without its kernel module, steered by its NG protocol; it joins and does no more. */
export async function rtpengine(): Promise<MediaServer> {
  const [port] = freePorts(1) as [number];
  const child = onFirstCore([
    rtpengineCommand,
    ...["--foreground", "--table=-1", "--interface=127.0.0.1", `--listen-ng=127.0.0.1:${port}`],
    ...["--port-min=30000", "--port-max=39999", "--log-level=1", "--log-stderr", "--pidfile=-"],
  ], "null");
  const control = await openControl(port);
  await control.ready();
  let calls: string[] = [];
  let made = 0;

  const pair = async (caller: string, callee: string): Promise<[string, string]> => {
    const call = { "call-id": `call-${made++}`, "from-tag": "caller" };
    calls.push(call["call-id"]);
    // The callee's codec is put beside the caller's, so that its answer has it transcoded.
    const wanted = / 8 101/.test(callee) ? { codec: { transcode: ["PCMA"] } } : {};
    const options = { ICE: "remove", "transport-protocol": "RTP/AVP" };
    const offered = await control.ask("offer", { ...call, ...options, ...wanted, sdp: caller });
    const answer = { ...call, ...options, "to-tag": "callee", sdp: callee };
    const answered = await control.ask("answer", answer);
    return [answered, offered];
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
      for (const call of calls) await control.ask("delete", { "call-id": call });
      calls = [];
    },
    cpuS: () => cpuOf(child.pid),
    async [Symbol.asyncDispose]() {
      control.close();
      child.kill();
      await child.status;
    },
  };
}

/** The NG protocol: a cookie, and a dictionary in bencode. */
async function openControl(port: number) {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const waiting = new Map<string, (answer: Record<string, unknown>) => void>();
  socket.on("message", (bytes) => {
    const text = new TextDecoder().decode(bytes);
    const cookie = text.slice(0, text.indexOf(" "));
    waiting.get(cookie)?.(decodeBencode(text.slice(cookie.length + 1)));
    waiting.delete(cookie);
  });
  let asked = 0;
  /** Resolves with the SDP of the answer, empty where it has none; gives up after two seconds. */
  const ask = async (command: string, args: Record<string, unknown> = {}): Promise<string> => {
    const cookie = `bench${asked++}`;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(cookie, resolve);
    const late = setTimeout(() => reject(new Error(`rtpengine: no answer to ${command}`)), 2_000);
    socket.send(`${cookie} ${encodeBencode({ command, ...args })}`, port, "127.0.0.1");
    const answer = await promise.finally(() => clearTimeout(late));
    if (answer.result === "error") throw new Error(`rtpengine: ${answer["error-reason"]}`);
    return String(answer.sdp ?? "");
  };
  return {
    ask,
    async ready() {
      for (let tries = 0; tries < 5; tries++) {
        if (await ask("ping").then(() => true, () => false)) return;
      }
      throw new Error("rtpengine does not answer");
    },
    close: () => socket.close(),
  };
}
