import { startAppServer } from "../support/service/app_server.ts";
import type { Softphone } from "../support/sip/softphone.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

/**
 * `deno task bench:calls`: calls per second from POST to the `completed` callback with 100 scripted
 * softphones on the loopback, and the delay from POST to the INVITE arriving. Beside them, in the
 * same run: the HTTP round trip of /health, and POSTs whose calls nobody can answer, which is what
 * REST, store and jobs cost without SIP and media.
 */

const phones = 100;
const seconds = 10;

interface Figures {
  perSecond: number;
  /** In ms, sorted. */
  delays: number[];
}

const at = (values: number[], part: number) =>
  values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? NaN;
const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Repeats `once` in `width` loops for the bench's time; each returns a delay in ms. */
async function measure(width: number, once: (loop: number) => Promise<number>): Promise<Figures> {
  const delays: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  await Promise.all(Array.from({ length: width }, async (_, loop) => {
    while (performance.now() < until) delays.push(await once(loop));
  }));
  const elapsedS = (performance.now() - startedAt) / 1000;
  return { perSecond: delays.length / elapsedS, delays: delays.toSorted((a, b) => a - b) };
}

/** CPU seconds used so far by the processes of a script. */
function cpuSeconds(system: System, script: "main.ts" | "sip/main.ts"): number {
  const [pid] = system.pids(script);
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

await using app = startAppServer();
app.pages.set("/voice", "<Response><Hangup/></Response>");
await using system = await startSystem({ env: { REQUESTS_PER_SECOND: "0" } });

const completed = new Map<string, () => void>();
app.onRequest = (path, form) => path === "/events" && completed.get(form.CallSid ?? "")?.();
const invited = new Map<number, () => void>();
const lines: Softphone[] = [];
for (let number = 0; number < phones; number++) {
  const phone = await system.phone(`bench${number}`);
  phone.onCall = async (ringing) => {
    invited.get(number)?.();
    await ringing.answer(webrtcAnswer(ringing.invite.body));
  };
  lines.push(phone);
}

async function call(number: number): Promise<number> {
  const rang = Promise.withResolvers<number>();
  const startedAt = performance.now();
  invited.set(number, () => rang.resolve(performance.now() - startedAt));
  const over = Promise.withResolvers<void>();
  const { sid } = await system.post("Calls.json", {
    From: "bench",
    To: `client:bench${number}`,
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
  });
  completed.set(sid, over.resolve);
  if (app.sent("/events").some(({ CallSid }) => CallSid === sid)) over.resolve();
  const delay = await rang.promise;
  await over.promise;
  completed.delete(sid);
  app.requests.length = 0;
  return delay;
}

const health = await measure(
  1,
  () => timed(async () => await (await fetch(`${system.baseUrl}/health`)).text()),
);
const nobody = { From: "bench", To: "client:nobody", Url: `${app.url}/voice` };
const posts = await measure(phones, () => timed(() => system.post("Calls.json", nobody)));
await measure(1, call); // Warms the path up.
const alone = await measure(1, call);
const [service, companion] = [cpuSeconds(system, "main.ts"), cpuSeconds(system, "sip/main.ts")];
const calls = await measure(phones, call);
const spent = (script: "main.ts" | "sip/main.ts", before: number) =>
  ms((cpuSeconds(system, script) - before) * 1000 / calls.delays.length);

log(
  `GET /health, one at a time      ${health.perSecond.toFixed(0)}/s, median ${
    ms(at(health.delays, 0.5))
  }`,
);
log(`POST Calls to nobody, ${phones} wide  ${posts.perSecond.toFixed(0)}/s`);
log(`calls, one at a time            ${alone.perSecond.toFixed(1)}/s`);
log(
  `  POST to INVITE                median ${ms(at(alone.delays, 0.5))}, p99 ${
    ms(at(alone.delays, 0.99))
  }`,
);
log(`calls, ${phones} softphones           ${calls.perSecond.toFixed(1)}/s`);
log(
  `  POST to INVITE                median ${ms(at(calls.delays, 0.5))}, p99 ${
    ms(at(calls.delays, 0.99))
  }`,
);
log(
  `  CPU a call                    service ${spent("main.ts", service)}, companion ${
    spent("sip/main.ts", companion)
  }`,
);
log(`ratio of calls to POSTs         ${(calls.perSecond / posts.perSecond).toFixed(3)}`);
log(
  `ratio of POST to INVITE to one HTTP round trip  ${
    (at(alone.delays, 0.5) / at(health.delays, 0.5)).toFixed(1)
  }`,
);
