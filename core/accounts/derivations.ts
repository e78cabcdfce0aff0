import { createTenantGate } from "./tenant_gate.ts";

/**
 * Derivations of AuthTokens that requests of tenants order, one at a time of each: a derivation takes a
 * core for some 50 ms, and the threads that make them are those of files and of the store.
 */
export const derivations = createTenantGate({
  what: "passwords derived",
  most: 2,
  ofTenant: 1,
  waiting: 200,
  waitMs: 15_000,
});
