const pollMs = 2_000;
/** From here to npm there are `deno task`, a shell, and Deno's own wrapper in Node. */
const mostAncestors = 4;

/** What `ps` says of a process; null when there is none, or no `ps`. */
async function ask(pid: number, column: "ppid" | "args"): Promise<string | null> {
  try {
    const args = ["-o", `${column}=`, "-p", String(pid)];
    const { success, stdout } = await new Deno.Command("ps", { args, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  } catch {
    return null;
  }
}

/** The npm process or Node script that this Deno was started by. */
async function findWrapper(): Promise<number | null> {
  let pid = Deno.ppid;
  for (let generation = 0; generation < mostAncestors; generation++) {
    pid = Number(await ask(pid, "ppid"));
    if (pid <= 1) return null;
    const command = await ask(pid, "args");
    if (command !== null && /^(npm|npx|\S*node)\b.*\bdeno\b/.test(command)) return pid;
  }
  return null;
}

/**
 * Calls back when npm's wrapper of Deno has ended. `npx deno task …` passes no signal on to the
 * process that it started, so the end of the wrapper is taken as the signal to stop.
 */
export async function onNpmWrapperGone(callback: () => void): Promise<void> {
  const wrapper = await findWrapper();
  if (wrapper === null) return;
  const timer = setInterval(async () => {
    const command = await ask(wrapper, "args");
    if (command !== null && !command.endsWith("<defunct>")) return;
    clearInterval(timer);
    callback();
  }, pollMs);
}
