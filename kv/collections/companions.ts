import type { Companions, CompanionState } from "../../core/ports/companion_ports.ts";
import { keys } from "../store/keys.ts";
import { presenceOf } from "./presence.ts";

/** The companions as of their last heartbeats, and the logins that are registered with them. */
export function companionStates(kv: Deno.Kv): Companions {
  const presence = presenceOf(kv);
  return {
    async list() {
      const states: CompanionState[] = [];
      for await (const { value } of kv.list<CompanionState>({ prefix: keys.companions })) {
        states.push(value);
      }
      return states;
    },
    get: async (id) => (await kv.get<CompanionState>(keys.companion(id))).value,
    async beat(state) {
      await kv.set(keys.companion(state.id), state);
    },
    async forget(id, runId) {
      const entry = await kv.get<CompanionState>(keys.companion(id));
      if (entry.value?.runId !== runId) return;
      await presence.forget(id);
      await kv.atomic().check(entry).delete(entry.key).commit();
    },
    takePresence: presence.take,
    knowsPresence: presence.knows,
    holding: presence.holding,
    countRegistered: presence.countRegistered,
  };
}
