import { resources } from "../../../core/model/resources/mod.ts";
import type { AnyResource } from "../../../core/model/resource.ts";
import type { Declarations } from "../../../kv/records/schema.ts";
import { openStore } from "../../../kv/open_store.ts";

/** The calls with a further filter, as a later version of the program may declare them. */
const calls: AnyResource = {
  ...resources.calls as AnyResource,
  filters: { ...resources.calls.filters, direction: "equals" },
};
export const withDirection: Declarations = { ...resources, calls };

/** A process that was killed while it migrated a store, or ended by itself. */
interface Migrated {
  /** True when it migrated the store to the end. */
  isDone: boolean;
  /** The commits that it made. */
  commits: number;
}

/**
 * Migrates a store in a process of its own, with the service's permissions on its file. Kills it
 * with SIGKILL when it has made some commits.
 */
export async function killWhileMigrating(
  { location, secretKey }: { location: string; secretKey: string },
  { commits, declares }: { commits: number; declares: "resources" | "withDirection" },
): Promise<Migrated> {
  const directory = location.slice(0, location.lastIndexOf("/"));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-check",
      "--unstable-kv",
      `--allow-read=${directory}`,
      `--allow-write=${directory}`,
      import.meta.url,
      location,
      secretKey,
      String(commits),
      declares,
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let lines = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    lines += text;
    if (!lines.includes("waits")) continue;
    child.kill("SIGKILL");
    break;
  }
  await child.status;
  return {
    isDone: lines.includes("done"),
    commits: Number(/(\d+) commits/.exec(lines)?.[1] ?? 0),
  };
}

if (import.meta.main) {
  const [location = "", secretKey = "", most, declares] = Deno.args;
  let commits = 0;
  const store = await openStore({
    location,
    secretKey,
    now: () => Date.now(),
    declarations: declares === "withDirection" ? withDirection : resources,
    progress() {
      if (++commits < Number(most)) return;
      Deno.stdout.writeSync(new TextEncoder().encode(`${commits} commits, waits\n`));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // Until it is killed.
    },
  });
  await store.buildIndexes(new AbortController().signal);
  Deno.stdout.writeSync(new TextEncoder().encode(`${commits} commits, done\n`));
  store.close();
}
