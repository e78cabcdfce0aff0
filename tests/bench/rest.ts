import { storeLab } from "../support/service/store_lab.ts";
import { answers, freePorts } from "../support/process/system.ts";

/**
 * `deno task bench:rest`: requests per second of the service, driven by `wrk`, beside what a server
 * can do at most here: bare `Deno.serve`, Hono, and one `kv.get` a request. Each server has a process
 * and the first core to itself, `wrk` the second one. SECONDS is the time of each figure (default 4).
 * Where other programs take part of that core, requests per second of the server's own CPU time tell
 * what it would do alone. ONLY is a pattern of the names of the service's figures. WITHOUT="runs
 * counters" measures services without these caches too: see `without_caches.ts`.
 */

const seconds = Number(Deno.env.get("SECONDS") ?? 4);
/** What is measured of the service; all of it unless given. */
const only = new RegExp(Deno.env.get("ONLY") ?? "");
/** Services without some of their caches, separated by spaces; the caches of one by commas. */
const variants = (Deno.env.get("WITHOUT") ?? "").split(" ").filter((one) => one !== "");
const warmUpSeconds = 1;
const connections = 32;
const stored = 10_000;
/** Calls that are created each second beside some measurements: each makes all pages of calls anew. */
const busyRate = 50;
const secretKey = "a key of the bench alone";

const root = new URL("../../", import.meta.url).pathname;
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

const has = (program: string) =>
  new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).output()
    .then(() => true, () => false);

/** The words of a command that keeps to one core, where the system can see to that. */
const pinned = (core: number, command: string[]) =>
  canPin ? ["taskset", "--cpu-list", String(core), ...command] : command;

interface Server extends AsyncDisposable {
  url: string;
  /** CPU time so far; NaN where the system does not tell. */
  cpuSeconds(): number;
}

interface Rate {
  perSecond: number;
  perCpuSecond: number;
}

