import { steadyNow } from "../../base/steady_clock.ts";
import { logSettings } from "../configuration/log_variables.ts";
import { type Program, programs } from "./programs.ts";
import { acceptedFlags } from "./v8_flags.ts";
import { type Config, configLines, readConfig } from "../configuration/config.ts";
import { addressNotes } from "../configuration/address_notes.ts";
import { retiredWarnings } from "../configuration/retired_variables.ts";
import { connectionsVariable } from "./descriptors.ts";
import {
  type MachineAddresses,
  machineAddresses,
  machineVariable,
  writeMachineAddresses,
} from "../configuration/machine_addresses.ts";
import { log, setLog } from "../process/log.ts";
import { createStartOutput } from "./start_output.ts";
import { misspeltNotes } from "../configuration/misspelt.ts";
import { onNpmWrapperGone } from "./npm_wrapper.ts";
import {
  cannotStartCode,
  fail,
  repeats,
  say,
  stopSignal,
  supervisedVariable,
} from "../process/process.ts";
import { companionHasFfi } from "./companion_ffi.ts";
import { environmentOf } from "./process_environment.ts";
import { enginesLine } from "../adapters/speech/engines_line.ts";
import { needsSpeechProcess } from "../configuration/speech_endpoints.ts";
import { writeOut } from "../process/write_out.ts";
import { withSecretFiles } from "../configuration/secret_files.ts";

/**
 * The supervisor behind `deno task start`, `api`, `sip` and `speech`: starts the processes asked for,
 * each with the permissions it needs and no more, and starts one again that dies. It takes no input
 * from any network, and of those it starts only the speech process may run programs, by name.
 * `config` prints the configuration instead.
 */

/** The service, the companion, or both; each with the speech process where it needs that. */
function programsOf(command: string | undefined, config: Config): Program[] {
  const speech = needsSpeechProcess(config) ? [programs.speech] : [];
  switch (command) {
    case undefined:
      return [...speech, programs.api, programs.sip];
    case "sip":
      return [...speech, programs.sip];
    case "api":
      return [programs.api];
    case "speech":
      if (config.SPEECH_SECRET !== "") return [programs.speech];
      throw new Error(
        "Cannot start the speech process by itself: set SPEECH_SECRET, which the others must know",
      );
    default:
      throw new Error(`Cannot start "${command}": say api, sip, speech, config or nothing`);
  }
}

/** The service comes last: it says how to begin. */
const shownOrder = ["speech process", "companion", "service"] as const;

/** Longer than either process takes to stop by itself, once calls are over or DRAIN_S has passed. */
const killAfterMs = 9_500;
const restartPauseMs = 1_000;
/** A process that fails so soon after its first start has a condition to mend, not a bad day. */
const earlyMs = 5_000;

interface Running {
  program: Program;
  child: Deno.ChildProcess;
  /** Settles when the process has ended for good. */
  over: Promise<void>;
}

/** Configuration and environment of the supervisor. */
interface Settings {
  config: Config;
  /** The environment, with the secrets of files under their own names. */
  given: Record<string, string>;
  machine: MachineAddresses;
}

/** Prints retired variables that are set, and advertised addresses that no variable sets. */
function sayNotes({ config, given, machine }: Settings, wanted: Program[]): void {
  const isSet = (name: string) => Boolean(given[name]);
  retiredWarnings(isSet).forEach(say);
  for (const { of, text } of addressNotes(config, isSet, machine)) {
    if (wanted.includes(programs[of])) say(text);
  }
  if (wanted.includes(programs.sip) && !needsSpeechProcess(config)) {
    say(enginesLine({ speech: null, recognition: null }, config));
  }
}

