import { setPriority } from "node:os";

export interface RunOptions {
  args: string[];
  /** Its standard input. */
  input: Uint8Array | ReadableStream<Uint8Array>;
  /** Of what it may write to its standard output. */
  maxBytes: number;
  /** Niceness of the process, 0 unless given. */
  niceness?: number;
  signal: AbortSignal;
}

/**
 * Runs a program, without a shell and with an empty environment, and resolves with what it wrote.
 * Throws when it fails, writes too much, or the signal aborts, which kills it.
 */
export async function runProgram(
  program: string,
  { args, input, maxBytes, niceness = 0, signal }: RunOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted();
  const child = new Deno.Command(program, {
    args,
    clearEnv: true,
    env: { LANG: "C.UTF-8" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (niceness !== 0) standBack(child.pid, niceness);
  const kill = () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  signal.addEventListener("abort", kill, { once: true });
  try {
    // A program that ends before it has read all says by its exit code why.
    const feeding = streamOf(input).pipeTo(child.stdin).catch(() => {});
    const complaints = readAll(child.stderr, 64 << 10).catch(() => new Uint8Array());
    const output = readAll(child.stdout, maxBytes).catch((error) => {
      kill();
      throw error;
    });
    const [bytes, said, { code }] = await Promise.all([output, complaints, child.status, feeding]);
    signal.throwIfAborted();
    if (code === 0) return bytes;
    const why = new TextDecoder().decode(said).trim().split("\n").at(-1)?.slice(0, 200);
    throw new Error(`Cannot run ${program}: it ended with ${code}${why ? `: ${why}` : ""}`);
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

function standBack(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, or stays as it is: nothing depends on it.
  }
}

/** True when a program is installed and starts. */
export async function isInstalled(program: string): Promise<boolean> {
  try {
    const { args, signal } = { args: ["--version"], signal: AbortSignal.timeout(5_000) };
    const child = new Deno.Command(program, {
      args,
      signal,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await child.status;
    return true;
  } catch {
    return false;
  }
}

const streamOf = (input: RunOptions["input"]) =>
  input instanceof ReadableStream ? input : ReadableStream.from([input]);

async function readAll(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > maxBytes) throw new Error(`Cannot take more than ${maxBytes} bytes of a program`);
    parts.push(part);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
