import assert from "node:assert/strict";
import { endChild } from "./end_child.ts";
import { openSoftphone, type Softphone } from "../sip/softphone.ts";
import { eventually } from "./eventually.ts";

/** Service and companion as `deno task start` runs them, on a store and ports of their own. */
export interface System {
  readonly directory: string;
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly speechUrl: string;
  readonly accountSid: string;
  readonly authToken: string;
  /** The credentials of the account, as a request has them. */
  readonly headers: { authorization: string };
  /** Output so far. */
  readonly output: () => string;
  /** Form POST, or GET, below the root account; the answer as JSON. */
  post(path: string, form?: Record<string, string>): Promise<Json>;
  get(path: string): Promise<Json>;
  /** DELETE below the root account. */
  remove(path: string): Promise<void>;
  /** Makes a Client and connects a scripted softphone that is registered as it. */
  phone(login: string): Promise<Softphone>;
  /** Connects a scripted softphone that is registered as the Client of the first start. */
  demoPhone(): Promise<Softphone>;
  /** The process ids of a process, as they are now. */
  pids(
    script:
      | "core/machine/start/start.ts"
      | "main.ts"
      | "sip/main.ts"
      | "core/machine/adapters/speech/main.ts",
  ): number[];
  /** Resolves when the service and the companion answer. */
  ready(): Promise<void>;
  /** Signals the supervisor; resolves with its exit code. */
  stop(signal?: Deno.Signal): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Json = ReturnType<typeof JSON.parse>;

export interface SystemOptions {
  /** An earlier system's directory, to start on what it left. */
  directory?: string;
  env?: Record<string, string>;
  /** Folder of the programs; this working tree by default. */
  root?: string;
  /** The command that is Deno; this process's own by default. */
  deno?: [string, ...string[]];
  /** The address at which the test reaches it; of the loopback by default. */
  at?: string;
}

const root = new URL("../../../", import.meta.url).pathname;

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const directory = options.directory ?? await Deno.makeTempDir();
  const [port, sipPort, bridgePort, speechPort] = freePorts(4) as [number, number, number, number];
  const env = {
    PORT: String(port),
    SIP_WS_PORT: String(sipPort),
    BRIDGE_PORT: String(bridgePort),
    SPEECH_PORT: String(speechPort),
    DATA_DIR: directory,
    ALLOW_PRIVATE_URLS: "true",
    ...options.env,
  };
  const { child, output, ended } = spawnTask(["start"], env, options);
  const { at = "127.0.0.1" } = options;
  const baseUrl = `http://${at}:${port}`;
  const isOver = ended.then((code) => {
    throw new Error(`The system ended with ${code}: ${output()}`);
  });
  isOver.catch(() => {});
  await Promise.race([isOver, answers(`${baseUrl}/ready`)]).catch(async (error) => {
    await endChild(child);
    throw error;
  });
  const credentials = JSON.parse(await Deno.readTextFile(`${directory}/credentials.json`));
  const { account_sid: accountSid, auth_token: authToken } = credentials;
  const api = `${baseUrl}/2012-04-24/Accounts/${accountSid}/`;
  const headers = { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` };
  const wsUrl = `ws://${at}:${sipPort}`;
  const phones: Softphone[] = [];

  async function json(response: Response): Promise<Json> {
    const text = await response.text();
    assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async function registered(login: string, password: string): Promise<Softphone> {
    const phone = await openSoftphone({ url: wsUrl, login, password, domain: "localhost" });
    phones.push(phone);
    assert.equal((await phone.register()).status, 200);
    return phone;
  }

  const system: System = {
    directory,
    baseUrl,
    wsUrl,
    speechUrl: `http://127.0.0.1:${speechPort}`,
    accountSid,
    authToken,
    headers,
    output,
    get: async (path) => await json(await fetch(api + path, { headers })),
    post: async (path, form = {}) =>
      await json(
        await fetch(api + path, { method: "POST", headers, body: new URLSearchParams(form) }),
      ),
    async remove(path) {
      const response = await fetch(api + path, { method: "DELETE", headers });
      assert.ok(response.ok, `${path}: ${response.status} ${await response.text()}`);
    },
    async phone(login) {
      const clients: Json[] = await system.get("Clients.json");
      if (!clients.some((client) => client.login === login)) {
        await system.post("Clients.json", { Login: login, Password: `${login}-secret` });
      }
      return await registered(login, `${login}-secret`);
    },
    demoPhone: () => registered(credentials.demo_login, credentials.demo_password),
    pids: (script) => pidsBelow(child.pid, script),
    ready: () => answers(`${baseUrl}/ready`),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return await ended;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(phones.map((phone) => phone.close()));
      await system.stop().catch(() => {}); // Ended already.
      if (options.directory === undefined) await Deno.remove(directory, { recursive: true });
    },
  };
  return system;
}

/** Runs a task of deno.json; `output` is all it printed, `ended` its exit code. */
export const spawnTask = (
  task: string[],
  env: Record<string, string>,
  { deno: [program, ...before] = [Deno.execPath()], root: cwd = root }: SystemOptions = {},
) => spawnDeno([program, ...before, "task", "--quiet", ...task], { cwd, env });

/** The same of a command line. */
export function spawnDeno(
  [program, ...args]: [string, ...string[]],
  { cwd = root, env }: { cwd?: string; env: Record<string, string> },
) {
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) text += part;
  };
  const reading = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const ended = child.status.then(async ({ code }) => {
    await reading;
    return code;
  });
  return { child, output: () => text, ended };
}

/**
 * Ports that were free a moment ago, and that Linux does not assign as ephemeral ports, so that a
 * program may bind them later.
 */
export function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, listenAnywhere);
  const ports = listeners.map(({ addr }) => (addr as Deno.NetAddr).port);
  listeners.forEach((listener) => listener.close());
  return ports;
}

/** One below those that Linux gives out, where no test has a range of its own. */
export const randomPort = (): number => 21_000 + Math.floor(Math.random() * 9_000);

function listenAnywhere(): Deno.Listener {
  for (;;) {
    try {
      return Deno.listen({ hostname: "127.0.0.1", port: randomPort() });
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** Resolves when an address answers 200; gives up after a minute. */
export async function answers(url: string): Promise<void> {
  await eventually(`${url} answers`, async () => {
    const response = await fetch(url).catch(() => null);
    await response?.body?.cancel();
    return response?.ok;
  });
}

const read = (path: string): string => {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return ""; // It has ended meanwhile.
  }
};

/** Returns whether a process runs; one that waits to be reaped does not. */
export const isAlive = (pid: number): boolean => {
  const state = read(`/proc/${pid}/stat`).split(") ")[1]?.[0];
  return state !== undefined && state !== "Z";
};

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).split("\0").filter(Boolean);

/** The processes below another one that run a script. */
export const pidsBelow = (parent: number, script: string): number[] =>
  descendants(parent).filter((pid) => commandOf(pid).at(-1) === script);

function descendants(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}
