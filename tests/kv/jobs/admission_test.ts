import assert from "node:assert/strict";
import { customerLane } from "../../../core/model/job.ts";
import { limits } from "../../../core/base/limits.ts";
import { type Admission, admission } from "../../../kv/jobs/admission.ts";

const lane = customerLane("webhooks", "app.test:8080", "AC1");

/** Accounts that are tenants. */
const itself = (accountSid: string) => accountSid;

/** Runs one job of a lane after another, each with the same ending. */
function run(rooms: Admission, name: string, ending: "good" | "bad", times: number, now = 0) {
  for (let i = 0; i < times; i++) {
    assert.equal(rooms.enter(name, 1), 1);
    rooms.end(name, ending, now);
  }
}

Deno.test("admission() gives a new server few jobs at once, and more with every good response", () => {
  const rooms = admission(itself);
  assert.equal(rooms.enter(lane, 100), limits.jobsToUnknownHost);
  assert.equal(rooms.enter(lane, 100), 0);
  rooms.leave(lane, limits.jobsToUnknownHost);
  run(rooms, lane, "good", 100);
  assert.equal(rooms.enter(lane, 100), limits.jobsToServer);
});

Deno.test("admission() bounds a host over all accounts, and a tenant over all hosts", () => {
  const rooms = admission(itself);
  const accounts = ["AC1", "AC2", "AC3"].map((sid) => customerLane("webhooks", "one.test", sid));
  for (const name of accounts) run(rooms, name, "good", 50);
  const shares = accounts.map((name) => rooms.enter(name, 100));
  assert.deepEqual(shares, [32, 32, 0]);
  assert.equal(limits.jobsPerHost, 64);

  const others = admission(itself);
  const hosts = Array.from({ length: 8 }, (_, n) => customerLane("webhooks", `${n}.test`, "AC1"));
  for (const name of hosts) run(others, name, "good", 50);
  const taken = hosts.map((name) => others.enter(name, 100));
  assert.equal(taken.reduce((a, b) => a + b), limits.jobsPerTenant);
  assert.ok(others.enter(customerLane("webhooks", "9.test", "AC2"), 100) > 0);
});

Deno.test("admission() leaves a server alone after failures in a row, then tries it out", () => {
  const rooms = admission(itself);
  run(rooms, lane, "good", 20);
  run(rooms, lane, "bad", limits.circuitFailures - 1);
  run(rooms, lane, "good", 1);
  assert.equal(rooms.isProbing(lane), false);
  run(rooms, lane, "bad", limits.circuitFailures, 1_000);
  assert.equal(rooms.openUntil(lane), 1_000 + limits.circuitOpenMs);

  assert.equal(rooms.enter(lane, 100), 1, "one job tries it out");
  assert.equal(rooms.enter(lane, 100), 0);
  rooms.end(lane, "bad", 10_000);
  assert.equal(rooms.openUntil(lane), 10_000 + 2 * limits.circuitOpenMs);
  for (let at = 100_000; at < 1_000_000; at += 100_000) run(rooms, lane, "bad", 1, at);
  assert.equal(rooms.openUntil(lane), 900_000 + limits.circuitOpenMaxMs);
  run(rooms, lane, "good", 1, 1_000_000);
  assert.deepEqual([rooms.openUntil(lane), rooms.isProbing(lane)], [0, false]);
});

Deno.test("admission() lets jobs that say nothing of their server change nothing", () => {
  const rooms = admission(itself);
  for (let i = 0; i < 20; i++) {
    rooms.enter(lane, 1);
    rooms.end(lane, "neither", 0);
  }
  assert.equal(rooms.isProbing(lane), false);
  assert.equal(rooms.enter(lane, 100), limits.jobsToUnknownHost);
});

Deno.test("admission() counts each kind of lane for itself", () => {
  const rooms = admission(itself);
  for (let n = 0; n < 100; n++) rooms.enter(`messages:AC${n}`, 16);
  assert.equal(rooms.enter("messages:AC101", 16), 0);
  assert.equal(rooms.enter(lane, 16), limits.jobsToUnknownHost);
  assert.equal(rooms.enter("calls", 100), limits.jobsPerLane);
});

Deno.test("admission() counts the sub-accounts of a tenant as one, by server and in all", () => {
  const rooms = admission((sid) => sid.startsWith("AC9") ? "AC9" : sid);
  const subs = Array.from({ length: 26 }, (_, n) => `AC9${n}`);
  const sum = (taken: number[]) => taken.reduce((a, b) => a + b);
  const toOne = subs.map((sid) => customerLane("webhooks", "one.test", sid));
  assert.equal(sum(toOne.map((name) => rooms.enter(name, 100))), limits.jobsToServer);
  assert.ok(rooms.enter(customerLane("webhooks", "one.test", "AC1"), 100) > 0);

  const toMany = subs.map((sid, n) => customerLane("webhooks", `${n}.test`, sid));
  for (const name of toMany) run(rooms, name, "good", 50);
  const most = limits.jobsPerTenant - limits.jobsToServer;
  assert.equal(sum(toMany.map((name) => rooms.enter(name, 100))), most);

  const calls = subs.map((sid) => rooms.enter(`calls:${sid}`, 100));
  assert.equal(sum(calls), limits.jobsPerTenant);
});

Deno.test("admission() leaves half of the operator's mail server to other tenants", () => {
  const rooms = admission((sid) => sid.startsWith("AC9") ? "AC9" : sid);
  const taken = [1, 2, 3].map((n) => rooms.enter(`email:AC9${n}`, 100));
  assert.deepEqual(taken, [8, 0, 0]);
  assert.equal(rooms.enter("email:AC1", 100), 8);
  assert.equal(rooms.enter("email:AC2", 100), 0);
});
