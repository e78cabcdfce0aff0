import { netLimits } from "../net/limits.ts";

/**
 * The variable for the processes that the supervisor starts: half of the descriptors that each may
 * have are for connections. The rest is for media, the store, outgoing requests and files. Deno lets only
 * processes with all permissions read the limit, so a shell prints it, which inherits it as they do.
 */
export async function connectionsVariable(): Promise<{ MAX_CONNECTIONS?: string }> {
  if (Deno.env.get("MAX_CONNECTIONS")) return {};
  const shell = new Deno.Command("/bin/sh", { args: ["-c", "ulimit -n"], stderr: "null" });
  const said = await Promise.try(() => shell.output()).then(
    ({ stdout }) => new TextDecoder().decode(stdout).trim(),
    () => "", // No shell: not a Unix.
  );
  if (!/^\d+$/.test(said)) return {};
  const half = Math.floor(Number(said) * netLimits.connectionPart);
  return { MAX_CONNECTIONS: String(Math.max(half, 16)) };
}
