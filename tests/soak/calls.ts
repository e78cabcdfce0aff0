import { at, type CallTimes, startCallLoad } from "../bench/call_load.ts";

/**
 * `deno task soak:calls`: calls at 60 % of the most (SHARE) for 30 minutes (MINUTES), on an
 * embedded file. The most is measured first, once the V8 of both is warm. Each minute it prints the
 * durations of calls, the least and the most memory of service and companion, and the growth of the
 * store for each call; at the end the slopes of all of these. Most of the memory is garbage that V8
 * has not collected yet, so the least of a third of the minutes shows the memory in use. It leaves
 * out the first third of all minutes, and compares the first third of the others with the last. It
 * fails if a process has grown by more than 1 MB a minute, if a call takes twice as long or the
 * store grows by a quarter more for each, and if a call fails.
 */

const minutes = Number(Deno.env.get("MINUTES") ?? 30);
const share = Number(Deno.env.get("SHARE") ?? 0.6);
const phones = Number(Deno.env.get("PHONES") ?? 50);
const [warmSeconds, mostSeconds] = [30, 30];

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
const mb = (bytes: number) => bytes / (1 << 20);

interface Minute {
  /** Calls that were not made, as all phones were called, and those that failed. */
  skipped: number;
  failed: number;
  /** In ms, sorted. */
  invited: number[];
  over: number[];
  /** Bytes, as of each second. */
  service: number[];
  companion: number[];
  store: number;
  storePerCall: number;
}

/** The slope of values that are a minute apart, by least squares. */
function slope(values: number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  return values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0) / square;
}

await using load = await startCallLoad({ phones });

/** Calls a second, as many as there can be. */
async function most(seconds: number): Promise<number> {
  const startedAt = performance.now();
  let made = 0;
  await Promise.all(Array.from({ length: phones }, async (_, number) => {
    for (; performance.now() - startedAt < seconds * 1_000; made++) await load.call(number);
  }));
  return made * 1_000 / (performance.now() - startedAt);
}

await most(warmSeconds);
const mostPerSecond = await most(mostSeconds);
const perSecond = share * mostPerSecond;
log(`${mostPerSecond.toFixed(1)} calls a second at most; ${perSecond.toFixed(1)} from now on`);

type Sizes = ReturnType<typeof load.size>;

/**
 * Begins calls at a constant rate, each at a free phone. Returns their durations, and the memory
 * each second.
 */
async function minute(): Promise<
  Pick<Minute, "skipped" | "failed"> & { times: CallTimes[]; sizes: Sizes[] }
> {
  const times: CallTimes[] = [];
  let [skipped, failed] = [0, 0];
  const free = Array.from({ length: phones }, (_, number) => number);
  const calls: Promise<void>[] = [];
  const sizes: Sizes[] = [];
  const looks = setInterval(() => sizes.push(load.size()), 1_000);
  const begunAt = performance.now();
  for (let n = 0; n < 60 * perSecond; n++) {
    const wait = begunAt + n * 1_000 / perSecond - performance.now();
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait));
    const phone = free.shift();
    if (phone === undefined) {
      skipped++; // The rate is too high for this moment.
      continue;
    }
    const calling = load.call(phone).then((one) => void times.push(one), (error) => {
      failed++;
      log(String(error));
    });
    calls.push(calling.then(() => void free.push(phone)));
  }
  await Promise.all(calls);
  clearInterval(looks);
  return { times, skipped, failed, sizes };
}

const memory = (bytes: number[]) =>
  `${mb(Math.min(...bytes)).toFixed(0)} to ${mb(Math.max(...bytes)).toFixed(0)} MB`;