/** Starts a script as a server on a port of its own; `args` may use the port. */
async function serve(
  args: (port: string) => string[],
  { path = "/", env = () => ({}) }: { path?: string; env?: (port: string) => object } = {},
): Promise<Server> {
  const port = String(freePorts(1)[0]);
  const [program, ...rest] = pinned(0, [Deno.execPath(), "run", "-A", "--quiet", ...args(port)]);
  const child = new Deno.Command(program!, {
    args: rest,
    cwd: root,
    env: { NO_COLOR: "1", ...env(port) },
    stdin: "null",
    stdout: "null",
  }).spawn();
  const server = {
    url: `http://127.0.0.1:${port}`,
    cpuSeconds: () => cpuSecondsOf(child.pid),
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

function cpuSecondsOf(pid: number): number {
  if (Deno.build.os !== "linux") return NaN;
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

interface Load {
  headers?: Record<string, string>;
  /** A form to POST. */
  form?: Record<string, string>;
  /** Each request asks for any one of so many pages of a list. */
  pages?: number;
  /** Where and of what calls are created meanwhile, `busyRate` a second. */
  beside?: { path: string; form: Record<string, string> };
}

/** Requests per second that were answered 2xx. Throws when another answer came. */
async function drive(url: string, { headers = {}, form, pages }: Load, forSeconds: number) {
  const script = `${directory}/load.lua`;
  const body = form === undefined ? "" : `wrk.method = "POST"; wrk.body = "${new URLSearchParams(
    form,
  )}"; wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"`;
  const request = pages === undefined ? "" : `
    function request()
      return wrk.format(nil, wrk.path .. "?Page=" .. math.random(0, ${pages - 1}))
    end`;
  await Deno.writeTextFile(script, body + request);
  const [program, ...args] = pinned(1, [
    ...["wrk", "--threads", "1", "--connections", String(connections)],
    ...["--duration", `${forSeconds}s`, "--script", script],
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    url,
  ]);
  const { stdout } = await new Deno.Command(program!, { args }).output();
  const said = new TextDecoder().decode(stdout);
  const rate = /^Requests\/sec: +([\d.]+)/m.exec(said)?.[1];
  if (rate === undefined || said.includes("Non-2xx")) {
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

async function measure(server: Server, load: Load = {}, path = "/"): Promise<Rate> {
  const { headers = {}, beside } = load;
  await using _ = beside && creating(server.url + beside.path, { headers, form: beside.form });
  await drive(server.url + path, load, warmUpSeconds);
  const before = server.cpuSeconds();
  const perSecond = await drive(server.url + path, load, seconds);
  const cpuSeconds = server.cpuSeconds() - before;
  return { perSecond, perCpuSecond: perSecond * seconds / cpuSeconds };
}

/** The rate of one of the servers that do nothing but answer. */
async function ceiling(kind: string): Promise<Rate> {
  const script = "tests/bench/ceiling.ts";
  await using server = await serve((port) => [script, kind, port, `${directory}/ceiling.db`]);
  return await measure(server);
}

/** Fills the service's store before it starts; the Sids of the root account and of one call. */
async function fill(): Promise<{ accountSid: string; callSid: string }> {
  using lab = await storeLab(`${directory}/switchboard.db`, secretKey);
  const { calls } = lab.store.records;
  const insertOne = () => {
    lab.clock.now += 10_000;
    const record = lab.call({
      from: "+15550000001",
      to: "client:alice",
      status: "completed",
      startTime: lab.clock.now,
      endTime: lab.clock.now + 60_000,
      duration: 60,
      url: "https://app.example.org/voice",
    });
    return calls.insert({ record });
  };
  let callSid = "";
  for (let at = 0; at < stored; at += 1_000) {
    const [first] = await Promise.all(Array.from({ length: 1_000 }, insertOne));
    callSid = first!.sid;
  }
  return { accountSid: lab.accountSid, callSid };
}

/** A service on a store of its own, without the caches that `without` names. */
async function startService(without: string): Promise<Server> {
  const data = await Deno.makeTempDir({ dir: directory });
  await Deno.copyFile(`${directory}/switchboard.db`, `${data}/switchboard.db`);
  const env = (port: string) => ({
    PORT: port,
    DATA_DIR: data,
    WITHOUT: without,
    SECRET_KEY: secretKey,
    BRIDGE_PORT: String(freePorts(1)[0]), // Nobody listens there, and nobody is called.
    REQUESTS_PER_SECOND: "0",
  });
  const preload = without === "" ? [] : ["--preload=tests/bench/without_caches.ts"];
  return await serve(() => [...preload, "main.ts"], { path: "/health", env });
}

/** Every figure of the service, by name; then what it is without a cache, each load of all in turn. */
async function service(): Promise<[name: string, rate: Rate][]> {
  const { accountSid, callSid } = await fill();
  await using open = new AsyncDisposableStack();
  const servers: { without: string; server: Server }[] = [];
  for (const without of ["", ...variants]) {
    servers.push({ without, server: open.use(await startService(without)) });
  }
  const account = `/2012-04-24/Accounts/${accountSid}`;
  const headers = { Authorization: `Basic ${btoa(`${accountSid}:token`)}` };
  const nobody = { From: "bench", To: "client:nobody", Url: "http://127.0.0.1/voice" };
  const pages = stored / 50;
  const beside = { path: `${account}/Calls.json`, form: nobody };
  const loads: [name: string, path: string, load?: Load][] = [
    ["GET of a call, JSON", `Calls/${callSid}.json`],
    ["GET of a call, XML", `Calls/${callSid}`],
    ["list of 50 calls, JSON", "Calls.json"],
    ["list of 50 calls, XML", "Calls"],
    ["list of 50 calls, any page, JSON", "Calls.json", { pages }],
    ["list of 50 calls, any page, XML", "Calls", { pages }],
    ["the first page, JSON, calls created beside", "Calls.json", { beside }],
    ["any page, JSON, calls created beside", "Calls.json", { pages, beside }],
    ["create of an application", "Applications.json", { form: { FriendlyName: "bench" } }],
    ["create of a call to nobody, and its job", "Calls.json", { form: nobody }],
  ];
  const rates: [string, Rate][] = [];
  for (const [name, path, load] of loads.filter(([name]) => only.test(name))) {
    for (const { without, server } of servers) {
      const rate = await measure(server, { headers, ...load }, `${account}/${path}`);
      rates.push([without === "" ? name : `  without ${without}`, rate]);
    }
  }
  return rates;
}

if (!await has("wrk")) {
  log("Skipped: bench:rest needs wrk, which is not installed");
  Deno.exit(0);
}
const canPin = navigator.hardwareConcurrency > 1 && await has("taskset");
if (!canPin) log("Without taskset or a second core: servers and wrk share what there is");
const directory = await Deno.makeTempDir({ prefix: "bench-rest-" });
try {
  const ceilings: [string, Rate][] = [
    ["bare Deno.serve", await ceiling("deno")],
    ["Hono", await ceiling("hono")],
    ["one kv.get", await ceiling("kv")],
  ];
  const row = (name: string, ...cells: string[]) =>
    log(name.padEnd(46) + cells.map((cell) => cell.padStart(20)).join(""));
  const names = ceilings.map(([name]) => `of ${name}`);
  row(`${connections} connections`, "per second", "per CPU second", ...names);
  for (const [name, { perSecond, perCpuSecond }] of [...ceilings, ...await service()]) {
    const ratios = ceilings.map(([, most]) => (perCpuSecond / most.perCpuSecond).toFixed(3));
    row(name, perSecond.toFixed(0), perCpuSecond.toFixed(0), ...ratios);
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
