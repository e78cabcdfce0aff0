import { runtimeFlags } from "../../core/machine/start/programs.ts";
import { endChild } from "../support/process/end_child.ts";
import { eventually } from "../support/process/eventually.ts";
import { freePorts } from "../support/process/system.ts";
import { storeLab } from "../support/service/store_lab.ts";
import { cpuShare } from "./cpu_share.ts";
import { cpuSecondsOf, has, type Load, measure, serve, type Server } from "./http_load.ts";

/**
 * `deno task bench:shared`: one service, and two, on a store behind a server of KV Connect
 * (`denokv`, from Rust's crates; DENOKV is its path). The figures are ratios to bare `kv.get` and
 * `kv.set` behind HTTP on the same server in the same run. SECONDS is the time of each figure
 * (default 4). Two cores are too few to show the gain of a second service, beside the load and the
 * store. A second table holds each service to SHARE of a core (default 0.2), so that the services
 * are the limit.
 */

const seconds = Number(Deno.env.get("SECONDS") ?? 4);
const denokv = Deno.env.get("DENOKV") ?? "denokv";
/** A pattern of the names of the figures; all of them unless given. */
const only = new RegExp(Deno.env.get("ONLY") ?? "");
const share = Number(Deno.env.get("SHARE") ?? 0.2);
const stored = 10_000;
const secretKey = "a key of the bench alone";
const accessToken = "a token of the bench alone";
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

/** Starts the server of the store. */
async function startStore(directory: string) {
  const [port] = freePorts(1) as [number];
  const child = new Deno.Command(denokv, {
    args: [
      ...["--sqlite-path", `${directory}/shared.db`, "serve"],
      ...["--access-token", accessToken, "--addr", `127.0.0.1:${port}`],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await reached(url);
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    [Symbol.asyncDispose]: () => endChild(child),
  };
}

/** Resolves when a server of KV Connect answers. */
const reached = (url: string) =>
  eventually("the store answers", async () => {
    const response = await fetch(url).catch(() => null);
    await response?.body?.cancel();
    return response !== null;
  });

/** Fills the store; the Sids of the root account and of one call. */
async function fill(location: string): Promise<{ accountSid: string; callSid: string }> {
  using lab = await storeLab(location, secretKey);
  let callSid = "";
  for (let at = 0; at < stored; at += 500) {
    const made = Array.from({ length: 500 }, (_, n) => {
      lab.clock.now += 10_000;
      const times = { startTime: lab.clock.now, endTime: lab.clock.now + 60_000, duration: 60 };
      const status = n % 5 === 0 ? "busy" : "completed";
      const to = "client:alice";
      const record = lab.call({ from: "+15550000001", to, status, ...times });
      return lab.store.records.calls.insert({ record });
    });
    callSid = (await Promise.all(made))[0]!.sid;
  }
  return { accountSid: lab.accountSid, callSid };
}

const bare = (location: string, kind: "kv-get" | "kv-set") =>
  serve((port) => ["tests/bench/ceiling.ts", kind, port, location]);

/** A service on a core; the one on the second core shares it with the load. */
function startService(location: string, core: number): Promise<Server> {
  const env = (port: string) => ({
    PORT: port,
    KV_URL: location,
    DATA_DIR: directory,
    SECRET_KEY: secretKey,
    BRIDGE_PORT: String(freePorts(1)[0]), // An unused port: no test calls a device.
    REQUESTS_PER_SECOND: "0",
    DEMO: "false",
    LOG_LEVEL: "error",
  });
  return serve(() => [...runtimeFlags.service, "main.ts"], { path: "/health", env, core });
}

/** Requests per second of several servers that have a load each at once. */
async function together(servers: Server[], load: Load, path: string): Promise<number> {
  const rates = await Promise.all(servers.map((one) => measure(one, seconds, { load, path })));
  return rates.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

if (!await has("wrk") || !await has(denokv)) {
  log("Skipped: bench:shared needs wrk and denokv; DENOKV is the path of the latter");
  Deno.exit(0);
}
const directory = await Deno.makeTempDir({ prefix: "bench-shared-" });
Deno.env.set("DENO_KV_ACCESS_TOKEN", accessToken);
try {
  await using store = await startStore(directory);
  const { accountSid, callSid } = await fill(store.url);
  const account = `/2012-04-24/Accounts/${accountSid}`;
  const headers = { Authorization: `Basic ${btoa(`${accountSid}:token`)}` };
  const nobody = { From: "bench", To: "client:nobody", Url: "http://127.0.0.1/voice" };
  const pages = stored / 50;
  const beside = { path: `${account}/Calls.json`, form: nobody };
  const filtered = { pages: pages / 5, query: "Status=busy&" };
  const loads: [name: string, kind: "kv-get" | "kv-set", path: string, load: Load][] = [
    ["GET of a call", "kv-get", `Calls/${callSid}.json`, {}],
    ["first page of 50 calls", "kv-get", "Calls.json", {}],
    ["any page of 50 calls", "kv-get", "Calls.json", { pages }],
    ["any page, one equality filter", "kv-get", "Calls.json", filtered],
    ["any page, calls created beside", "kv-get", "Calls.json", { pages, beside }],
    ["create of an application", "kv-set", "Applications.json", {
      form: { FriendlyName: "bench" },
    }],
    ["create of a call to nobody, its job", "kv-set", "Calls.json", { form: nobody }],
  ];
  await using groups = new AsyncDisposableStack(); // They go after their processes.
  await using one = await startService(store.url, 0);
  await using other = await startService(store.url, 1);
  const row = (name: string, ...cells: string[]) =>
    log(name.padEnd(38) + cells.map((cell) => cell.padStart(14)).join(""));
  row("32 connections", "bare", "a service", "ratio", "two", "two/one", "CPU of store");
  for (const [name, kind, path, load] of loads.filter(([name]) => only.test(name))) {
    await using ceiling = await bare(store.url, kind);
    const { perSecond: most } = await measure(ceiling, seconds);
    const asked = { ...load, headers };
    const before = store.cpuSeconds();
    const single = await together([one], asked, `${account}/${path}`);
    const cpu = (store.cpuSeconds() - before) / (seconds + 1);
    const both = await together([one, other], asked, `${account}/${path}`);
    const ratios = [(single / most).toFixed(2), both.toFixed(0), (both / single).toFixed(2)];
    row(name, most.toFixed(0), single.toFixed(0), ...ratios, cpu.toFixed(2));
  }
  for (const { pid } of [one, other]) groups.use(await cpuShare(share)).hold(pid);
  log("");
  row(`each held to ${share} of a core`, "", "a service", "", "two", "two/one", "CPU of store");
  // Pages of a list change while the jobs of calls that were created above are performed.
  const steady = loads.filter(([name, , , { pages }]) => only.test(name) && pages === undefined);
  for (const [name, , path, load] of steady) {
    const asked = { ...load, headers };
    const single = await together([one], asked, `${account}/${path}`);
    const before = store.cpuSeconds();
    const both = await together([one, other], asked, `${account}/${path}`);
    const cpu = (store.cpuSeconds() - before) / (seconds + 1);
    const ratio = (both / single).toFixed(2);
    row(name, "", single.toFixed(0), "", both.toFixed(0), ratio, cpu.toFixed(2));
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