const firstMinutes = Math.floor(minutes / 3);
const all: Minute[] = [];
let stored = load.size().store;
for (let n = 1; n <= minutes; n++) {
  const { times, sizes, ...missed } = await minute();
  const sorted = (part: keyof CallTimes) => times.map((one) => one[part]).sort((a, b) => a - b);
  const { store } = load.size();
  const perCall = (store - stored) / times.length;
  const one: Minute = {
    ...missed,
    service: sizes.map(({ service }) => service),
    companion: sizes.map(({ companion }) => companion),
    store,
    invited: sorted("invited"),
    over: sorted("over"),
    storePerCall: perCall,
  };
  all.push(one);
  stored = store;
  log(
    `minute ${n}: ${times.length} calls, ${one.skipped} skipped, POST to INVITE ${
      at(one.invited, 0.5).toFixed(1)
    } ms, p99 ${at(one.invited, 0.99).toFixed(1)}; to completed ${
      at(one.over, 0.5).toFixed(1)
    } ms, p99 ${at(one.over, 0.99).toFixed(1)}; ` +
      `service ${memory(one.service)}, companion ${memory(one.companion)}, ` +
      `store ${perCall.toFixed(0)} bytes a call`,
  );
}

const settled = all.slice(firstMinutes);
const problems: string[] = [];

/** Prints the first and the last of values after the first third, and their slope. */
function course(what: string, of: (minute: Minute) => number, unit: string) {
  const values = settled.map(of);
  const [first, last] = [values[0]!, values.at(-1)!]; // MINUTES is 1 or more.
  const growth = slope(values).toFixed(2);
  log(`${what}: ${first.toFixed(1)} to ${last.toFixed(1)} ${unit}, ${growth} a minute`);
  return last;
}

// A checkpoint of the file, or work of others on the machine, may fall into any minute.
const third = Math.max(1, Math.floor(settled.length / 3));
const [firstThird, lastThird] = [settled.slice(0, third), settled.slice(-third)];

/** The means of the first and of the last third of these minutes. */
function thirds(of: (minute: Minute) => number): [number, number] {
  const mean = (some: Minute[]) => some.reduce((sum, one) => sum + of(one), 0) / some.length;
  return [mean(firstThird), mean(lastThird)];
}

for (const part of ["service", "companion"] as const) {
  course(`least memory of the ${part}`, (one) => mb(Math.min(...one[part])), "MB");
  const least = (some: Minute[]) => mb(Math.min(...some.flatMap((one) => one[part])));
  const [first, last] = [least(firstThird), least(lastThird)];
  const growth = (last - first) / Math.max(1, settled.length - third);
  log(`${part}: ${first.toFixed(1)} to ${last.toFixed(1)} MB, ${growth.toFixed(2)} a minute`);
  if (growth > 1) problems.push(`the ${part} grows by ${growth.toFixed(2)} MB a minute`);
}
for (const part of ["invited", "over"] as const) {
  const what = part === "invited" ? "POST to INVITE" : "POST to completed";
  const median = (one: Minute) => at(one[part], 0.5);
  course(`${what}, median`, median, "ms");
  course(`${what}, p99`, (one) => at(one[part], 0.99), "ms");
  const [before, after] = thirds(median);
  log(`${what}: ${before.toFixed(1)} to ${after.toFixed(1)} ms`);
  if (after > 2 * before) problems.push(`${what} takes ${after.toFixed(0)} ms after ${before}`);
}
const fileMb = course("store", (one) => mb(one.store), "MB");
const [before, after] = thirds((one) => one.storePerCall);
log(`store: ${before.toFixed(0)} to ${after.toFixed(0)} bytes a call, ${fileMb.toFixed(0)} MB`);
if (after > 1.25 * before) problems.push(`a call takes ${after.toFixed(0)} bytes of the store`);
const missed = (part: "skipped" | "failed") => all.reduce((sum, one) => sum + one[part], 0);
log(`calls: ${missed("skipped")} skipped, as all phones were called; ${missed("failed")} failed`);
if (missed("failed") > 0) problems.push(`${missed("failed")} calls failed`);
if (problems.length > 0) throw new Error(problems.join("; "));
