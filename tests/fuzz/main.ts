// deno-lint-ignore-file no-console -- a command talks to whoever runs it
import { fuzz, newSeed } from "./fuzz.ts";
import { randomOf } from "./generator.ts";
import { isTarget, loadTarget, shares, type TargetName, targetNames } from "./target.ts";

/**
 * deno task fuzz                 every target in turn, without end
 * deno task fuzz SECONDS         the same, for so long
 * deno task fuzz TARGET …        these targets, without end; with SECONDS, for so long
 * deno task fuzz SEED/TARGET     one case again, as a failure names it
 */

const USAGE = `Usage: deno task fuzz [SECONDS] [TARGET …] | SEED/TARGET
Targets: ${targetNames.join(", ")}`;

/** A handshake has other keys each time it runs: a failure may take several. */
const REPEATS = 200;

/** Runs one case in this thread, where a debugger sees it. */
async function repeat(seed: number, name: TargetName): Promise<void> {
  const target = await loadTarget(name);
  for (let i = 0; i < REPEATS; i++) await target.run(randomOf(seed));
  console.log(`${seed}/${name} held ${REPEATS} times`);
}

/** Runs targets in turn, as their shares are, until one fails; returns whether all held. */
async function fuzzAll(names: readonly TargetName[], seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1_000;
  const total = names.reduce((sum, name) => sum + shares[name], 0);
  for (let rounds = 0; performance.now() < until; rounds++) {
    const left = (until - performance.now()) / 1_000;
    for (const name of names) {
      const seed = newSeed();
      const share = shares[name] / total * Math.min(left, total);
      const { cases, failure } = await fuzz({ name, seed, seconds: share });
      console.log(`${name}: ${cases} cases from ${seed}/${name} on`);
      if (failure === undefined) continue;
      console.error(`${name} failed: ${failure.why}`);
      console.error(`Repeat it by: deno task fuzz ${failure.seed}/${name}`);
      return false;
    }
  }
  return true;
}

const [seed = "", name = ""] = Deno.args[0]?.split("/") ?? [];
if (/^\d+$/.test(seed) && isTarget(name)) await repeat(Number(seed), name);
else {
  const names = Deno.args.filter(isTarget);
  const [seconds = Infinity, ...more] = Deno.args.filter((arg) => !isTarget(arg)).map(Number);
  if (!(seconds > 0) || more.length > 0) {
    console.error(USAGE);
    Deno.exit(2);
  }
  if (!await fuzzAll(names.length > 0 ? names : targetNames, seconds)) Deno.exit(1);
}
