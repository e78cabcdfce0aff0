import { runtimeFlags } from "../../core/machine/start/programs.ts";
import { type FakeService, testDomain } from "../support/sip/fake_service.ts";
import { freePorts } from "../support/process/system.ts";
import { cpuSeconds, family } from "./process_cpu.ts";

/** The servers of `sip.ts`, each a process of its own, pinned to the first core. */

const kamailioModules = Deno.env.get("KAMAILIO_MODULES") ??
  "/usr/lib/x86_64-linux-gnu/kamailio/modules/";

const root = new URL("../../", import.meta.url).pathname;

export interface Server extends AsyncDisposable {
  wsUrl: string;
  udpPort: number;
  /** CPU seconds used so far, by all its processes. */
  cpuS(): number;
  /** Resident memory now, of all its processes, in kB. */
  memoryKb(): number;
}

/** Starts a command on the first core; resolves when it takes connections. */
async function serve(
  ports: { wsPort: number; udpPort: number },
  command: string[],
  env: Record<string, string> = {},
): Promise<Server> {
  const child = new Deno.Command("taskset", {
    args: ["--cpu-list", "0", ...command],
    cwd: root,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const wsUrl = `ws://127.0.0.1:${ports.wsPort}`;
  await listens(ports.wsPort);
  return {
    wsUrl,
    udpPort: ports.udpPort,
    cpuS: () => sum(family(child.pid).map(cpuSeconds)),
    memoryKb: () => sum(family(child.pid).map(residentKb)),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
    },
  };
}

/** Waits until a port takes connections. */
async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const connected = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
    if (connected !== null) return connected.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Cannot connect to port ${port}: nothing listens there`);
}

const sum = (values: number[]) => values.reduce((all, one) => all + one, 0);

/** Memory of this process; memory that forks share counts once for all of them together. */
function residentKb(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss: +(\d+)/m.exec(text)?.[1] ?? 0);
}

/** A registrar and proxy written in C, for the cost of a native server here. */
export function kamailio(): Promise<Server> {
  const [wsPort, udpPort] = freePorts(2) as [number, number];
  return serve({ wsPort, udpPort }, [
    "kamailio",
    ...["-f", "tests/bench/kamailio.cfg", "-DD", "-E", "-m", "1024", "-M", "64"],
    ...["-A", `WS_PORT=${wsPort}`, "-A", `UDP_PORT=${udpPort}`],
    ...["-A", `MODULES="${kamailioModules}"`],
  ]);
}

/**
 * The companion as it is started, on a fake service, without bounds for one address. `without` names
 * pieces that are switched off: `flags` (of V8), and groups of patches of sip.js.
 */
export function companion(service: FakeService, without: string[] = []): Promise<Server> {
  const [wsPort, udpPort, bridgePort] = freePorts(3) as [number, number, number];
  const env = {
    SIP_WS_PORT: String(wsPort),
    SIP_UDP_PORT: String(udpPort),
    BRIDGE_PORT: String(bridgePort),
    SERVICE_URL: service.url,
    BRIDGE_SECRET: service.secret,
    SIP_DOMAIN: testDomain,
    MAX_CONNECTIONS: "20000",
    SIP_CONNECTIONS_PER_ADDRESS: "0",
    SIP_STRANGER_REQUESTS_PER_S: "0",
    MEDIA_RELAY: "never", // The agents have no audio.
  };
  const flags = [
    ...without.includes("flags") ? [] : runtimeFlags.companion,
    ...without.length === 0 ? [] : ["--preload=tests/bench/without.ts"],
  ];
  const command = [Deno.execPath(), "run", "-A", "--quiet", ...flags, "sip/main.ts"];
  return serve({ wsPort, udpPort }, command, { ...env, WITHOUT: without.join() });
}
