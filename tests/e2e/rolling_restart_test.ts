import assert from "node:assert/strict";
import { endChild } from "../support/process/end_child.ts";
import { eventually } from "../support/process/eventually.ts";
import { answers, freePorts, type Json, spawnTask } from "../support/process/system.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { startKvConnect } from "../support/service/kv_connect.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";
import { openSoftphone, type Softphone } from "../support/sip/softphone.ts";
import type { PhoneDialog } from "../support/sip/softphone_dialog.ts";

/** A service and a companion on a machine of their own, beside others on one store. */
interface Machine extends AsyncDisposable {
  readonly baseUrl: string;
  /** Stops a process as an upgrade does: resolves with its exit code. */
  stop(process: "api" | "sip"): Promise<number>;
  start(process: "api" | "sip"): Promise<void>;
  isDraining(): Promise<boolean>;
  phone(login: string): Promise<Softphone>;
  post(path: string, form: Record<string, string>): Promise<Json>;
  get(path: string): Promise<Json>;
}

async function startMachine(name: string, KV_URL: string): Promise<Machine> {
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
      assert.equal((await phone.register()).status, 200);
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

/** Has a machine's service place a call to a phone, which answers it. */
async function placed(
  machine: Machine,
  { phone, login, app }: { phone: Softphone; login: string; app: AppServer },
): Promise<{ sid: string; dialog: PhoneDialog }> {
  const { sid } = await machine.post("Calls.json", {
    From: "me",
    To: `client:${login}`,
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
    StatusCallbackEvent: "answered completed",
  });
  const ringing = await phone.nextCall();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await app.asked("/voice", ({ CallSid }) => CallSid === sid);
  return { sid, dialog };
}

const statusOf = async (machine: Machine, sid: string): Promise<string> =>
  (await machine.get(`Calls/${sid}.json`)).status;

const inTime = { timeout: 300_000 };

Deno.test("a rolling restart of two services and two companions ends no call", inTime, async () => {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
  await using store = startKvConnect();
  await using one = await startMachine("one", store.url);
  await using two = await startMachine("two", store.url);
  const made: string[] = [];
  const call = async (machine: Machine, phone: Softphone, login: string) => {
    const live = await placed(machine, { phone, login, app });
    made.push(live.sid);
    return live;
  };

  for (
    const [machine, other, logins] of [
      [one, two, ["anna", "bert", "carl"]],
      [two, one, ["dora", "erik", "fred"]],
    ] as const
  ) {
    for (const Login of logins) {
      await machine.post("Clients.json", { Login, Password: `${Login}-secret` });
    }
    const [first, second, third] = logins;
    const short = await call(machine, await machine.phone(first), first);
    const long = await call(other, await machine.phone(second), second);

    // A call that ends while its service is away is recorded when that is back.
    assert.equal(await machine.stop("api"), 0);
    await short.dialog.bye();
    assert.equal(await statusOf(other, long.sid), "in-progress");
    await machine.start("api");
    await eventually(
      "the end of the call is recorded",
      async () => await statusOf(other, short.sid) === "completed",
    );

    // The companion waits for its call, while others are placed at the other companion.
    const stopped = machine.stop("sip");
    await eventually("it drains", () => machine.isDraining());
    const meanwhile = await call(machine, await other.phone(third), third);
    assert.equal(await statusOf(machine, long.sid), "in-progress");
    await long.dialog.bye();
    assert.equal(await stopped, 0);
    assert.equal(await statusOf(machine, long.sid), "completed");
    await machine.start("sip");
    assert.equal(await statusOf(machine, meanwhile.sid), "in-progress");
    await meanwhile.dialog.bye();
    const again = await call(other, await machine.phone(first), first);
    await again.dialog.bye();
  }

  await eventually("all calls are recorded", async () => {
    const statuses = await Promise.all(made.map((sid) => statusOf(one, sid)));
    return statuses.every((status) => status === "completed");
  });
  const completed = () => app.sent("/events").filter((sent) => sent.CallStatus === "completed");
  await eventually("all callbacks have come", () => completed().length >= made.length);
  assert.deepEqual(completed().map(({ CallSid }) => CallSid).sort(), made.toSorted());
  assert.deepEqual((await one.get("Notifications.json")).notifications, []);
});
