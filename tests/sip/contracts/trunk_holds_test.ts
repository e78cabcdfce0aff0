import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createTrunkHolds } from "../../../sip/contracts/trunk_holds.ts";

const target = { protocol: "UDP", address: "192.0.2.1", port: 5060, name: "192.0.2.1" } as const;
const route = { gatewaySid: "GW1", proxy: "192.0.2.1", publicOnly: false };
const server = { route, target };
const { trunkProbeMinMs, trunkProbeMaxMs } = sipLimits;

/** Holds on a clock that a test sets. */
function holdsAt() {
  const clock = { now: 1_000_000 };
  return { clock, holds: createTrunkHolds(() => clock.now) };
}

Deno.test("a server that missed an answer is silent until it says anything", () => {
  const { holds } = holdsAt();
  assert.deepEqual([holds.isSilent(server), holds.isUnknown(server)], [false, true]);
  holds.miss(server);
  assert.deepEqual([holds.isSilent(server), holds.isUnknown(server)], [true, false]);
  holds.hear(server);
  assert.deepEqual([holds.isSilent(server), holds.isUnknown(server)], [false, false]);
});

Deno.test("a silent server is silent to one user, and at one place", () => {
  const { holds } = holdsAt();
  holds.miss(server);
  const others = [
    { route: { ...route, gatewaySid: "GW2" }, target },
    { route: { ...route, credentials: { userName: "b", password: "" } }, target },
    { route, target: { ...target, address: "192.0.2.2" } },
    { route },
  ];
  assert.deepEqual(others.map(holds.isSilent), [false, false, false, false]);
});

Deno.test("a silent server is probed at once, then ever more seldom", () => {
  const { clock, holds } = holdsAt();
  assert.equal(holds.takeProbe(server), false, "it is not silent");
  holds.miss(server);
  const gaps: number[] = [];
  for (let last = clock.now; gaps.length < 8; clock.now += 500) {
    if (!holds.takeProbe(server)) continue;
    gaps.push(clock.now - last);
    last = clock.now;
  }
  const [first, second, third] = gaps;
  assert.deepEqual([first, second, third], [0, trunkProbeMinMs, 2 * trunkProbeMinMs]);
  assert.equal(gaps.at(-1), trunkProbeMaxMs);
  holds.hear(server);
  assert.equal(holds.takeProbe(server), false);
});

Deno.test("a server that answers all but OPTIONS is not silent for OPTIONS again", () => {
  const { holds } = holdsAt();
  holds.miss(server, true);
  assert.equal(holds.isSilent(server), true);
  holds.hear(server);
  holds.miss(server, true);
  assert.equal(holds.isSilent(server), false);
  holds.miss(server);
  assert.equal(holds.isSilent(server), true);
});

Deno.test("a server that was silent to an INVITE and to OPTIONS is probed by OPTIONS again", () => {
  const { holds } = holdsAt();
  holds.miss(server);
  holds.miss(server, true);
  holds.hear(server);
  holds.miss(server, true);
  assert.equal(holds.isSilent(server), true);
});

Deno.test("a silent server is tried once more after a minute, then ever more seldom", () => {
  const { clock, holds } = holdsAt();
  assert.equal(holds.takeTrial(server), false, "it is not silent");
  holds.miss(server);
  const gaps: number[] = [];
  for (let last = clock.now; gaps.length < 9; clock.now += 1_000) {
    if (!holds.takeTrial(server)) continue;
    gaps.push(clock.now - last);
    last = clock.now;
  }
  assert.deepEqual(gaps.slice(0, 3), [60_000, 120_000, 240_000]);
  assert.equal(gaps.at(-1), sipLimits.trunkTrialMaxMs);
});

Deno.test("a server that was silent to OPTIONS alone is not silent to calls", () => {
  const { holds } = holdsAt();
  holds.miss(server, true);
  assert.deepEqual([holds.isSilent(server), holds.isSilentToCalls(server)], [true, false]);
  holds.miss(server);
  assert.equal(holds.isSilentToCalls(server), true);
});

Deno.test("the cache of servers is bounded", () => {
  const { holds } = holdsAt();
  const at = (port: number) => ({ route, target: { ...target, port } });
  for (let port = 0; port <= sipLimits.trunkHolds; port++) holds.miss(at(port));
  assert.deepEqual([holds.isSilent(at(0)), holds.isSilent(at(1))], [false, true]);
});
