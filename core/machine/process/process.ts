import { steadyNow } from "../../base/steady_clock.ts";
import { log } from "./log.ts";
import { writeOut } from "./write_out.ts";

/** Writes a line for the person at the terminal. */
export const say = (line: string): void => {
  writeOut(Deno.stdout, new TextEncoder().encode(line + "\n"));
};

/** The variable that the supervisor sets for the processes it starts. */
export const supervisedVariable = "SWITCHBOARD_SUPERVISED";

const isSupervised = () => Deno.env.get(supervisedVariable) === "1";

/** Ends what a supervised process writes to its standard output while it starts (ASCII RS). */
export const endOfStart = "\x1e";

/** Says that the process has started: the supervisor shows the lines of the next one. */
export function sayStarted(): void {
  if (isSupervised()) writeOut(Deno.stdout, new TextEncoder().encode(endOfStart));
}

/** Exit code of a supervised process whose start failed, however long that took: EX_CONFIG of sysexits. */
export const cannotStartCode = 78;

/**
 * Ends the process over a condition that its operator can mend: one clear line, exit 1, or
 * `cannotStartCode` under the supervisor.
 */
export function fail(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  writeOut(Deno.stderr, new TextEncoder().encode(text.replaceAll("\n", " ") + "\n"));
  Deno.exit(isSupervised() ? cannotStartCode : 1);
}

/** Aborts when a command is stopped by Ctrl-C or a signal, so that it cleans up and fails. */
export function abortedBySignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => stopping.abort(new Error(`Stopped by ${signal}`)));
  }
  return stopping.signal;
}

/** Time within which a process whose supervisor was killed ends and frees its ports, in ms. */
const orphanMs = 1_500;

/** The signal by which the supervisor stops a process in its turn. */
export const stopSignal = "SIGUSR2";

/** A shell and a terminal may both pass on one signal, within this time. */
const sameSignalMs = 500;

/** Returns a function that is true from the second call on, unless it comes within `sameSignalMs`. */
export function repeats(): () => boolean {
  let firstAt: number | undefined;
  return () => {
    const now = steadyNow();
    firstAt ??= now;
    return now - firstAt > sameSignalMs;
  };
}

/**
 * Calls `stop` once, at SIGTERM, Ctrl-C or SIGHUP, then exits 0; at most after `mostMs`. The result
 * does the same for a failure, and exits 1. `hurry` aborts when the same signal comes again: what
 * `stop` waits for can be cut short then.
 *
 * Under the supervisor a process stops at `stopSignal`, and at the end of standard input, which is the
 * supervisor's death. A terminal sends Ctrl-C and SIGHUP to all processes that it started, so these
 * are ignored. So may systemd and `kill` send SIGTERM to all: a process that others report to waits
 * `patienceMs` then for its turn, so that it has their last reports.
 */
export function stopOnSignal(
  stop: (hurry: AbortSignal) => Promise<void>,
  mostMs: number,
  patienceMs = 0,
): () => void {
  const hurry = new AbortController();
  let isStopping = false;
  const begin = async (withinMs: number, code = 0) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => Deno.exit(code), withinMs);
    await stop(hurry.signal).catch((error) => log("Cannot stop cleanly", { error }));
    Deno.exit(code);
  };
  const onFailure = () => {
    hurry.abort();
    void begin(mostMs, 1);
  };
  const onSignal = (signal: Deno.Signal, act: () => void) => {
    const isAgain = repeats();
    Deno.addSignalListener(signal, () => {
      if (isAgain()) hurry.abort();
      act();
    });
  };
  const end = () => void begin(mostMs);
  if (!isSupervised()) {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) onSignal(signal, end);
    return onFailure;
  }
  onSignal("SIGTERM", () => patienceMs === 0 ? end() : setTimeout(end, patienceMs));
  Deno.addSignalListener("SIGINT", () => {});
  Deno.addSignalListener("SIGHUP", () => {});
  onSignal(stopSignal, end);
  const orphaned = () => {
    hurry.abort();
    return begin(orphanMs);
  };
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
