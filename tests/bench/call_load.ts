import { WebSocket as WsSocket } from "ws";
import { openSoftphone } from "../support/sip/softphone.ts";
import { plainOffer, plainSocket } from "../support/sip/plain_peer.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";
import { cpuSeconds } from "./process_cpu.ts";

/** How long parts of a call took from its POST on, in ms. */
export interface CallTimes {
  /** Until its INVITE arrived. */
  invited: number;
  /** Until its `completed` callback. */
  over: number;
}

/** Service and companion with scripted softphones, and the server that their calls ask. */
export interface CallLoad extends AsyncDisposable {
  readonly system: System;
  readonly appUrl: string;
  /** Callbacks that have come. */
  callbacks: number;
  /** Calls a softphone, which rings and answers; the document hangs up. Four callbacks tell of it. */
  call(phone: number): Promise<CallTimes>;
  /**
   * Has a softphone call in, and hangs up; how long the 200 took from the INVITE on, in ms, with the
   * request of the document that answers.
   */
  callIn(): Promise<number>;
  /** CPU seconds that the processes have used so far. */
  cpu(): { service: number; companion: number };
  /** Bytes of memory that the processes have now, and of the file of the store. */
  size(): { service: number; companion: number; store: number };
}

/** The phones stay registered for longer than any soak. */
const registeredS = 7_200;
const unanswered = new Set(["busy", "failed", "no-answer", "canceled"]);

const neverRang = (): never => {
  throw new Error("A call was completed whose INVITE did not come");
};

/** `root`: where the programs are; this working tree unless given. */
export async function startCallLoad(
  { phones, root }: { phones: number; root?: string },
): Promise<CallLoad> {
  const app = startAppServer();
  app.pages.set("/voice", "<Response><Hangup/></Response>");
  const env = { REQUESTS_PER_SECOND: "0" };
  const system = await startSystem({ env, ...root !== undefined && { root } });
  const over = new Map<string, PromiseWithResolvers<void>>();
  const ending = (sid: string) => {
    const found = over.get(sid) ?? Promise.withResolvers<void>();
    over.set(sid, found);
    return found;
  };
  app.onRequest = (path, { CallSid = "", CallStatus }) => {
    app.requests.length = 0;
    if (path !== "/events") return;
    load.callbacks++;
    if (CallStatus === "completed") ending(CallSid).resolve();
    else if (unanswered.has(CallStatus ?? "")) {
      const failure = new Error(`${CallSid} ended with ${CallStatus}`);
      ending(CallSid).reject(failure);
    }
  };
  const invited = new Map<number, () => void>();
  for (let number = 0; number < phones; number++) {
    const phone = await system.phone(`bench${number}`);
    await phone.register({ expires: registeredS });
    phone.onCall = async (ringing) => {
      invited.get(number)?.();
      ringing.ring();
      await ringing.answer(webrtcAnswer(ringing.invite.body));
    };
  }
  app.pages.set("/in", "<Response><Pause length='60'/></Response>");
  const form = { Login: "caller", Password: "caller-secret", VoiceUrl: `${app.url}/in` };
  await system.post("Clients.json", form);
  const caller = await openSoftphone({
    url: system.wsUrl,
    login: "caller",
    password: "caller-secret",
    domain: "localhost",
    connect: (url) => new WsSocket(url, ["sip"]) as unknown as WebSocket, // It has what is used here.
  });
  await caller.register();
  const sound = await plainSocket();
  const pidOf = (script: "main.ts" | "sip/main.ts") => system.pids(script)[0]!; // Both run.
  const load: CallLoad = {
    system,
    appUrl: app.url,
    callbacks: 0,
    async call(number) {
      const rang = Promise.withResolvers<number>();
      const startedAt = performance.now();
      invited.set(number, () => rang.resolve(performance.now() - startedAt));
      const { sid } = await system.post("Calls.json", {
        From: "bench",
        To: `client:bench${number}`,
        Url: `${app.url}/voice`,
        StatusCallback: `${app.url}/events`,
        StatusCallbackEvent: "initiated ringing answered completed",
      });
      const { promise: ended } = ending(sid);
      const times = { invited: await Promise.race([rang.promise, ended.then(neverRang)]), over: 0 };
      await ended;
      over.delete(sid);
      return { ...times, over: performance.now() - startedAt };
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
      service: cpuSeconds(pidOf("main.ts")),
      companion: cpuSeconds(pidOf("sip/main.ts")),
    }),
    size: () => ({
      service: residentBytes(pidOf("main.ts")),
      companion: residentBytes(pidOf("sip/main.ts")),
      store: bytesOf(`${system.directory}/switchboard.db`),
    }),
    async [Symbol.asyncDispose]() {
      sound.close();
      await caller.close();
      await system[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
  return load;
}

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
