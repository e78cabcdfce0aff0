import { at, type CallTimes, startCallLoad } from "../bench/call_load.ts";

/**
 * `deno task soak:calls`: calls at 60 % of the most (SHARE) for 30 minutes (MINUTES), on an embedded
 * file. Each minute it prints what calls took, the memory of service and companion, and what the store
 * grew by for each call. It fails where memory grows by more than 1 MB a minute after the first third,
 * or a call takes twice as long at the end.
 */

const minutes = Number(Deno.env.get("MINUTES") ?? 30);
const share = Number(Deno.env.get("SHARE") ?? 0.6);
const phones = Number(Deno.env.get("PHONES") ?? 50);
const mostSeconds = 15;

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
const mb = (bytes: number) => bytes / (1 << 20);

interface Minute {
  /** In ms, sorted. */
  invited: number[];
  over: number[];
  service: number;
  companion: number;
  store: number;
}

/** The slope of values that are a minute apart, by least squares. */
function slope(values: number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  return values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0) / square;
}

await using load = await startCallLoad({ phones });
const startedAt = performance.now();
let warm = 0;
await Promise.all(Array.from({ length: phones }, async (_, number) => {
  for (; performance.now() - startedAt < mostSeconds * 1_000; warm++) await load.call(number);
}));
const perSecond = share * warm / mostSeconds;
log(
  `${(warm / mostSeconds).toFixed(1)} calls a second at most; ${perSecond.toFixed(1)} from now on`,
);

/** Begins calls at a steady rate, each at a free phone; what they took. */
async function minute(): Promise<CallTimes[]> {
  const times: CallTimes[] = [];
  const free = Array.from({ length: phones }, (_, number) => number);
  const calls: Promise<void>[] = [];
  const begunAt = performance.now();
  for (let n = 0; n < 60 * perSecond; n++) {
    const wait = begunAt + n * 1_000 / perSecond - performance.now();
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait));
    const phone = free.shift();
    if (phone === undefined) continue; // All are called: the rate is too high for this moment.
    calls.push(
      load.call(phone).then((one) => {
        times.push(one);
        free.push(phone);
      }),
    );
  }
  await Promise.all(calls);
  return times;
}

const all: Minute[] = [];
let stored = load.size().store;
for (let n = 1; n <= minutes; n++) {
  const times = await minute();
  const sorted = (part: keyof CallTimes) => times.map((one) => one[part]).sort((a, b) => a - b);
  const size = load.size();
  const one = { invited: sorted("invited"), over: sorted("over"), ...size };
  all.push(one);
  const perCall = (size.store - stored) / times.length;
  stored = size.store;
  log(
    `minute ${n}: ${times.length} calls, POST to INVITE ${
      at(one.invited, 0.5).toFixed(1)
    } ms, p99 ${at(one.invited, 0.99).toFixed(1)}; to completed ${
      at(one.over, 0.5).toFixed(1)
    } ms, p99 ${at(one.over, 0.99).toFixed(1)}; ` +
      `service ${mb(size.service).toFixed(0)} MB, companion ${mb(size.companion).toFixed(0)} MB, ` +
      `store ${perCall.toFixed(0)} bytes a call`,
  );
}

const settled = all.slice(Math.floor(minutes / 3));
const problems: string[] = [];
for (const part of ["service", "companion"] as const) {
  const growth = slope(settled.map((one) => mb(one[part])));
  log(`memory of the ${part}: ${growth.toFixed(2)} MB a minute`);
  if (growth > 1) problems.push(`the ${part} grows by ${growth.toFixed(2)} MB a minute`);
}
const [first, last] = [settled[0], settled.at(-1)].map((one) => at(one?.over ?? [], 0.5));
if (last! > 2 * first!) {
  problems.push(`a call takes ${last!.toFixed(0)} ms after ${first!.toFixed(0)}`);
}
if (problems.length > 0) throw new Error(problems.join("; "));
