import { runtimeFlags } from "../../core/machine/start/programs.ts";
import { storeLab } from "../support/service/store_lab.ts";
import { freePorts } from "../support/process/system.ts";
import { denseRest, postedRest } from "./dense_rest.ts";
import {
  canPin,
  connections,
  has,
  type Load,
  measure,
  type Rate,
  serve,
  type Server,
} from "./http_load.ts";

/**
 * `deno task bench:rest`: requests per second of the service, driven by `wrk`, beside the bounds of
 * a server here: bare `Deno.serve`, Hono, and one `kv.get` a request. Each server has a process and
 * the first core to itself, `wrk` the second one. SECONDS is the time of each figure (default 4).
 * If other programs take a share of that core, requests per second of the server's own CPU time
 * show the rate without them. ONLY is a pattern of the names of the service's figures.
 * WITHOUT="runs counters" measures services without these caches too: see `without_caches.ts`. At
 * last a list of DENSE calls (20,000) that were made within a minute, and as many that the service
 * takes by POST itself: see `dense_rest.ts`.
 */

const seconds = Number(Deno.env.get("SECONDS") ?? 4);
/** Pattern of the service's figures; all of them unless given. */
const only = new RegExp(Deno.env.get("ONLY") ?? "");
/** Services without some of their caches, separated by spaces; the caches of one by commas. */
const variants = (Deno.env.get("WITHOUT") ?? "").split(" ").filter((one) => one !== "");
const stored = 10_000;
/** Calls of the list that was filled within a minute; 0: none. */
const dense = Number(Deno.env.get("DENSE") ?? 20_000);
const secretKey = "a key of the bench alone";

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

/** The rate of one of the servers that do nothing but answer. */
async function ceiling(kind: string): Promise<Rate> {
  const script = "tests/bench/ceiling.ts";
  await using server = await serve((port) => [script, kind, port, `${directory}/ceiling.db`]);
  return await measure(server, seconds);
}

/** Fills the service's store before it starts; the Sids of the root account and of one call. */
async function fill(
  count: number,
  everyMs: number,
): Promise<{ accountSid: string; callSid: string; sids: string[] }> {
  using lab = await storeLab(`${directory}/switchboard.db`, secretKey);
  const { calls } = lab.store.records;
  const sids: string[] = [];
  const begin = lab.clock.now;
  const insertOne = () => {
    lab.clock.now = Math.floor(begin + sids.length * everyMs);
    const record = lab.call({
      from: "+15550000001",
      to: "client:alice",
      status: "completed",
      startTime: lab.clock.now,
      endTime: lab.clock.now + 60_000,
      duration: 60,
      url: "https://app.example.org/voice",
    });
    sids.push(record.sid);
    return calls.insert({ record });
  };
  for (let at = 0; at < count; at += 1_000) {
    await Promise.all(Array.from({ length: 1_000 }, insertOne));
  }
  await lab.store.buildIndexes(new AbortController().signal);
  return { accountSid: lab.accountSid, callSid: sids.at(-1)!, sids };
}

/** A service as it is started, on a store of its own, without the caches that `without` names. */
async function startService(without: string): Promise<Server> {
  const data = await Deno.makeTempDir({ dir: directory });
  await Deno.copyFile(`${directory}/switchboard.db`, `${data}/switchboard.db`);
  const env = (port: string) => ({
    PORT: port,
    DATA_DIR: data,
    WITHOUT: without,
    SECRET_KEY: secretKey,
    BRIDGE_PORT: String(freePorts(1)[0]), // An unused port: no test calls a device.
    REQUESTS_PER_SECOND: "0",
    READS_PER_SECOND: "0",
    WRITES_PER_SECOND: "0",
    TRUSTED_PROXIES: "127.0.0.1",
  });
  const preload = without === "" ? [] : ["--preload=tests/bench/without_caches.ts"];
  return await serve(() => [...runtimeFlags.service, ...preload, "main.ts"], {
    path: "/health",
    env,
  });
}

/** Every figure of the service, by name; then what it is without a cache, each load of all in turn. */
async function service(): Promise<[name: string, rate: Rate][]> {
  const { accountSid, callSid } = await fill(stored, 10_000);
  await using open = new AsyncDisposableStack();
  const servers: { without: string; server: Server }[] = [];
  for (const without of ["", ...variants]) {
    servers.push({ without, server: open.use(await startService(without)) });
  }
  const account = `/2012-04-24/Accounts/${accountSid}`;
  const headers = { Authorization: `Basic ${btoa(`${accountSid}:token`)}` };
  const wrong = { Authorization: `Basic ${btoa(`${accountSid}:wrong`)}` };
  const nobody = { From: "bench", To: "client:nobody", Url: "http://127.0.0.1/voice" };
  const pages = stored / 50;
  const beside = { path: `${account}/Calls.json`, form: nobody };
  const loads: [name: string, path: string, load?: Load][] = [
    ["GET of a call, JSON", `Calls/${callSid}.json`],
    ["GET of a call, XML", `Calls/${callSid}`],
    ["GET of a call, from many addresses", `Calls/${callSid}.json`, { hasAddresses: true }],
    [
      "the same with a wrong token",
      `Calls/${callSid}.json`,
      { headers: wrong, hasAddresses: true, isRefused: true },
    ],
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
      const rate = await measure(server, seconds, {
        load: { headers, ...load },
        path: `${account}/${path}`,
      });
      rates.push([without === "" ? name : `  without ${without}`, rate]);
    }
  }
  return rates;
}

/** A list that was filled within a minute. */
async function denseList(): Promise<[string, string][]> {
  await Deno.remove(`${directory}/switchboard.db`).catch(() => {}); // ONLY may have left it out.
  const { accountSid, sids } = await fill(dense, 60_000 / dense);
  await using server = await startService("");
  const headers = { Authorization: `Basic ${btoa(`${accountSid}:token`)}` };
  const path = `/2012-04-24/Accounts/${accountSid}`;
  return await denseRest({ server, path, headers, total: dense, sids });
}

if (!await has("wrk")) {
  log("Skipped: bench:rest needs wrk, which is not installed");
  Deno.exit(0);
}
if (!canPin) log("Without taskset or a second core: servers and wrk share what there is");
const directory = await Deno.makeTempDir({ prefix: "bench-rest-" });
try {
  const ceilings: [string, Rate][] = [
    ["bare Deno.serve", await ceiling("deno")],
    ["Hono", await ceiling("hono")],
    ["one kv.get", await ceiling("kv-get")],
  ];
  const row = (name: string, ...cells: string[]) =>
    log(name.padEnd(46) + cells.map((cell) => cell.padStart(20)).join(""));
  const names = ceilings.map(([name]) => `of ${name}`);
  row(`${connections} connections`, "per second", "per CPU second", ...names);
  for (const [name, { perSecond, perCpuSecond }] of [...ceilings, ...await service()]) {
    const ratios = ceilings.map(([, most]) => (perCpuSecond / most.perCpuSecond).toFixed(3));
    row(name, perSecond.toFixed(0), perCpuSecond.toFixed(0), ...ratios);
  }
  if (dense > 0) {
    log(`\na list of ${dense} calls made within a minute`);
    for (const [name, figure] of await denseList()) row(name, figure);
    log(`\na list of ${dense} calls that the service took itself`);
    for (const [name, figure] of await postedRest(dense)) row(name, figure);
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
