import { runtimeFlags } from "../../core/machine/start/programs.ts";
import type { Answer, Mode, Order } from "./media_engine.ts";
import { cpuSeconds, family } from "./process_cpu.ts";

/** The engine of `media.ts` in a process of its own, pinned to the first core. */

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
}

const firstCore = ["taskset", "--cpu-list", "0"] as const;

const cpuOf = (pid: number) => family(pid).map(cpuSeconds).reduce((all, one) => all + one, 0);

/** Starts the engine as the companion does. */
export function embedded(): MediaServer {
  const [taskset, ...args] = firstCore;
  // As RTP_FFI=true, or as `deno task start` starts it otherwise.
  const ffi = Deno.env.get("RTP_FFI") === "true" ? [] : ["--deny-ffi"];
  const flags = ["-A", ...ffi, "--quiet", ...runtimeFlags.companion];
  const script = ["run", ...flags, "tests/bench/media_engine.ts"];
  const child = new Deno.Command(taskset, {
    args: [...args, Deno.execPath(), ...script],
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
