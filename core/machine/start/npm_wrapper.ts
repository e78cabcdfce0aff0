/**
 * The npm wrapper of Deno (`npx deno`) passes no signals on. The supervisor looks every two seconds whether
 * the wrapper is still there, so that Ctrl-C and a killed `npx` stop all processes.
 */
const pollMs = 2_000;
/** From here to npm there are `deno task`, a shell, and Deno's own wrapper in Node. */
const mostAncestors = 4;

/** A process that runs. */
interface Process {
  parent: number;
  /** The program and its arguments, with spaces between them. */
  command: string;
}

/** The output of a program; null where it fails, or is not installed. */
async function printed(program: string, args: string[]): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command(program, { args, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}

/**
 * A process by its number; null when it has ended. Linux has it in files that Deno reads with all
 * permissions alone, and not every machine with Linux has `ps`, but all have `cat`.
 */
async function readProcess(pid: number): Promise<Process | null> {
  const [state = "Z", parent, ...command] = Deno.build.os === "linux"
    ? fieldsOf(await printed("cat", [`/proc/${pid}/stat`, `/proc/${pid}/cmdline`]))
    : (await printed("ps", ["-o", "state=,ppid=,args=", "-p", String(pid)]))?.trim().split(/\s+/) ??
      [];
  if (state.startsWith("Z")) return null; // It waits to be reaped.
  return { parent: Number(parent), command: command.join(" ") };
}

/** State, parent and arguments. The name of the program stands in brackets, and has any characters. */
function fieldsOf(text: string | null): string[] {
  const [line = "", ...args] = text?.split("\n") ?? [];
  const [state, parent] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return state && parent ? [state, parent, ...args.join("\n").split("\0").filter(Boolean)] : [];
}

/** The npm process or Node script that this Deno was started by. */
async function findWrapper(): Promise<number | null> {
  let pid = Deno.ppid;
  for (let generation = 0; generation < mostAncestors; generation++) {
    pid = (await readProcess(pid))?.parent ?? 0;
    if (pid <= 1) return null;
    const command = (await readProcess(pid))?.command ?? "";
    if (/^(npm|npx|\S*node)\b.*\bdeno\b/.test(command)) return pid;
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
    if (await readProcess(wrapper) !== null) return;
    clearInterval(timer);
    callback();
  }, pollMs);
}
