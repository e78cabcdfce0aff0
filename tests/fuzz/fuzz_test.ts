import assert from "node:assert/strict";
import { fuzz, newSeed } from "./fuzz.ts";
import { randomOf } from "./generator.ts";
import { planted } from "./planted.ts";
import { shares, targetNames } from "./target.ts";

/** Seconds of all targets together; `deno task fuzz` goes on without end. */
const total = Number(Deno.env.get("FUZZ_SECONDS") ?? (Deno.env.get("CI") === undefined ? 5 : 52));
const whole = Object.values(shares).reduce((sum, share) => sum + share, 0);

for (const name of targetNames) {
  Deno.test({
    name: `whatever is sent, what must hold of ${name} holds`,
    timeout: 180_000,
    async fn() {
      const seed = newSeed();
      const { cases, failure } = await fuzz({ name, seed, seconds: total * shares[name] / whole });
      assert.equal(
        failure,
        undefined,
        `${failure?.why}\nRepeat it by: deno task fuzz ${failure?.seed}/${name}`,
      );
      assert.ok(cases > 0, `no case of ${name} was run`);
    },
  });
}

const plants = {
  throwing: /a planted bug/,
  hanging: /it took more than 2000 ms/,
  rejecting: /nothing took this rejection: Error: a planted rejection/,
  keeping: /it keeps too much/,
} as const;

for (const name of ["throwing", "hanging", "rejecting", "keeping"] as const) {
  Deno.test({
    name: `fuzz() finds a target that is ${name}, and names the case`,
    timeout: 120_000,
    async fn() {
      const { failure } = await fuzz({ name, seed: newSeed(), seconds: 60, hangMs: 2_000 });
      assert.match(failure?.why ?? "it found nothing", plants[name]);
      const { throwing } = planted;
      if (name === "throwing") {
        assert.throws(() => throwing.run(randomOf(failure!.seed)), /planted/);
      }
    },
  });
}
