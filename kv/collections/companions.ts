import type { Companions, CompanionState } from "../../core/ports/companion_ports.ts";
import { keys } from "../store/keys.ts";
import { presenceOf } from "./presence.ts";

/**
 * The companions as of their last heartbeats, and the logins that are registered with them. Those of a
 * store that only this process writes to are known from then on.
 */
export function companionStates(
  kv: Deno.Kv,
  { isShared }: { isShared: boolean },
): Companions {
  const presence = presenceOf(kv);
  const read = async () => {
    const states = await Array.fromAsync(
      kv.list<CompanionState>({ prefix: keys.companions }),
      ({ value }) => value,
    );
    return new Map(states.map((state) => [state.id, state]));
  };
  let known: Promise<Map<string, CompanionState>> | undefined;
  const remember = () =>
    read().catch((error) => {
      known = undefined;
      throw error;
    });
  const all = async () => await (isShared ? read() : known ??= remember());
  return {
    list: async () => [...(await all()).values()],
    async get(id) {
      if (!isShared) return (await all()).get(id) ?? null;
      return (await kv.get<CompanionState>(keys.companion(id))).value;
    },
    async beat(state) {
      await kv.set(keys.companion(state.id), state);
      (await known)?.set(state.id, state);
    },
    async forget({ id, runId, seenAt }) {
      const entry = await kv.get<CompanionState>(keys.companion(id));
      if (entry.value?.runId !== runId || entry.value.seenAt !== seenAt) return;
      await presence.forget(id);
      const { ok } = await kv.atomic().check(entry).delete(entry.key)
        .set(keys.companionHeard, seenAt).commit();
      if (ok) (await known)?.delete(id);
    },
    lastHeardAt: async () => (await kv.get<number>(keys.companionHeard)).value,
    takePresence: presence.take,
    knowsPresence: presence.knows,
    holding: presence.holding,
    countRegistered: presence.countRegistered,
  };
}
