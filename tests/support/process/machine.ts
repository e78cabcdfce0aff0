import assert from "node:assert/strict";
import { openSoftphone, type Softphone } from "../sip/softphone.ts";
import { endChild } from "./end_child.ts";
import { answers, freePorts, type Json, pidsBelow, spawnTask } from "./system.ts";

/** A service and a companion on a machine of their own, beside others on one store. */
export interface Machine extends AsyncDisposable {
  readonly baseUrl: string;
  /** Stops a process as an upgrade does: resolves with its exit code. */
  stop(process: "api" | "sip"): Promise<number>;
  start(process: "api" | "sip"): Promise<void>;
  /** Ends a process without warning (SIGKILL); its supervisor starts another. */
  kill(process: "api" | "sip"): void;
  /** Resolves when service and companion answer. */
  ready(): Promise<void>;
  isDraining(): Promise<boolean>;
  phone(login: string): Promise<Softphone>;
  post(path: string, form: Record<string, string>): Promise<Json>;
  get(path: string): Promise<Json>;
}

/** Starts a service and a companion on the store at a URL; the companion has the machine's name. */
export async function startMachine(name: string, KV_URL: string): Promise<Machine> {
  const DATA_DIR = await Deno.makeTempDir();
  const [port, sipPort, bridgePort, speechPort] = freePorts(4) as [number, number, number, number];
  const env = {
    PORT: String(port),
    SIP_WS_PORT: String(sipPort),
    BRIDGE_PORT: String(bridgePort),
    SPEECH_PORT: String(speechPort),
    DATA_DIR,
    KV_URL,
    COMPANION_ID: name,
    SECRET_KEY: "a key that both machines have",
    BRIDGE_SECRET: "a secret that both machines have",
    ALLOW_PRIVATE_URLS: "true",
    DRAIN_S: "120",
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  const running = new Map<string, ReturnType<typeof spawnTask>>();
  const phones: Softphone[] = [];
  const probes = { api: `${baseUrl}/health`, sip: `http://127.0.0.1:${bridgePort}/ready` };
  const start = async (process: "api" | "sip") => {
    const task = spawnTask([process], env);
    running.set(process, task);
    const isOver = task.ended.then((code) => {
      throw new Error(`${process} of ${name} ended with ${code}: ${task.output()}`);
    });
    isOver.catch(() => {});
    await Promise.race([isOver, answers(probes[process])]);
  };
  await start("api");
  await start("sip");
  const request = async (path: string, body?: URLSearchParams): Promise<Json> => {
    const file = JSON.parse(await Deno.readTextFile(`${DATA_DIR}/credentials.json`));
    const { account_sid: sid, auth_token: token } = file;
    const response = await fetch(`${baseUrl}/2012-04-24/Accounts/${sid}/${path}`, {
      headers: { Authorization: `Basic ${btoa(`${sid}:${token}`)}` },
      ...body && { method: "POST", body },
    });
    assert.equal(response.status, 200, path);
    return await response.json();
  };
  const stop = async (process: "api" | "sip") => {
    const { child, ended } = running.get(process)!;
    running.delete(process);
    child.kill("SIGTERM");
    return await ended;
  };
  return {
    baseUrl,
    stop,
    start,
    get: (path) => request(path),
    kill(process) {
      const script = process === "api" ? "main.ts" : "sip/main.ts";
      const [pid] = pidsBelow(running.get(process)!.child.pid, script);
      if (pid !== undefined) Deno.kill(pid, "SIGKILL");
    },
    async ready() {
      await answers(`${baseUrl}/ready`);
    },
    async isDraining() {
      const response = await fetch(probes.sip);
      await response.body?.cancel();
      return response.status === 503;
    },
    post: (path, form) => request(path, new URLSearchParams(form)),
    async phone(login) {
      const password = `${login}-secret`;
      const url = `ws://127.0.0.1:${sipPort}`;
      const phone = await openSoftphone({ url, login, password, domain: "localhost" });
      phones.push(phone);
      const lost = phone.closed.then((code) => {
        throw new Error(`${name} closed the connection of ${login} with ${code}`);
      });
      lost.catch(() => {});
      assert.equal((await Promise.race([phone.register(), lost])).status, 200);
      return phone;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(phones.map((phone) => phone.close()));
      for (const { child, ended } of running.values()) {
        await endChild(child);
        await ended;
      }
      await Deno.remove(DATA_DIR, { recursive: true });
    },
  };
}
