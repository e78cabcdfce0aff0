import { endChild } from "../process/end_child.ts";
import { eventually } from "../process/eventually.ts";
import { freePorts } from "../process/system.ts";

/** The open server of KV Connect, from Rust's crates, on a file of its own. */
export interface Denokv extends AsyncDisposable {
  readonly url: string;
  readonly accessToken: string;
  /** The id of the process as it is now. */
  pid(): number;
  /** Kills it with SIGKILL and starts it anew. */
  kill(): Promise<void>;
}

/** Its path by DENOKV; the one of PATH unless that is set. */
export const denokvProgram = (): string => Deno.env.get("DENOKV") ?? "denokv";

/** Starts it below a directory, and lets this process into it. Resolves when it answers. */
export async function startDenokv(directory: string): Promise<Denokv> {
  const accessToken = "a token of the tests alone";
  const [port] = freePorts(1) as [number];
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const child = new Deno.Command(denokvProgram(), {
      args: [
        ...["--sqlite-path", `${directory}/shared.db`, "serve"],
        ...["--access-token", accessToken, "--addr", `127.0.0.1:${port}`],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await eventually("the store answers", async () => {
      const response = await fetch(url).catch(() => null);
      await response?.body?.cancel();
      return response !== null;
    });
    return child;
  };
  let child = await start();
  Deno.env.set("DENO_KV_ACCESS_TOKEN", accessToken);
  return {
    url,
    accessToken,
    pid: () => child.pid,
    async kill() {
      await endChild(child, "SIGKILL");
      child = await start();
    },
    [Symbol.asyncDispose]: () => endChild(child),
  };
}
