import { WebSocket as WsSocket } from "ws";
import { openSoftphone } from "../support/sip/softphone.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";
import { httpResponse, openPlainClient, servePlainly } from "./plain_http.ts";
import { cpuSeconds } from "./process_cpu.ts";
import { type Agent, createAgent } from "./sip_agent.ts";
import { openWebSocket } from "./sip_wires.ts";

/** Duration of the phases of a call from its POST on, in ms. */
export interface CallTimes {
  /** Until its INVITE arrived. */
  invited: number;
  /** Until the last of its callbacks. */
  over: number;
}

/**
 * Service and companion with scripted softphones, and the server that their calls ask. It shares the
 * processors with what is measured, so it costs as little as it can: SIP, HTTP and forms are real, and
 * are read no further than to check what has to come.
 */
export interface CallLoad extends AsyncDisposable {
  readonly system: System;
  readonly appUrl: string;
  /** Callbacks that have come. */
  callbacks: number;
  /**
   * Calls a softphone, which rings and answers; the document hangs up. Four callbacks report it.
   * Resolves when all have come; throws unless the softphone had its ACK and its BYE by then.
   */
  call(phone: number): Promise<CallTimes>;
  /**
   * Has a softphone call in, and hangs up. Returns the time from the INVITE to the 200, in ms, with
   * the request of the document that answers.
   */
  callIn(): Promise<number>;
  /** POST of a form below the root account; the answer as it came. */
  post(path: string, fields: Record<string, string>): Promise<string>;
  /** CPU seconds that the processes have used so far, and those of this one. */
  cpu(): Cpu;
  /** Bytes of memory that the processes have now, and of the file of the store. */
  size(): { service: number; companion: number; store: number };
}

export type Cpu = Record<"service" | "companion" | "generator", number>;

/** The phones stay registered for longer than any soak. */
const registeredS = 7_200;
/** Statuses in the callbacks of a call; each is a request of its own, so they come in any order. */
const statuses = ["initiated", "ringing", "in-progress", "completed"];
const domain = "localhost";

const pages: Record<string, Uint8Array> = {
  "/voice": httpResponse("200 OK", "text/xml", "<Response><Hangup/></Response>"),
  "/in": httpResponse("200 OK", "text/xml", "<Response><Pause length='60'/></Response>"),
  "/events": httpResponse("204 No Content"),
};
const notFound = httpResponse("404 Not Found");

/** A call that is under way. */
interface Call {
  startedAt: number;
  /** Statuses of its callbacks so far. */
  told: Set<string>;
  invited: number;
  ended: PromiseWithResolvers<void>;
}

/** A softphone, and what it heard last of its call. */
interface Phone {
  agent: Agent;
  /** The bytes of the POST that calls it. */
  request: Uint8Array;
  heard: string;
  call?: Call;
}

