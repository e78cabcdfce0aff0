import { withKeyring } from "../../accounts/keyring.ts";
import type { Ports } from "../../model/ports/ports.ts";
import { counting, type WriteObserver } from "../../supervisor/counters.ts";
import { withSimulation } from "../../trials/simulation/control.ts";

/** Ports of the store, the adapters and the companions, before any layer. */
export type BasePorts = Omit<Ports, "counters" | "keyring">;

/**
 * Puts the layers around ports, from the inside out. Each uses the ports of those before it.
 *
 * 1. `counting()` adds `counters`, and counts the writes of calls and messages that succeed. It is the
 *    innermost, so that no write passes it by.
 * 2. `withKeyring()` adds `keyring`, the cache of API keys, and lets it see each change of keys.
 * 3. `withSimulation()` has orders to legs of test accounts reach their jobs, and no companion. It is the
 *    outermost, so that callers of the ports need not know the kind of a leg.
 */
export function withLayers(base: BasePorts, observer: Partial<WriteObserver> = {}): Ports {
  const counted = { ...base, ...counting(base.records, observer) };
  return withSimulation(withKeyring(counted));
}
