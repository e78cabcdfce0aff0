import type { Script } from "../../core/protocol/script.ts";
import { type FakeService, startFakeService, testDomain } from "../support/sip/fake_service.ts";
import { newLeg } from "../support/sip/sip_lab.ts";
import { type Agent, createAgent } from "./sip_agent.ts";
import { companion, kamailio, type Server } from "./sip_servers.ts";
import { openUdp, openWebSocket, type Wire } from "./sip_wires.ts";

/**
 * `deno task bench:sip`: the companion beside Kamailio on the first core, under the same load for a
 * second each in turn; load and service share the second core. The figures are CPU time of the
 * server for each operation: REGISTER is two transactions (401, then 200), a call is INVITE, 407,
 * INVITE, 180, 200, ACK, BYE. Kamailio passes calls through and stores no record; the companion has
 * two legs, requests scripts from its service and reports events. SECONDS is the turns of each
 * (default 10). IDLE is the number of idle registered connections whose memory is measured (default
 * 2,000). ONLY is a pattern of the names of the loads to run, without the memory. WITHOUT=flags
 * drives a second companion in turn that lacks a piece: see `companion()`. Remove one piece a run:
 * with three companions in turn, those that were started first take several times as long as
 * otherwise.
 */

const seconds = Number(Deno.env.get("SECONDS") ?? 10);
const idle = Number(Deno.env.get("IDLE") ?? 2_000);
const only = Deno.env.get("ONLY");
/** V8 compiles anew for some ten seconds; a server runs longer than that. */
const warmUpSeconds = 12;
const password = "pass";
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

type Open = (server: Server) => Promise<Wire>;

const overWs: Open = ({ wsUrl }) => openWebSocket(wsUrl);
const overUdp: Open = ({ udpPort }) => openUdp({ host: "127.0.0.1", port: udpPort });

interface Load {
  name: string;
  open: Open;
  agents: number;
  /** One operation of the agent with this number; true when it went as it should. */
  once(agents: Agent[], number: number): Promise<number>;
  /** True when the agents are registered before. */
  registers: boolean;
  /** Number of agents that send requests; the others only answer. */
  active: number;
}

const call = (agents: Agent[], number: number) =>
  agents[number]!.call(agents[agents.length / 2 + number]!.login);

const loads: Load[] = [
  ...([["WS", overWs], ["UDP", overUdp]] as const).flatMap(([transport, open]): Load[] => [
    {
      name: `OPTIONS over ${transport}`,
      open,
      agents: 50,
      active: 50,
      registers: false,
      once: (agents, number) => agents[number]!.options(),
    },
    {
      name: `REGISTER over ${transport}, 50 agents`,
      open,
      agents: 50,
      active: 50,
      registers: false,
      once: (agents, number) => agents[number]!.register(),
    },
    {
      name: `calls over ${transport}, 50 callers`,
      open,
      agents: 100,
      active: 50,
      registers: true,
      once: call,
    },
  ]),
  {
    name: `REGISTER over WS, ${idle} agents`,
    open: overWs,
    agents: idle,
    active: idle,
    registers: false,
    once: (agents, number) => agents[number]!.register(),
  },
];

/** Agents of their own logins, connected a few at a time. */
async function connect(server: Server, { open, agents: count }: Load): Promise<Agent[]> {
  const agents: Agent[] = [];
  while (agents.length < count) {
    const some = Array.from({ length: Math.min(50, count - agents.length) }, () => open(server));
    for (const wire of await Promise.all(some)) {
      const login = `agent${agents.length}`;
      agents.push(createAgent(wire, { login, domain: testDomain, password }));
    }
  }
  return agents;
}

interface Figure {
  perSecond: number;
  cpuUs: number;
  failures: number;
}

/** A server under a load, and what came of it so far. */
class Side {
  done = 0;
  failures = 0;
  driven = 0;

  constructor(readonly server: Server, readonly load: Load, readonly agents: Agent[]) {}

  static async open(server: Server, load: Load): Promise<Side> {
    const agents = await connect(server, load);
    if (load.registers) await Promise.all(agents.map((agent) => agent.register()));
    return new Side(server, load, agents);
  }
  /** Every active agent repeats its operation until the time is over. */
  async drive(forS: number): Promise<void> {
    const startedAt = performance.now();
    const until = startedAt + forS * 1000;
    await Promise.all(
      this.agents.slice(0, this.load.active).map(async (_, number) => {
        while (performance.now() < until) {
          if (await this.load.once(this.agents, number) === 200) this.done++;
          else this.failures++;
        }
      }),
    );
    this.driven += (performance.now() - startedAt) / 1000;
  }
  close(): void {
    for (const agent of this.agents) agent.close();
  }
}

