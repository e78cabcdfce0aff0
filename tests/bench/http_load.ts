import { answers, freePorts } from "../support/process/system.ts";

/** Loads of HTTP by `wrk` on the second core, on servers that have the first one. */

/** The connections of `wrk`. */
export const connections = 32;
/** Calls that are created each second beside some measurements: each makes all pages of calls anew. */
const busyRate = 50;
const warmUpSeconds = 1;
const root = new URL("../../", import.meta.url).pathname;

/** Returns whether a program is installed. */
export const has = (program: string) =>
  new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).output()
    .then(() => true, () => false);

/** True when programs can be pinned to one core, so that servers and `wrk` do not share one. */
export const canPin = navigator.hardwareConcurrency > 1 && await has("taskset");

/** The words of a command that keeps to one core, where the system can see to that. */
export const pinned = (core: number, command: string[]) =>
  canPin ? ["taskset", "--cpu-list", String(core), ...command] : command;

export interface Server extends AsyncDisposable {
  url: string;
  pid: number;
  /** CPU time so far; NaN if the system does not report it. */
  cpuSeconds(): number;
  /** Resident memory in bytes; NaN if the system does not report it. */
  memory(): number;
}

export interface Rate {
  perSecond: number;
  perCpuSecond: number;
}

/** Starts a script as a server on a port of its own; `args` may use the port. */
export async function serve(
  args: (port: string) => string[],
  { path = "/", env = () => ({}), core = 0 }: {
    path?: string;
    env?: (port: string) => object;
    core?: number;
  } = {},
): Promise<Server> {
  const port = String(freePorts(1)[0]);
  const [program, ...rest] = pinned(core, [Deno.execPath(), "run", "-A", "--quiet", ...args(port)]);
  const child = new Deno.Command(program!, {
    args: rest,
    cwd: root,
    env: { NO_COLOR: "1", ...env(port) },
    stdin: "null",
    stdout: "null",
  }).spawn();
  const server = {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    memory: () => memoryOf(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
    },
  };
  await answers(server.url + path).catch(async (error) => {
    await server[Symbol.asyncDispose]();
    throw error;
  });
  return server;
}

export function cpuSecondsOf(pid: number): number {
  if (Deno.build.os !== "linux") return NaN;
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function memoryOf(pid: number): number {
  if (Deno.build.os !== "linux") return NaN;
  const pages = Number(Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1]);
  return pages * 4096;
}

export interface Load {
  headers?: Record<string, string>;
  /** A form to POST. */
  form?: Record<string, string>;
  /** Each request is for a random one of so many pages of a list. */
  pages?: number;
  /** The query before `Page`, with its `&`. */
  query?: string;
  /** Each request is from another address, as X-Forwarded-For says. */
  hasAddresses?: boolean;
  /** All requests are refused. */
  isRefused?: boolean;
  /** Path and form of the calls that are created meanwhile, `busyRate` a second. */
  beside?: { path: string; form: Record<string, string> };
}

/** Requests per second that were answered 2xx, or refused where that is so. Throws when not. */
export async function drive(
  url: string,
  { headers = {}, form, pages, query = "", hasAddresses = false, isRefused = false }: Load,
  forSeconds: number,
) {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  const body = form === undefined ? "" : `wrk.method = "POST"; wrk.body = "${new URLSearchParams(
    form,
  )}"; wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"`;
  const addressed = !hasAddresses ? "" : `
    function request()
      wrk.headers["X-Forwarded-For"] = "10." .. math.random(0, 255) .. "." .. math.random(0, 255) ..
        "." .. math.random(0, 255)
      return wrk.format()
    end`;
  const request = pages === undefined ? addressed : `
    function request()
      return wrk.format(nil, wrk.path .. "?${query}Page=" .. math.random(0, ${pages - 1}))
    end`;
  await Deno.writeTextFile(script, body + request);
  const [program, ...args] = pinned(1, [
    ...["wrk", "--threads", "1", "--connections", String(connections)],
    ...["--duration", `${forSeconds}s`, "--script", script],
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    url,
  ]);
  const { stdout } = await new Deno.Command(program!, { args }).output()
    .finally(() => Deno.remove(script));
  const said = new TextDecoder().decode(stdout);
  const rate = /^Requests\/sec: +([\d.]+)/m.exec(said)?.[1];
  if (rate === undefined || said.includes("Non-2xx") !== isRefused) {
    throw new Error(`Cannot measure ${url}: ${said}`);
  }
  return Number(rate);
}

/** Creates records, `busyRate` a second, until it is disposed of. */
function creating(url: string, { headers = {}, form }: Load): AsyncDisposable {
  const sent: Promise<unknown>[] = [];
  const create = async () => {
    const response = await fetch(url, { method: "POST", headers, body: new URLSearchParams(form) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`Cannot create beside: ${response.status}`);
  };
  const timer = setInterval(() => sent.push(create()), 1000 / busyRate);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(sent);
    },
  };
}

/** The rate of a server under a load, for so many seconds. */
export async function measure(
  server: Server,
  seconds: number,
  { load = {}, path = "/" }: { load?: Load; path?: string } = {},
): Promise<Rate> {
  const { headers = {}, beside } = load;
  await using _ = beside && creating(server.url + beside.path, { headers, form: beside.form });
  await drive(server.url + path, load, warmUpSeconds);
  const before = server.cpuSeconds();
  const perSecond = await drive(server.url + path, load, seconds);
  const cpuSeconds = server.cpuSeconds() - before;
  return { perSecond, perCpuSecond: perSecond * seconds / cpuSeconds };
}
