import { programs } from "../../../core/machine/start/programs.ts";
import { readConfig } from "../../../core/machine/configuration/config.ts";
import { openSoftphone, type Softphone } from "../sip/softphone.ts";
import { endChild } from "./end_child.ts";
import { eventually } from "./eventually.ts";
import { answers, freePorts, type Json, spawnDeno } from "./system.ts";

/** Path of the library of Debian's package `faketime`; undefined if it is not installed. */
const fakeTimeLibrary = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

/** Reason for which steps of the wall clock cannot be tested; "" when they can. */
export const stepsSkipped = fakeTimeLibrary === undefined ? " (skipped: no faketime)" : "";
if (stepsSkipped !== "" && Deno.env.has("CI")) throw new Error("faketime is not installed");

/**
 * A service and a companion whose wall clock can be set while they run, with the permissions of
 * production. Their monotonic clock is the machine's.
 */
export interface SteppedSystem extends AsyncDisposable {
  readonly baseUrl: string;
  readonly pids: { service: number; companion: number };
  output(): string;
  get(path: string): Promise<Json>;
  post(path: string, form: Record<string, string>): Promise<Json>;
  /** A registered softphone, as a Client of its name. */
  phone(login: string): Promise<Softphone>;
  /** Sets the wall clock of both by so many seconds against the true one. */
  setClock(aheadS: number): Promise<void>;
}

const root = new URL("../../../", import.meta.url).pathname;

/** Options of a system that shares its store with others. */
export interface SharedStore {
  /** Of the companion. */
  name: string;
  kvUrl: string;
}

export async function startSteppedSystem(shared?: SharedStore): Promise<SteppedSystem> {
  await using stack = new AsyncDisposableStack();
  const directory = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const timeFile = `${directory}/time`;
  await Deno.writeTextFile(timeFile, "+0\n");
  const [port, sipPort, bridgePort] = freePorts(3) as [number, number, number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const env: Record<string, string> = {
    PORT: String(port),
    SIP_WS_PORT: String(sipPort),
    BRIDGE_PORT: String(bridgePort),
    BRIDGE_URL: `http://127.0.0.1:${bridgePort}`,
    SERVICE_URL: baseUrl,
    BASE_URL: baseUrl,
    DATA_DIR: `${directory}/data`,
    RTP_PORTS: "0",
    SIP_DOMAIN: "localhost",
    ALLOW_PRIVATE_URLS: "true",
    ...shared && {
      KV_URL: shared.kvUrl,
      COMPANION_ID: shared.name,
      SECRET_KEY: "a key that all have",
      BRIDGE_SECRET: "a secret that all have",
    },
  };
  await Deno.mkdir(env.DATA_DIR!);
  const config = readConfig((name) => env[name]);
  const fake = {
    LD_PRELOAD: fakeTimeLibrary!, // Tests that need it are skipped without it.
    FAKETIME_TIMESTAMP_FILE: timeFile,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_CACHE_DURATION: "1",
  };
  const spawn = ({ flags = [], permissions, script }: typeof programs.api) => {
    const args = ["run", "--quiet", "--no-prompt", ...flags, ...permissions(config), script];
    const started = spawnDeno([Deno.execPath(), ...args], { cwd: root, env: { ...env, ...fake } });
    stack.defer(() => endChild(started.child));
    return started;
  };
  const service = spawn(programs.api);
  const companion = spawn(programs.sip);
  await answers(`${baseUrl}/ready`).catch((error) => {
    throw new Error(`${service.output()}\n${companion.output()}`, { cause: error });
  });
  const credentials = JSON.parse(await Deno.readTextFile(`${env.DATA_DIR}/credentials.json`));
  const { account_sid: sid, auth_token: token } = credentials;
  const api = `${baseUrl}/2012-04-24/Accounts/${sid}/`;
  const headers = { authorization: `Basic ${btoa(`${sid}:${token}`)}` };
  const ask = async (path: string, init: RequestInit = {}): Promise<Json> => {
    const response = await fetch(api + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const post = (path: string, form: Record<string, string>) =>
    ask(path, { method: "POST", body: new URLSearchParams(form) });
  const kept = stack.move();
  return {
    baseUrl,
    pids: { service: service.child.pid, companion: companion.child.pid },
    output: () => service.output() + companion.output(),
    get: ask,
    post,
    async phone(login) {
      await post("Clients.json", { Login: login, Password: `${login}-secret` });
      const url = `ws://127.0.0.1:${sipPort}`;
      const phone = await openSoftphone({
        url,
        login,
        password: `${login}-secret`,
        domain: "localhost",
      });
      kept.defer(() => phone.close());
      const { status } = await phone.register();
      if (status !== 200) throw new Error(`Cannot register ${login}: ${status}`);
      return phone;
    },
    async setClock(aheadS) {
      const noticed = () => service.output().split("The wall clock was set").length;
      const before = noticed();
      await Deno.writeTextFile(timeFile, `${aheadS < 0 ? "" : "+"}${aheadS}\n`);
      await eventually("the service notices the step", () => noticed() > before);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