/** Starts processes of programs, with what they share in their environment. */
function createSpawner(
  { config, given, machine }: Settings,
  wanted: Program[],
): { spawn(program: Program): Deno.ChildProcess; silence(): void } {
  const root = new URL("../../../", import.meta.url);
  const output = createStartOutput(
    shownOrder.filter((name) => wanted.some((one) => one.name === name)),
    (bytes) => writeOut(Deno.stdout, bytes),
  );
  const secret = config.SPEECH_SECRET || crypto.getRandomValues(new Uint8Array(32)).toHex();
  // A service that is started by itself has a speech process only where the operator says so.
  const knowsSpeech = config.SPEECH_SECRET !== "" || wanted.includes(programs.speech);

  const hasFfi = companionHasFfi(config, { hasService: wanted.includes(programs.api), given });

  const spawn = ({ name, script, flags = [], permissions }: Program) => {
    const granted = permissions(config, { hasFfi });
    const args = ["run", "--quiet", "--no-prompt", ...flags, ...granted, script];
    const child = new Deno.Command(Deno.execPath(), {
      args,
      cwd: root,
      clearEnv: true,
      env: {
        ...environmentOf(name, given),
        [supervisedVariable]: "1",
        [machineVariable]: writeMachineAddresses(machine),
        ...knowsSpeech && { SPEECH_SECRET: secret },
      },
      stdin: "piped", // The process ends when the supervisor is gone and closes it.
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    void output.take(name, child.stdout);
    return child;
  };
  return { spawn, silence: output.silence };
}

async function supervise(settings: Settings, wanted: Program[]): Promise<void> {
  const { spawn, silence } = createSpawner(settings, wanted);
  const all: Running[] = [];
  let isStopping = false;

  /** Keeps a program running until the supervisor stops. */
  async function keep(running: Running): Promise<void> {
    for (let starts = 1;; starts++) {
      const startedAt = steadyNow();
      const { code, signal } = await running.child.status;
      if (isStopping) return;
      const isEarly = code === 1 && steadyNow() - startedAt < earlyMs;
      if (starts === 1 && (isEarly || code === cannotStartCode)) return await stop(1);
      log(`The ${running.program.name} ended; starting it again`, { level: "error", code, signal });
      await new Promise((wake) => setTimeout(wake, restartPauseMs));
      if (isStopping) return;
      running.child = spawn(running.program);
    }
  }

  /** The companion goes first: it ends its calls with BYE and reports that to the service. */
  async function stop(code: number): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    if (code !== 0) silence();
    const mostMs = killAfterMs + settings.config.DRAIN_S * 1_000;
    setTimeout(() => all.forEach(({ child }) => kill(child, "SIGKILL")), mostMs);
    for (const { child } of all.toReversed()) {
      kill(child, stopSignal);
      await child.status;
    }
    if (code === 0) say("Stopped");
    Deno.exit(code);
  }

  const isAgain = repeats();
  /** A second signal has the companion end its calls before DRAIN_S has passed. */
  const onSignal = () => {
    const companion = all.find(({ program: { name } }) => name === "companion");
    if (isAgain() && companion !== undefined) kill(companion.child, stopSignal);
    void stop(0);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, onSignal);
  }
  void onNpmWrapperGone(() => stop(0));
  for (const program of await Promise.all(wanted.map(withAcceptedFlags))) {
    const running: Running = { program, child: spawn(program), over: Promise.resolve() };
    all.push(running);
    running.over = keep(running);
  }
  await Promise.all(all.map(({ over }) => over));
}

/**
 * A program that can start: it is slower without its flags, and would end at once with an unknown
 * one.
 */
async function withAcceptedFlags(program: Program): Promise<Program> {
  const { name, flags = [] } = program;
  const accepted = await acceptedFlags(flags);
  if (accepted.length < flags.length) {
    log(`Deno refuses the flags of the ${name}; it starts without them`, { flags });
  }
  return { ...program, flags: accepted };
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended already.
  }
}

if (import.meta.main) {
  try {
    const machine = machineAddresses();
    const given: Record<string, string> = {
      ...withSecretFiles(Deno.env.toObject()),
      ...await connectionsVariable(),
    };
    const config = readConfig((name) => given[name], machine);
    setLog({ process: "supervisor", ...logSettings(config) });
    const [command] = Deno.args;
    if (command === "config") configLines(config).forEach(say);
    else {
      const wanted = programsOf(command, config);
      const settings = { config, given, machine };
      misspeltNotes(Object.keys(given)).forEach(say);
      sayNotes(settings, wanted);
      await supervise(settings, wanted);
    }
  } catch (error) {
    fail(error);
  }
}
