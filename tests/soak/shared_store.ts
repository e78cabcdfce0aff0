import { endChild } from "../support/process/end_child.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts } from "../support/process/system.ts";
import { storm, type StormedStore } from "./storm.ts";

/**
 * `deno task soak:shared`: calls on two services and two companions on one `denokv`, while all five
 * processes are killed one after the other. DENOKV is its path (from Rust's crates). CALLS is their
 * number (default 300), KILLS that of the kills (default 25).
 */

const denokv = Deno.env.get("DENOKV") ?? "denokv";
const accessToken = "a token of the soak alone";
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

function startStore(directory: string): StormedStore & AsyncDisposable {
  const [port] = freePorts(1) as [number];
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    new Deno.Command(denokv, {
      args: [
        ...["--sqlite-path", `${directory}/shared.db`, "serve"],
        ...["--access-token", accessToken, "--addr", `127.0.0.1:${port}`],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  let child = start();
  return {
    url,
    async kill() {
      await endChild(child, "SIGKILL");
      child = start();
      await eventually("the store answers", async () => {
        const response = await fetch(url).catch(() => null);
        await response?.body?.cancel();
        return response !== null;
      });
    },
    [Symbol.asyncDispose]: () => endChild(child),
  };
}

const directory = await Deno.makeTempDir({ prefix: "soak-shared-" });
Deno.env.set("DENO_KV_ACCESS_TOKEN", accessToken);
try {
  await using store = startStore(directory);
  await store.kill?.(); // It answers afterwards.
  const [calls, kills] = [Deno.env.get("CALLS") ?? 300, Deno.env.get("KILLS") ?? 25].map(Number);
  await storm(store, { calls: calls!, kills: kills!, log });
} finally {
  await Deno.remove(directory, { recursive: true });
}
