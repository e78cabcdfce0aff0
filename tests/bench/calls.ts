import { eventually } from "../support/process/eventually.ts";
import { at, type CallLoad, type Cpu, startCallLoad } from "./call_load.ts";

/**
 * `deno task bench:calls`: calls a second from POST to the `completed` callback, each with four
 * callbacks, with 100 scripted softphones (PHONES) on the loopback, one at a time and all at once.
 * The delay from POST to the arrival of the INVITE, and that of a softphone's INVITE until the 200
 * by markup. The CPU time of service, companion and load generator for each call. Beside them, in
 * the same run: the HTTP round trip of /health, durable creates of an application, and POSTs of
 * calls to missing phones. Of these, the rates of responses and of ended calls, and the time until
 * the last call has failed. With OLD, the path of another checkout, that one is driven in turn:
 * single processes differ by a third.
 */

const phones = Number(Deno.env.get("PHONES") ?? 100);
const seconds = Number(Deno.env.get("SECONDS") ?? 10);
/** In each round all figures are measured: the speed of a shared machine changes from second to second. */
const rounds = 5;
/** V8 compiles a function once it was used a thousand times: a call costs half as much again before. */
const warmSeconds = Number(Deno.env.get("WARM") ?? 20);
const old = Deno.env.get("OLD");

interface Figures {
  count: number;
  perSecond: number;
  /** The same, by the time until all work is done, if that takes longer. */
  overPerSecond?: number;
  /** In ms, sorted. */
  delays: number[];
  /** CPU time of each, in ms. */
  cpu: Cpu;
}

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
const ms = (value: number) => `${value.toFixed(1)} ms`;

/**
 * Repeats `once` in `width` loops for a time; each returns a delay in ms. The CPU time is that
 * until `over` resolves, as work left over would count in the next measurement.
 */
async function measure(
  load: CallLoad,
  width: number,
  once: (loop: number) => Promise<number>,
  over?: () => Promise<unknown>,
): Promise<Figures> {
  const delays: number[] = [];
  const before = load.cpu();
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000 / rounds;
  await Promise.all(Array.from({ length: width }, async (_, loop) => {
    while (performance.now() < until) delays.push(await once(loop));
  }));
  const elapsedS = (performance.now() - startedAt) / 1_000;
  await over?.();
  const overS = (performance.now() - startedAt) / 1_000;
  const after = load.cpu();
  const each = (part: keyof Cpu) => (after[part] - before[part]) * 1_000 / delays.length;
  return {
    count: delays.length,
    perSecond: delays.length / elapsedS,
    ...over && { overPerSecond: delays.length / overS },
    delays: delays.toSorted((a, b) => a - b),
    cpu: cpuOf(each),
  };
}

const cpuOf = (part: (name: keyof Cpu) => number): Cpu => ({
  service: part("service"),
  companion: part("companion"),
  generator: part("generator"),
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Measurements of one checkout, by name. */
function tasks(load: CallLoad): Record<string, () => Promise<Figures>> {
  const { system, appUrl } = load;
  const health = async () => await (await fetch(`${system.baseUrl}/health`)).text();
  const nobody = { From: "bench", To: "client:nobody", Url: `${appUrl}/voice` };
  const noneQueued = () =>
    eventually("all calls have failed", async () => {
      const { total } = await system.get("Calls.json?Status=queued&PageSize=1");
      return total === 0;
    });
  const invited = async (number: number) => (await load.call(number)).invited;
  return {
    "GET /health": () => measure(load, 1, () => timed(health)),
    "create of an application": () =>
      measure(
        load,
        1,
        () => timed(() => load.post("Applications.json", { FriendlyName: "bench" })),
      ),
    "INVITE to 200 by markup": () => measure(load, 1, load.callIn),
    "calls, one at a time": () => measure(load, 1, invited),
    [`calls, ${phones} at once`]: () => measure(load, phones, invited),
    "POST Calls to nobody": () =>
      measure(load, phones, () => timed(() => load.post("Calls.json", nobody)), noneQueued),
  };
}

/** The mean of rounds, with the delays of all. */
function together(all: Figures[]): Figures {
  const mean = (of: (figures: Figures) => number) =>
    all.reduce((sum, figures) => sum + of(figures), 0) / all.length;
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    perSecond: mean(({ perSecond }) => perSecond),
    ...all[0]?.overPerSecond !== undefined &&
      { overPerSecond: mean(({ overPerSecond = NaN }) => overPerSecond) },
    delays: all.flatMap(({ delays }) => delays).sort((a, b) => a - b),
    cpu: cpuOf((part) => mean(({ cpu }) => cpu[part])),
  };
}

function print(name: string, figures: Map<string, Figures>): void {
  log(name);
  for (const [what, { perSecond, overPerSecond, delays, cpu }] of figures) {
    const over = overPerSecond === undefined ? "" : ` (over: ${overPerSecond.toFixed(1)}/s)`;
    log(
      `  ${what.padEnd(26)} ${perSecond.toFixed(1).padStart(7)}/s${over}, median ${
        ms(at(delays, 0.5))
      }, p99 ${ms(at(delays, 0.99))}, CPU ${ms(cpu.service)} service, ${
        ms(cpu.companion)
      } companion, ${ms(cpu.generator)} generator`,
    );
  }
  const of = (what: string): Figures => figures.get(what)!; // One for each of `tasks`.
  const create = of("create of an application");
  const [alone, many] = [of("calls, one at a time"), of(`calls, ${phones} at once`)];
  const ratio = (value: number) => value.toFixed(1);
  log(
    `  CPU of the service a call, of that of a create  ${
      ratio(many.cpu.service / create.cpu.service)
    }`,
  );
  log(
    `  POST to INVITE at once, of that alone           ${
      ratio(at(many.delays, 0.5) / at(alone.delays, 0.5))
    }; p99 of the median ${ratio(at(many.delays, 0.99) / at(many.delays, 0.5))}`,
  );
}

const loads = new Map<string, CallLoad>();
if (old !== undefined) loads.set(`old: ${old}`, await startCallLoad({ phones, root: old }));
loads.set("this checkout", await startCallLoad({ phones }));
const found = new Map([...loads.keys()].map((name) => [name, new Map<string, Figures[]>()]));
for (const load of loads.values()) { // Warms the path up.
  const until = performance.now() + warmSeconds * 1_000;
  await Promise.all(Array.from({ length: phones }, async (_, number) => {
    while (performance.now() < until) await load.call(number);
  }));
}
const [names] = [...loads.values()].map((load) => Object.keys(tasks(load)));
for (let round = 0; round < rounds; round++) {
  for (const task of names ?? []) {
    for (const [name, load] of loads) {
      const figures = await tasks(load)[task]!(); // Of the same names.
      const all = found.get(name)!; // Of each load.
      all.set(task, [...all.get(task) ?? [], figures]);
    }
  }
}
for (const [name, figures] of found) {
  print(name, new Map([...figures].map(([task, all]) => [task, together(all)])));
}
for (const load of loads.values()) await load[Symbol.asyncDispose]();