/** `root`: folder of the programs; this working tree unless given. */
export async function startCallLoad(
  { phones: count, root }: { phones: number; root?: string },
): Promise<CallLoad> {
  const calls = new Map<string, Call>();
  /** Of calls whose callback came before the response to the POST. */
  const early = new Map<string, string[]>();
  const tell = (call: Call, body: string) => {
    const status = fieldOf(body, "CallStatus");
    if (!statuses.includes(status)) call.ended.reject(new Error(`Not answered: ${body}`));
    call.told.add(status);
    if (call.told.size === statuses.length) call.ended.resolve();
  };
  const app = servePlainly((path, body) => {
    if (path === "/events") {
      load.callbacks++;
      const sid = fieldOf(body, "CallSid");
      const call = calls.get(sid);
      if (call !== undefined) tell(call, body);
      else early.set(sid, [...early.get(sid) ?? [], body]);
    }
    return pages[path] ?? notFound;
  });
  const env = { REQUESTS_PER_SECOND: "0" };
  const system = await startSystem({ env, ...root !== undefined && { root } });
  const api = `/2012-04-24/Accounts/${system.accountSid}/`;
  const credentials = btoa(`${system.accountSid}:${system.authToken}`);
  const client = openPlainClient(system.baseUrl, `Basic ${credentials}`);
  const post = (path: string, fields: Record<string, string>) =>
    client.send(client.form(api + path, fields));
  const phones: Phone[] = [];
  for (let number = 0; number < count; number++) {
    const [login, password] = [`bench${number}`, `bench${number}-secret`];
    await post("Clients.json", { Login: login, Password: password });
    const heard = (method: string) => {
      if (method === "INVITE" && phone.call !== undefined) phone.call.invited = performance.now();
      phone.heard += `${method} `;
    };
    const wire = await openWebSocket(system.wsUrl);
    const options = { expires: registeredS, answer: webrtcAnswer, heard };
    const agent = createAgent(wire, { login, domain, password, ...options });
    if (await agent.register() !== 200) throw new Error(`${login} cannot register`);
    const request = client.form(`${api}Calls.json`, {
      From: "bench",
      To: `client:${login}`,
      Url: `${app.url}/voice`,
      StatusCallback: `${app.url}/events`,
      StatusCallbackEvent: "initiated ringing answered completed",
    });
    const phone: Phone = { agent, request, heard: "" };
    phones.push(phone);
  }
  await post("Clients.json", {
    Login: "caller",
    Password: "caller-secret",
    VoiceUrl: `${app.url}/in`,
  });
  const caller = await openSoftphone({
    url: system.wsUrl,
    login: "caller",
    password: "caller-secret",
    domain,
    connect: (url) => new WsSocket(url, ["sip"]) as unknown as WebSocket, // It has what is used here.
  });
  await caller.register();
  const sound = await plainSocket();
  const pidOf = (script: "main.ts" | "sip/main.ts") => system.pids(script)[0]!; // Both run.
  const pids = { service: pidOf("main.ts"), companion: pidOf("sip/main.ts") };
  const load: CallLoad = {
    system,
    appUrl: app.url,
    callbacks: 0,
    post,
    async call(number) {
      const phone = phones[number]!; // One for each number.
      const startedAt = performance.now();
      const call: Call = {
        startedAt,
        told: new Set(),
        invited: NaN,
        ended: Promise.withResolvers(),
      };
      phone.heard = "";
      phone.call = call;
      const { sid } = JSON.parse(await client.send(phone.request));
      calls.set(sid, call);
      for (const body of early.get(sid) ?? []) tell(call, body);
      early.delete(sid);
      await call.ended.promise.catch(async (error) => {
        throw new Error(`${error.message}\n${await explain(system, sid)}`, { cause: error });
      }).finally(() => calls.delete(sid));
      if (phone.heard !== "INVITE ACK BYE ") throw new Error(`${sid} was heard as ${phone.heard}`);
      return { invited: call.invited - startedAt, over: performance.now() - startedAt };
    },
    async callIn() {
      const startedAt = performance.now();
      const call = caller.call("answer", { sdp: plainOffer(sound.port) });
      const { status } = await call.final;
      if (status !== 200) throw new Error(`The call was answered ${status}`);
      const took = performance.now() - startedAt;
      await (await call.answered).bye();
      return took;
    },
    cpu: () => ({
      service: cpuSeconds(pids.service),
      companion: cpuSeconds(pids.companion),
      generator: cpuSeconds(Deno.pid),
    }),
    size: () => ({
      service: residentBytes(pids.service),
      companion: residentBytes(pids.companion),
      store: bytesOf(`${system.directory}/switchboard.db`),
    }),
    async [Symbol.asyncDispose]() {
      sound.close();
      for (const { agent } of phones) agent.close();
      client[Symbol.dispose]();
      await caller.close();
      await system[Symbol.asyncDispose]();
      app[Symbol.dispose]();
    },
  };
  return load;
}

/** Reason for the end of a call, as far as the service can tell. */
async function explain(system: System, sid: string): Promise<string> {
  const progress = await system.get(`Calls/${sid}/Progress.json`);
  const { notifications } = await system.get(`Calls/${sid}/Notifications.json`);
  const lines = system.output().split("\n").filter((line) => line.includes(sid));
  return [JSON.stringify(progress), JSON.stringify(notifications), ...lines].join("\n");
}

/** A field of a form, of those whose values need no escapes. */
const fieldOf = (body: string, name: string): string => {
  const at = `&${body}`.indexOf(`&${name}=`);
  if (at < 0) return "";
  const end = body.indexOf("&", at);
  return body.slice(at + name.length + 1, end < 0 ? undefined : end);
};

/** A sorted list's value at a part of its length. */
export const at = (values: number[], part: number): number =>
  values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? NaN;

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))!;
  return Number(kilobytes) * 1_024;
}

const bytesOf = (path: string): number =>
  ["", "-wal"].reduce((sum, end) => {
    try {
      return sum + Deno.statSync(path + end).size;
    } catch {
      return sum;
    }
  }, 0);
