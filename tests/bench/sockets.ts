import { freePorts } from "../support/process/system.ts";
import { type FakeService, startFakeService, testDomain } from "../support/sip/fake_service.ts";
import { writeSip } from "../support/sip/sip_text.ts";
import { openSoftphone, type Softphone } from "../support/sip/softphone.ts";

/**
 * `deno task bench:sockets [CLIENTS]`: the cost of idle clients, and the effect of a flood on
 * others. A real companion process, with a service that only has passwords, on the loopback:
 *
 * 1. CLIENTS (10,000) clients register over WebSocket and are silent. Printed: the memory of the
 *    companion for each, and how long a REGISTER of one more client takes meanwhile.
 * 2. Wrong passwords from 200 connections of one address (127.0.0.1), each 50 times a second and
 *    coming back when it is cut off, for 10 s. Printed: how long a client at another address (::1)
 *    needs to connect and register, and to register again, before and meanwhile.
 */

const clients = Number(Deno.args[0] ?? 10_000);
const atOnce = 50;
const flooders = 200;
const floodS = 10;
const guessEveryMs = 20;

const root = new URL("../../", import.meta.url).pathname;
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

interface Running {
  url(host: string): string;
  /** Resident memory in kB. */
  memory(): number;
  cpuSeconds(): number;
  /** For how long its main thread could have run, and others did: more than little spoils the delays. */
  queuedSeconds(): number;
  stop(): Promise<void>;
}

async function startCompanion(service: FakeService, env: Record<string, string>): Promise<Running> {
  const [sipPort, bridgePort] = freePorts(2) as [number, number];
  const directory = await Deno.makeTempDir();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "sip/main.ts"],
    cwd: root,
    env: {
      DATA_DIR: directory,
      BRIDGE_SECRET: service.secret,
      SERVICE_URL: service.url,
      SIP_DOMAIN: testDomain,
      SIP_WS_PORT: String(sipPort),
      BRIDGE_PORT: String(bridgePort),
      MAX_CONNECTIONS: String(2 * clients + flooders),
      CONNECTIONS_PER_ADDRESS: "0",
      NO_COLOR: "1",
      ...env,
    },
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const ready = `http://127.0.0.1:${bridgePort}/ready`;
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(ready).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) break;
    await pause(50);
  }
  return {
    url: (host) => `ws://${host}:${sipPort}`,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(status(child.pid, "status"))?.[1]),
    cpuSeconds() {
      const fields = status(child.pid, "stat").split(") ")[1]!.split(" ");
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    queuedSeconds: () =>
      Number(status(child.pid, `task/${child.pid}/schedstat`).split(" ")[1]) / 1e9,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(directory, { recursive: true });
    },
  };
}

