import assert from "node:assert/strict";
import { fuzz, type FuzzReport, newSeed } from "./fuzz.ts";
import { randomOf } from "./generator.ts";
import { type Planted, planted } from "./planted.ts";
import { shares, type TargetName } from "./target.ts";

/** Seconds of each lane; `deno task fuzz` goes on without end. */
const laneSeconds = Number(
  Deno.env.get("FUZZ_SECONDS") ?? (Deno.env.get("CI") === undefined ? 4 : 60),
);

/** Targets that are run one after the other; the lanes run beside each other. */
const lanes: TargetName[][] = [
  ["dtls", "webrtc"],
  ["stun", "srtp", "sdp", "sip", "web_socket", "markup"],
];

/** Starts both lanes at once, so that all targets together take no longer than one lane. */
function startAll(): Map<TargetName, Promise<FuzzReport>> {
  const reports = new Map<TargetName, Promise<FuzzReport>>();
  for (const lane of lanes) {
    const whole = lane.reduce((sum, name) => sum + shares[name], 0);
    let before: Promise<unknown> = Promise.resolve();
    for (const name of lane) {
      const seconds = laneSeconds * shares[name] / whole;
      const report = before.then(() => fuzz({ name, seed: newSeed(), seconds }));
      before = report;
      reports.set(name, report);
    }
  }
  return reports;
}

let reports: Map<TargetName, Promise<FuzzReport>> | undefined;

for (const name of lanes.flat()) {
  Deno.test({
    name: `whatever is sent, what must hold of ${name} holds`,
    timeout: 300_000,
    // The other lane goes on while this test ends.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      reports ??= startAll();
      const { cases, failure } = await reports.get(name)!;
      assert.equal(
        failure,
        undefined,
        `${failure?.why}\nRepeat it by: deno task fuzz ${failure?.seed}/${name}`,
      );
      assert.ok(cases > 0, `no case of ${name} was run`);
    },
  });
}

Deno.test("every target is in one lane", () => {
  assert.deepEqual(lanes.flat().sort(), Object.keys(shares).sort());
});

const plants: Record<Planted, RegExp> = {
  throwing: /a planted bug/,
  hanging: /it took more than 2000 ms/,
  rejecting: /nothing took this rejection: Error: a planted rejection/,
  keeping: /it keeps too much/,
};

for (const [name, why] of Object.entries(plants) as [Planted, RegExp][]) {
  Deno.test({
    name: `fuzz() finds a target that is ${name}, and names the case`,
    timeout: 120_000,
    async fn() {
      const { failure } = await fuzz({ name, seed: newSeed(), seconds: 60, hangMs: 2_000 });
      assert.match(failure?.why ?? "it found nothing", why);
      const { throwing } = planted;
      if (name === "throwing") {
        assert.throws(() => throwing.run(randomOf(failure!.seed)), /planted/);
      }
    },
  });
}
