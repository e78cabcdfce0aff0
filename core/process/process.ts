/** Writes one log line: JSON with the time, for people and for machines. */
export function log(line: string, fields: Record<string, unknown> = {}): void {
  const entry = { at: new Date().toISOString(), line, ...fields };
  const text = JSON.stringify(
    entry,
    (_, value) => value instanceof Error ? describe(value) : value,
  );
  Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
}

const describe = (error: Error): string =>
  (error.stack ?? String(error)) + (error.cause === undefined ? "" : ` <- ${String(error.cause)}`);

/** Writes a line for the person at the terminal. */
export const say = (line: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
};

/** The variable that the supervisor sets for the processes it starts. */
export const supervisedVariable = "SWITCHBOARD_SUPERVISED";

const isSupervised = () => Deno.env.get(supervisedVariable) === "1";

/** Ends what a supervised process writes to its standard output while it starts (ASCII RS). */
export const endOfStart = "\x1e";

/** Says that the process has started: the supervisor shows the lines of the next one. */
export function sayStarted(): void {
  if (isSupervised()) Deno.stdout.writeSync(new TextEncoder().encode(endOfStart));
}

/** How a supervised process exits whose start failed, however long that took: EX_CONFIG of sysexits. */
export const cannotStartCode = 78;

/**
 * Ends the process over a condition that its operator can mend: one clear line, exit 1, or
 * `cannotStartCode` under the supervisor.
 */
export function fail(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  Deno.stderr.writeSync(new TextEncoder().encode(text.replaceAll("\n", " ") + "\n"));
  Deno.exit(isSupervised() ? cannotStartCode : 1);
}

/** How long a process whose supervisor was killed keeps its ports from the next one. */
const orphanMs = 1_500;

/**
 * Calls `stop` once, at SIGTERM, Ctrl-C or SIGHUP, then exits 0; at most after `mostMs`. Under the
 * supervisor the last two are its to handle, and the end of standard input is its death. The result
 * does the same for a failure, and exits 1.
 */
export function stopOnSignal(stop: () => Promise<void>, mostMs: number): () => void {
  let isStopping = false;
  const begin = async (withinMs: number, code = 0) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => Deno.exit(code), withinMs);
    await stop().catch((error) => log("Cannot stop cleanly", { error }));
    Deno.exit(code);
  };
  const onFailure = () => void begin(mostMs, 1);
  const end = () => begin(mostMs);
  Deno.addSignalListener("SIGTERM", end);
  // A terminal sends these to all that it started; the supervisor stops us in our turn.
  Deno.addSignalListener("SIGINT", isSupervised() ? () => {} : end);
  Deno.addSignalListener("SIGHUP", isSupervised() ? () => {} : end);
  if (!isSupervised()) return onFailure;
  const orphaned = () => begin(orphanMs);
  Deno.stdin.readable.pipeTo(new WritableStream()).then(orphaned, orphaned);
  return onFailure;
}

/**
 * Ends the process when a part that it cannot do without is over, for the supervisor to start it
 * again: at once, or as `stopOnSignal` says once that is set.
 */
export function createFailure() {
  let end = () => Deno.exit(1);
  return {
    fail(error: Error): void {
      log(error.message);
      end();
    },
    endBy: (stop: () => void) => void (end = stop as () => never),
  };
}

/** Logs what no handler caught and goes on: one bad request must not end the calls of others. */
export function surviveBugs(): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log("Unhandled rejection", { error: event.reason });
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log("Uncaught error", { error: event.error });
  });
}
