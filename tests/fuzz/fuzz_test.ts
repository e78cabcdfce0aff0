import assert from "node:assert/strict";
import { fuzz, type FuzzReport, newSeed } from "./fuzz.ts";
import { randomOf } from "./generator.ts";
import { type Planted, planted } from "./planted.ts";
import { shares, type TargetName } from "./target.ts";

/** Seconds of each lane; `deno task fuzz` goes on without end. */
const laneSeconds = Number(
  Deno.env.get("FUZZ_SECONDS") ?? (Deno.env.get("CI") === undefined ? 4 : 40),
);

/** Targets that are run one after the other; the lanes run beside each other. */
const lanes: TargetName[][] = [
  ["dtls", "webrtc"],
  ["stun", "srtp", "sdp", "sip", "markup", "numbers", "cpim"],
  ["cost"],
];

/** Planted faults, and the expected reports. */
const plants: Record<Planted, RegExp> = {
  throwing: /a planted bug/,
  hanging: /it took more than 2000 ms/,
  rejecting: /nothing took this rejection: Error: a planted rejection/,
  keeping: /it keeps too much/,
};
const plantNames = Object.keys(plants) as Planted[];

/** Starts all lanes at once, so that all targets together take no longer than one lane. */
function startAll(): Map<TargetName | Planted, Promise<FuzzReport>> {
  const reports = new Map<TargetName | Planted, Promise<FuzzReport>>();
  const startLane = <Name extends TargetName | Planted>(
    names: readonly Name[],
    run: (name: Name) => Promise<FuzzReport>,
  ) => {
    let before: Promise<unknown> = Promise.resolve();
    for (const name of names) {
      const report = before.then(() => run(name));
      before = report;
      reports.set(name, report);
    }
  };
  for (const lane of lanes) {
    const whole = lane.reduce((sum, name) => sum + shares[name], 0);
    startLane(
      lane,
      (name) => fuzz({ name, seed: newSeed(), seconds: laneSeconds * shares[name] / whole }),
    );
  }
  startLane(plantNames, (name) => {
    // A busy machine may take longer than that to start the others.
    const options = { name, seed: newSeed(), seconds: 60 };
    return fuzz(name === "hanging" ? { ...options, hangMs: 2_000 } : options);
  });
  return reports;
}

let reports: ReturnType<typeof startAll> | undefined;

/** A test of one report; the other lanes go on while it ends. */
function reportTest(
  name: string,
  of: TargetName | Planted,
  assertReport: (report: FuzzReport) => void,
): void {
  Deno.test({
    name,
    timeout: 300_000,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      reports ??= startAll();
      assertReport(await reports.get(of)!);
    },
  });
}

for (const name of lanes.flat()) {
  reportTest(`${name} holds its invariants for every input`, name, ({ cases, failure }) => {
    const again = `Repeat it by: deno task fuzz ${failure?.seed}/${name}`;
    assert.equal(failure, undefined, `${failure?.why}\n${again}`);
    assert.ok(cases > 0, `no case of ${name} was run`);
  });
}

Deno.test("every target is in one lane", () => {
  assert.deepEqual(lanes.flat().sort(), Object.keys(shares).sort());
});

for (const name of plantNames) {
  reportTest(`fuzz() finds a target that is ${name}, and names the case`, name, ({ failure }) => {
    assert.match(failure?.why ?? "it found nothing", plants[name]);
    const { throwing } = planted;
    if (name === "throwing") assert.throws(() => throwing.run(randomOf(failure!.seed)), /planted/);
  });
}
