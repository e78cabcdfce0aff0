import type { Companion } from "../../core/protocol/companion.ts";
import type { PresenceChanges } from "../../core/protocol/registrations.ts";
import type { CompanionState } from "../../core/model/ports/companion_ports.ts";
import { keys } from "../store/keys.ts";
import type { KeyValueStore, KvKey } from "../store/key_value_store.ts";

/** The last presence changes of a companion that the store has. */
interface Known {
  runId: string;
  seq: number;
}

/** The most deletions of one commit. */
const deletionsAtOnce = 500;

/**
 * The logins that are registered with each companion. An entry holds the run of the companion that
 * reported it and is valid in that run only: a restart of the companion voids all of them. The
 * first report of the next run deletes them.
 */
export function presenceOf(kv: KeyValueStore) {
  /**
   * Deletes the presence of a companion. The entry of its run is deleted first: the others are void
   * without it, also after a crash. False when a full report was stored meanwhile, which stays.
   */
  async function forget(companionId: string): Promise<boolean> {
    const unknown = { key: keys.presence(companionId), versionstamp: null };
    await kv.delete(unknown.key);
    let batch: KvKey[] = [];
    const flush = async () => {
      const tx = batch.reduce((tx, key) => tx.delete(key), kv.atomic().check(unknown));
      batch = [];
      return (await tx.commit()).ok;
    };
    for await (const { key } of kv.list({ prefix: unknown.key })) {
      batch.push(key);
      if (batch.length === deletionsAtOnce && !await flush()) return false;
    }
    return batch.length === 0 || await flush();
  }

  async function take(changes: PresenceChanges): Promise<boolean> {
    const { companion: { id, runId }, seq, whole, came, went } = changes;
    const stored = await kv.get<Known>(keys.presence(id));
    const known = stored.value?.runId === runId ? stored.value.seq : undefined;
    if (known !== undefined && seq <= known) return true; // Stored already.
    if (!whole && seq - 1 !== known) return false;
    if (whole && !await forget(id)) return false;
    const before = whole ? { key: stored.key, versionstamp: null } : stored;
    const tx = kv.atomic().check(before).set(stored.key, { runId, seq });
    for (const login of came) tx.set(keys.present(id, login), runId);
    for (const login of went) tx.delete(keys.present(id, login));
    return (await tx.commit()).ok;
  }

  const isPresent = async ({ id, runId }: Companion, login: string): Promise<boolean> =>
    (await kv.get<string>(keys.present(id, login))).value === runId;

  return {
    forget,
    take,
    async knows({ id, runId }: Companion): Promise<boolean> {
      return (await kv.get<Known>(keys.presence(id))).value?.runId === runId;
    },
    async holding(login: string, among: CompanionState[]): Promise<CompanionState[]> {
      const found = await Promise.all(among.map((companion) => isPresent(companion, login)));
      return among.filter((_, at) => found[at]);
    },
    async countRegistered(among: CompanionState[]): Promise<number> {
      const logins = new Set<unknown>();
      for (const { id, runId } of among) {
        for await (const { key, value } of kv.list<string>({ prefix: keys.presence(id) })) {
          if (value === runId) logins.add(key.at(-1));
        }
      }
      return logins.size;
    },
  };
}
