import assert from "node:assert/strict";
import { learnedTenant, learnTenant, learnTenants } from "../../../core/base/learned_tenants.ts";
import { limits } from "../../../core/base/limits.ts";

/** Learns as many sub-accounts as there is room for beside some others. */
function learnMany(name: string, but: number): void {
  const sids = Array.from({ length: limits.cachedTenants - but }, (_, n) => `${name}-${n}`);
  learnTenants(Object.fromEntries(sids.map((sid) => [sid, "AC-flooder"])));
}

Deno.test("learnTenant() adds a tenant that is named, and none that is not", () => {
  learnTenant({ accountSid: "AC-named", tenant: "AC-tenant" });
  learnTenant({ accountSid: "AC-own", tenant: undefined });
  learnTenant({ accountSid: "AC-named" });

  assert.equal(learnedTenant("AC-named"), "AC-tenant");
  assert.equal(learnedTenant("AC-own"), "AC-own");
});

Deno.test("many sub-accounts of a tenant remove none that is in use or learned again", () => {
  learnTenants({ "AC-used": "AC-one", "AC-again": "AC-two", "AC-idle": "AC-three" });
  learnMany("AC-first", 3);
  assert.equal(learnedTenant("AC-used"), "AC-one");
  learnTenants({ "AC-again": "AC-two" });
  learnMany("AC-second", 2);

  assert.equal(learnedTenant("AC-used"), "AC-one");
  assert.equal(learnedTenant("AC-again"), "AC-two");
  assert.equal(learnedTenant("AC-idle"), "AC-idle");
  assert.equal(learnedTenant("AC-first-0"), "AC-first-0");
});
