import { type Browser, chromium } from "playwright-core";
import { type AppServer, startAppServer } from "../service/app_server.ts";
import { startBaresip } from "../sip/baresip.ts";
import { CHROMIUM, chromiumFlags } from "../browsers/chromium.ts";
import { type Host, hosts, makeNetwork, onHost, removeNetwork } from "./nat_network.ts";
import { openSoftphonePage, type SoftphonePage } from "../browsers/softphone_page.ts";
import { missingOf } from "./programs.ts";
import { startSystem, type System } from "./system.ts";

const LAB = "NAT_LAB_NETWORK";
const TEST_TIMEOUT_MS = 120_000;
const SIP_PORT = 5060;
/** The name that the private network has for `server`. */
export const PRIVATE_NAME = "pbx.test";

/** A network of hosts behind NATs, and what runs on them. The test itself is on one of them. */
export interface NatLab {
  network: string;
  /** A customer's application server, on the test's host. */
  app: AppServer;
  /** Service and companion on a host, reached at an address; with SIP over UDP. */
  start(host: Host, at: string, env: Record<string, string>): Promise<System>;
  /**
   * The softphone page in a browser on a host, logged in as a Client that is made for it. It comes from
   * the system's address, or from another one.
   */
  enter(host: Host, system: System, login: string, baseUrl?: string): Promise<SoftphonePage>;
  /** The page in a call with the application, which sends back what it hears; resolves when it does. */
  hearsItself(page: SoftphonePage): Promise<void>;
  /** The same of a phone of plain RTP on a host, which registers as a Client that is made for it. */
  phoneHearsItself(host: Host, system: System, registrar: string): Promise<void>;
  /** Runs a program on a host until the test ends. */
  run(host: Host, program: string, args: string[]): void;
}

/**
 * A test on the network of `nat_network.ts`. It runs in a process of its own on a host, by default
 * on the internet. Its processes and the network are gone after it in any case. Without the right
 * to make namespaces it is skipped, but fails if `CI` is set.
 */
export function natTest(
  file: string,
  name: string,
  body: (lab: NatLab) => Promise<void>,
  at: Host = "net",
): void {
  const network = Deno.env.get(LAB);
  if (network !== undefined) {
    Deno.test({ name, timeout: TEST_TIMEOUT_MS, fn: () => withLab(network, at, body) });
  } else {
    const ignore = missing !== undefined;
    const shown = ignore ? `${name} (skipped: ${missing})` : name;
    Deno.test({ name: shown, ignore, fn: () => inNetwork(file, name, at) });
  }
}

const programs = ["/usr/sbin/ip", "/usr/sbin/nft", "turnserver", "openssl", CHROMIUM];
const canMake = Deno.uid() === 0 && missingOf(programs).length === 0;
const missing = canMake || Deno.env.get("CI") !== undefined
  ? undefined
  : "it takes root, iproute2, nftables, coturn, openssl and Chromium";

const config = new URL("../../deno.json", import.meta.url).pathname;

/** Runs one test of a file by itself, on a host of a new network. */
async function inNetwork(file: string, name: string, at: Host): Promise<void> {
  const network = await makeNetwork();
  try {
    const [ip, ...before] = onHost(network, at);
    const filter = `/^${RegExp.escape(name)}$/`;
    const run = ["test", "-A", "--no-check", `--config=${config}`, "--filter", filter];
    const command = [Deno.execPath(), ...run];
    const child = new Deno.Command(ip, {
      args: [...before, ...command, new URL(file).pathname],
      env: { [LAB]: network, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(TEST_TIMEOUT_MS + 20_000),
    }).spawn();
    const { code, stdout, stderr } = await child.output();
    const [printed, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    if (code !== 0 || !/ 1 passed/.test(printed!)) throw new Error(`${printed}\n${complaints}`);
  } finally {
    await removeNetwork(network);
  }
}

async function withLab(
  network: string,
  at: Host,
  body: (lab: NatLab) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const systems: System[] = [];
  const app = stack.use(startAppServer(hosts[at]));
  app.pages.set("/echo", '<Response><Echo timeLimit="60"/></Response>');
  const lab: NatLab = {
    network,
    app,
    async start(host, at, env) {
      const deno: [string, ...string[]] = [...onHost(network, host), Deno.execPath()];
      const all = { SIP_UDP_PORT: String(SIP_PORT), DEMO: "false", ...env };
      const system = stack.use(await startSystem({ deno, at, env: all }));
      systems.push(system);
      return system;
    },
    async enter(host, system, login, baseUrl = system.baseUrl) {
      await makeClient(system, login, `${app.url}/echo`);
      const browser = await openBrowser(network, host, baseUrl);
      stack.defer(() => browser.close());
      const page = await openSoftphonePage(browser, { baseUrl });
      await page.logIn(login, `${login}-secret`);
      await page.registered(login);
      return page;
    },
    async hearsItself(page) {
      await page.dial("application");
      await page.shows("Talking");
      await page.hears();
    },
    async phoneHearsItself(host, system, registrar) {
      const login = `phone-${host}`;
      await makeClient(system, login, `${app.url}/echo`);
      await using phone = await startBaresip({
        login,
        domain: "localhost",
        transport: "udp",
        registrar: { host: registrar, port: SIP_PORT },
        place: { command: onHost(network, host), address: hosts[host] },
        saysHz: 1_000,
        calls: "sip:application@localhost",
      });
      await phone.untilHears(1_000);
    },
    run(host, program, args) {
      const [ip, ...before] = onHost(network, host);
      const child = new Deno.Command(ip, {
        args: [...before, program, ...args],
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      stack.defer(async () => {
        child.kill("SIGKILL");
        await child.status;
      });
    },
  };
  try {
    await body(lab);
  } catch (error) {
    const printed = systems.map((system) => system.output()).join("\n");
    throw new Error(`${error instanceof Error ? error.stack : error}\n${printed}`);
  }
}

/** A Client whose calls are answered by a document. */
const makeClient = (system: System, login: string, VoiceUrl: string) =>
  system.post("Clients.json", { Login: login, Password: `${login}-secret`, VoiceUrl });

async function openBrowser(network: string, host: Host, origin: string): Promise<Browser> {
  const directory = await Deno.makeTempDir();
  const program = `${directory}/chromium`;
  const command = [...onHost(network, host), CHROMIUM].join(" ");
  await Deno.writeTextFile(program, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  // A page without https has a microphone only if a flag of the browser allows it.
  const names = `--host-resolver-rules=MAP ${PRIVATE_NAME} ${hosts.server}`;
  const args = [...chromiumFlags, names, `--unsafely-treat-insecure-origin-as-secure=${origin}`];
  const browser = await chromium.launch({ executablePath: program, args });
  await Deno.remove(directory, { recursive: true });
  return browser;
}
