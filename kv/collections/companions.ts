import { limits } from "../../core/base/limits.ts";
import type {
  Companions,
  CompanionState,
  HeardCompanion,
} from "../../core/model/ports/companion_ports.ts";
import { keys } from "../store/keys.ts";
import { presenceOf } from "./presence.ts";
import type { KeyValueStore, KvEntry } from "../store/key_value_store.ts";

export interface CompanionStatesOptions {
  isShared: boolean;
  now(): number;
  /** The monotonic clock without the spans in which this process was suspended. */
  awakeNow(): number;
}

/**
 * The companions as of their last heartbeats, and the logins that are registered with them. Those of a
 * store that only this process writes to are known from then on.
 *
 * The silence of a companion is what this process has observed: since it last saw a heartbeat, by its
 * awake clock. So it does not depend on clocks of other machines, a heartbeat counts though its commit
 * failed, and a process that stood, or could not read the store, has heard no silence meanwhile.
 */
export function companionStates(kv: KeyValueStore, options: CompanionStatesOptions): Companions {
  const { isShared } = options;
  const presence = presenceOf(kv);
  const { heard, observe, observeAll } = observer(options);
  type Entry = Pick<KvEntry<CompanionState>, "value" | "versionstamp">;
  const read = async () => {
    const entries = await Array.fromAsync(kv.list<CompanionState>({ prefix: keys.companions }));
    return new Map(entries.map((entry): [string, Entry] => [entry.value.id, entry]));
  };
  let known: Promise<Map<string, Entry>> | undefined;
  const remember = () =>
    read().catch((error) => {
      known = undefined;
      throw error;
    });
  const all = async () => await (isShared ? read() : known ??= remember());
  return {
    list: async () => observeAll([...(await all()).values()]),
    async get(id) {
      const { value, versionstamp } = isShared
        ? await kv.get<CompanionState>(keys.companion(id))
        : (await all()).get(id) ?? { value: null };
      return value && observe({ value, versionstamp: versionstamp ?? "" });
    },
    heard,
    async beat(state) {
      heard(state);
      // It is heard, also while the store cannot write.
      if (!isShared) (await all()).set(state.id, { value: state, versionstamp: "" });
      const { versionstamp } = await kv.set(keys.companion(state.id), state);
      heard(state, versionstamp);
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
    hasPresence: presence.knows,
    holding: presence.holding,
    countRegistered: presence.countRegistered,
  };
}

/** Time of a companion's last heartbeat by the awake clock, and the version of its entry then. */
interface Observed {
  at: number;
  versionstamp: string;
}

function observer({ isShared, now, awakeNow }: CompanionStatesOptions) {
  const observed = new Map<string, Observed>();
  let listedAt = awakeNow();

  /** This process has heard a companion at the date that the state has. */
  function heard({ id, seenAt }: Pick<CompanionState, "id" | "seenAt">, versionstamp = ""): void {
    observed.set(id, { at: awakeNow() - Math.max(0, now() - seenAt), versionstamp });
  }

  /**
   * A heartbeat that another process received counts from the time its entry is read. The first one
   * counts by its date.
   */
  function observe(
    { value, versionstamp }: Pick<KvEntry<CompanionState>, "value" | "versionstamp">,
  ): HeardCompanion {
    const last = observed.get(value.id);
    if (last === undefined) heard(value, versionstamp);
    else if (isShared && last.versionstamp !== versionstamp) {
      // After a commit that failed, or is under way, the entry is an old one.
      const isOwn = last.versionstamp === "";
      observed.set(value.id, { at: isOwn ? last.at : awakeNow(), versionstamp });
    }
    const silentMs = awakeNow() - observed.get(value.id)!.at; // Set above, or before.
    return { ...value, silentMs: Math.max(0, silentMs) };
  }

  /** Others write to a shared store: while it could not be read, no heartbeat could be seen. */
  function observeAll(
    entries: Pick<KvEntry<CompanionState>, "value" | "versionstamp">[],
  ): HeardCompanion[] {
    const unreadMs = isShared ? awakeNow() - listedAt : 0;
    if (unreadMs > limits.companionLostMs) {
      for (const one of observed.values()) {
        one.at += unreadMs;
      }
    }
    listedAt = awakeNow();
    const ids = new Set(entries.map(({ value }) => value.id));
    for (const id of observed.keys()) if (!ids.has(id)) observed.delete(id);
    return entries.map(observe);
  }

  return { heard, observe, observeAll };
}