/**
 * The servers at once, each driven for a second in turn: the machine's speed changes from one minute
 * to the next. All the CPU time that a server takes from the first turn to the last one counts.
 */
async function compare(load: Load): Promise<Figure[]> {
  await using open = new AsyncDisposableStack();
  const sides: Side[] = [];
  for (const start of starts) {
    const server = open.use(await start());
    const side = open.adopt(await Side.open(server, load), (side) => side.close());
    await side.drive(warmUpSeconds);
    sides.push(side);
  }
  const before = sides.map(({ server }) => server.cpuS());
  for (const side of sides) [side.done, side.failures, side.driven] = [0, 0, 0];
  for (let turn = 0; turn < seconds; turn++) {
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) await side.drive(1);
  }
  return sides.map(({ server, done, failures, driven }, at) => ({
    perSecond: done / driven,
    cpuUs: (server.cpuS() - before[at]!) * 1e6 / (done + failures),
    failures,
  }));
}

/** Memory of one idle registered connection, in kB. */
async function memory(server: Server): Promise<number> {
  const load = { open: overWs, agents: idle } as Load;
  const before = server.memoryKb();
  const agents = await connect(server, load);
  for (const agent of agents) await agent.register();
  const after = server.memoryKb();
  for (const agent of agents) agent.close();
  return (after - before) / idle;
}

/** Script of the service for a call: connects it to the dialled Client. */
function putThrough(service: FakeService): void {
  service.answer = ({ event, accountSid }): Script => {
    service.reports.length = 0; // They would only fill the memory.
    if (event.type !== "incoming") return [];
    const login = /^sip:([^@]+)@/.exec(event.uri)?.[1] ?? "";
    const [from, to] = ["client:caller", `client:${login}`];
    const target = { kind: "client", login } as const;
    const leg = { leg: newLeg(), accountSid, from, to, target };
    const times = { timeoutS: 30, timeLimitS: 600 };
    return [{ type: "dial", legs: [leg], media: "proxied", ...times }, { type: "hangup" }];
  };
}

const has = (program: string) =>
  new Deno.Command(program, { args: ["-v"], stdout: "null", stderr: "null" }).output()
    .then(() => true, () => false);

const row = (name: string, ...cells: string[]) =>
  log(name.padEnd(34) + cells.map((cell) => cell.padStart(15)).join(""));

for (const program of ["kamailio", "taskset"]) {
  if (await has(program)) continue;
  log(`Skipped: bench:sip needs ${program}, which is not installed`);
  Deno.exit(0);
}
await using service = startFakeService();
putThrough(service);
for (let at = 0; at < Math.max(idle, 100); at++) service.addClient(`agent${at}`, password);

const variants = (Deno.env.get("WITHOUT") ?? "").split(" ").filter((one) => one !== "");
const starts = [
  kamailio,
  () => companion(service),
  ...variants.map((one) => () => companion(service, one.split(","))),
];
row("", "Kamailio/s", "CPU an op", "Switchboard/s", "CPU an op", "ratio of CPU");
for (const load of loads.filter(({ name }) => new RegExp(only ?? "").test(name))) {
  const figures = await compare(load);
  const cells = figures.flatMap(({ perSecond, cpuUs }) => [
    perSecond.toFixed(0),
    `${cpuUs.toFixed(0)} us`,
  ]);
  row(load.name, ...cells, (figures[0]!.cpuUs / figures[1]!.cpuUs).toFixed(2));
  for (const [at, name] of variants.entries()) {
    const { perSecond, cpuUs } = figures[at + 2]!;
    const ratio = (figures[0]!.cpuUs / cpuUs).toFixed(2);
    const beside = (cpuUs / figures[1]!.cpuUs).toFixed(2);
    row(`  without ${name}`, "", "", perSecond.toFixed(0), `${cpuUs.toFixed(0)} us`, ratio, beside);
  }
  const failures = figures.map((figure) => figure.failures);
  if (failures.some((count) => count > 0)) log(`  failed: ${failures.join(" and ")}`);
}
if (only !== undefined) Deno.exit(0);
const kb: number[] = [];
for (const start of starts) {
  await using server = await start();
  kb.push(await memory(server));
}
const cells = kb.flatMap((value) => [`${value.toFixed(0)} kB`, ""]);
row("memory of an idle connection", ...cells, (kb[0]! / kb[1]!).toFixed(2));
Deno.exit(0);
