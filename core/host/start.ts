import { type Config, configLines, readConfig, variables } from "./config.ts";
import { onNpmWrapperGone } from "./npm_wrapper.ts";
import { fail, log, say, supervisedVariable } from "./process.ts";

/**
 * The supervisor behind `deno task start`, `api` and `sip`: starts the processes asked for, each
 * with the permissions it needs and no more, and starts one again that dies. It takes no input from
 * any network, so it alone may run programs. `config` prints the configuration instead.
 */

interface Program {
  name: "service" | "companion";
  script: string;
  permissions(config: Config): string[];
}

const environment = `--allow-env=${[...Object.keys(variables), supervisedVariable].join(",")}`;

const programs: Record<"api" | "sip", Program> = {
  api: {
    name: "service",
    script: "main.ts",
    permissions: ({ DATA_DIR, KV_URL }) => [
      "--allow-net",
      `--allow-read=${DATA_DIR}`,
      `--allow-write=${DATA_DIR}`,
      environment + (KV_URL === "" ? "" : ",DENO_KV_ACCESS_TOKEN"),
    ],
  },
  sip: {
    name: "companion",
    script: "sip/main.ts",
    permissions: ({ DATA_DIR, SIP_TLS_CERT, SIP_TLS_KEY }) => [
      "--allow-net",
      // ldd tells the media library which of its builds fits this system.
      `--allow-read=${
        ["node_modules", "/usr/bin/ldd", `${DATA_DIR}/bridge_secret`, SIP_TLS_CERT, SIP_TLS_KEY]
          .filter((path) => path !== "").join(",")
      }`,
      "--allow-ffi=node_modules",
      environment,
    ],
  },
};

/** Longer than either process takes to stop by itself. */
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

async function supervise(config: Config, wanted: Program[]): Promise<void> {
  const root = new URL("../../", import.meta.url);
  const all: Running[] = [];
  let isStopping = false;

  function spawn({ script, permissions }: Program): Deno.ChildProcess {
    const args = ["run", "--quiet", "--no-prompt", ...permissions(config), script];
    return new Deno.Command(Deno.execPath(), {
      args,
      cwd: root,
      env: { [supervisedVariable]: "1" },
      stdin: "piped", // Its end tells the process that the supervisor is gone.
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
  }

  /** Keeps a program running until the supervisor stops. */
  async function keep(running: Running): Promise<void> {
    for (let starts = 1;; starts++) {
      const startedAt = Date.now();
      const { code, signal } = await running.child.status;
      if (isStopping) return;
      if (starts === 1 && code === 1 && Date.now() - startedAt < earlyMs) return await stop(1);
      log(`The ${running.program.name} ended; starting it again`, { code, signal });
      await new Promise((wake) => setTimeout(wake, restartPauseMs));
      if (isStopping) return;
      running.child = spawn(running.program);
    }
  }

  /** The companion goes first: it ends its calls with BYE and reports that to the service. */
  async function stop(code: number): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => all.forEach(({ child }) => kill(child, "SIGKILL")), killAfterMs);
    for (const { child } of all.toReversed()) {
      kill(child, "SIGTERM");
      await child.status;
    }
    if (code === 0) say("Stopped");
    Deno.exit(code);
  }

  Deno.addSignalListener("SIGTERM", () => stop(0));
  Deno.addSignalListener("SIGINT", () => stop(0));
  void onNpmWrapperGone(() => stop(0));
  for (const program of wanted) {
    const running: Running = { program, child: spawn(program), over: Promise.resolve() };
    all.push(running);
    running.over = keep(running);
  }
  await Promise.all(all.map(({ over }) => over));
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
    const config = readConfig((name) => Deno.env.get(name));
    const [command] = Deno.args;
    if (command === "config") configLines(config).forEach(say);
    else if (command === "api" || command === "sip") await supervise(config, [programs[command]]);
    else if (command === undefined) await supervise(config, [programs.api, programs.sip]);
    else throw new Error(`Cannot start "${command}": say api, sip, config or nothing`);
  } catch (error) {
    fail(error);
  }
}