const status = (pid: number, file: string) => Deno.readTextFileSync(`/proc/${pid}/${file}`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Connects and registers a client; its password is the login and `-secret`, unless given. */
async function registered(url: string, login: string): Promise<Softphone> {
  const password = `${login}-secret`;
  const phone = await openSoftphone({ url, login, password, domain: testDomain });
  const { status } = await phone.register({ expires: 3_600 });
  if (status !== 200) throw new Error(`Cannot register ${login}: ${status}`);
  return phone;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function figures(delays: number[]): string {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? NaN).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms of ${sorted.length}`;
}

async function idle(service: FakeService): Promise<void> {
  for (let i = 0; i < clients; i++) service.addClient(`idle${i}`, `idle${i}-secret`);
  // All come from one address here.
  const companion = await startCompanion(service, {
    SIP_CONNECTIONS_PER_ADDRESS: "0",
    SIP_STRANGER_REQUESTS_PER_S: "0",
  });
  const url = companion.url("127.0.0.1");
  const good = await registered(url, "good");
  const before = companion.memory();
  const phones: Softphone[] = [];
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (next < clients) phones.push(await registered(url, `idle${next++}`));
  }));
  const seconds = (performance.now() - startedAt) / 1000;
  await pause(2_000);
  const each = (companion.memory() - before) / clients;
  const delays: number[] = [];
  for (let i = 0; i < 200; i++) delays.push(await timed(() => good.register()));
  log(`${clients} idle clients, registered in ${seconds.toFixed(1)} s: ${each.toFixed(1)} kB each`);
  log(`REGISTER of another client meanwhile: ${figures(delays)}`);
  await companion.stop();
  await Promise.all(phones.map((phone) => phone.closed));
}

/** A REGISTER with a password that is wrong, whatever the challenge was. */
function guess(login: string, n: number): string {
  const uri = `sip:${testDomain}`;
  return writeSip(`REGISTER ${uri} SIP/2.0`, [
    `Via: SIP/2.0/WS flood.invalid;branch=z9hG4bK${login}${n}`,
    `From: <sip:${login}@${testDomain}>;tag=${n}`,
    `To: <sip:${login}@${testDomain}>`,
    `Call-ID: ${login}`,
    `CSeq: ${n + 1} REGISTER`,
    `Authorization: Digest username="${login}", realm="${testDomain}", nonce="x", uri="${uri}", ` +
    `response="${"0".repeat(32)}", algorithm=MD5, qop=auth, cnonce="c", nc=00000001`,
  ]);
}

/**
 * Sends guesses until the time is over, each connection every few milliseconds whatever the
 * response, and reconnects when it is cut off. It is a process of its own, so that it slows no
 * other.
 */
async function flood(url: string): Promise<void> {
  const until = performance.now() + floodS * 1000;
  const counts: Record<string, number> = {};
  const count = (what: string | number) => counts[what] = (counts[what] ?? 0) + 1;
  const connect = async (login: string) => {
    const socket = new WebSocket(url, "sip");
    const closed = Promise.withResolvers<void>();
    socket.onmessage = ({ data }) => count(`answered ${String(data).slice(8, 11)}`);
    socket.onclose = ({ code }) => (count(`closed ${code}`), closed.resolve());
    socket.onerror = () => {};
    for (let n = 0; performance.now() < until && socket.readyState <= WebSocket.OPEN; n++) {
      if (socket.readyState === WebSocket.OPEN) {
        socket.send(guess(login, n));
        count("sent");
      }
      await pause(guessEveryMs);
    }
    socket.close();
    await closed.promise;
  };
  await Promise.all(Array.from({ length: flooders }, async (_, i) => {
    for (let n = 0; performance.now() < until; n++) await connect(`victim${i}x${n}`);
  }));
  log(Object.entries(counts).map(([what, times]) => `${times} ${what}`).join(", "));
}

async function flooded(service: FakeService): Promise<void> {
  const companion = await startCompanion(service, { SIP_HOST: "::" });
  const [evil, url] = [companion.url("127.0.0.1"), companion.url("[::1]")];
  const [fresh, again]: [number[], number[]] = [[], []];
  const once = async () => {
    const made: Softphone[] = [];
    fresh.push(await timed(async () => made.push(await registered(url, "good"))));
    again.push(await timed(() => made[0]!.register()));
    await made[0]!.close();
    await pause(20);
  };
  for (let i = 0; i < 50; i++) await once();
  log(`Without a flood, to connect and register: ${figures(fresh.splice(0))}`);
  log(`REGISTER on that connection: ${figures(again.splice(0))}`);
  const flooding = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", import.meta.filename ?? "", "flood", evil],
    stdout: "piped",
  }).spawn();
  let over = false;
  const answers = flooding.output().then(({ stdout }) => {
    over = true;
    return new TextDecoder().decode(stdout).trim();
  });
  const [cpu, queued] = [companion.cpuSeconds(), companion.queuedSeconds()];
  const lookups = service.lookups.length;
  while (!over) await once();
  log(`Flood of ${floodS} s by ${flooders} connections of one address: ${await answers}`);
  log(`Look-ups at the service: ${service.lookups.length - lookups}`);
  log(`CPU of the companion: ${(companion.cpuSeconds() - cpu).toFixed(1)} s`);
  log(`It waited for a processor: ${(companion.queuedSeconds() - queued).toFixed(1)} s`);
  log(`Meanwhile, from another address, to connect and register: ${figures(fresh)}`);
  log(`REGISTER on that connection: ${figures(again)}`);
  await companion.stop();
}

async function bench(): Promise<void> {
  await using service = startFakeService();
  service.addClient("good", "good-secret");
  await idle(service);
  await flooded(service);
}

if (Deno.args[0] === "flood") await flood(Deno.args[1] ?? "");
else await bench();
