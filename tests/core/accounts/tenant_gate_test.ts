import assert from "node:assert/strict";
import { createTenantGate } from "../../../core/accounts/tenant_gate.ts";

const options = { what: "encodings", most: 3, ofTenant: 2, waiting: 3, waitMs: 60_000 };

/** Resolves once everything that can go on has done so. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("createTenantGate() begins few at once, those of the tenant with the least first", async () => {
  const { enter } = createTenantGate({ ...options, most: 4, ofTenant: 3 });
  const begun: string[] = [];
  const order = (tenant: string) =>
    enter(tenant).then((leave) => {
      begun.push(tenant);
      return leave;
    });
  const orders = [1, 2, 3, 4].map(() => order("a"));
  await settled();
  assert.equal(begun.join(""), "aaa");
  orders.push(order("b"), order("a"), order("b"));
  await settled();
  assert.equal(begun.join(""), "aaab");
  (await orders[0]!)();
  await settled();
  assert.equal(begun.join(""), "aaabb", "others of a came before");
  for (const one of orders) (await one)();
  await settled();
  assert.equal(begun.join(""), "aaabbaa");
});

Deno.test("createTenantGate() refuses work that waits beyond the bound, or for too long", async () => {
  const { enter, pass } = createTenantGate({ ...options, ofTenant: 1, waiting: 1, waitMs: 1 });
  const leave = await enter("a");
  const waiting = enter("a");
  const refusal = {
    fault: "throttled",
    message: /account a and its sub-accounts may have 1 encodings/,
  };
  await assert.rejects(enter("a"), refusal);
  await assert.rejects(waiting, refusal);
  leave();
  leave(); // Once more changes nothing.
  await assert.rejects(pass("a", () => Promise.reject(new Error("it failed"))), /it failed/);
  assert.equal(await pass("a", () => Promise.resolve(1)), 1);
});
