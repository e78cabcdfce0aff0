import type { Companion } from "../../core/protocol/companion.ts";
import type { PresenceChanges } from "../../core/protocol/registrations.ts";
import type { CompanionState } from "../../core/ports/companion_ports.ts";
import { keys } from "../store/keys.ts";

/** Up to which news a companion's presence is known. */
interface Known {
  runId: string;
  seq: number;
}

/** Deletions of one commit. */
const deletionsAtOnce = 500;

/**
 * Who is registered with which companion. An entry counts only with the run of the companion that
 * told it, so a restart voids all of them at once; they are deleted when the next run begins.
 */
export function presenceOf(kv: Deno.Kv) {
  /**
   * The mark goes first: what follows it is then no one's, and a crash leaves nothing half known.
   * False when another took the whole meanwhile: what is there then is news, and stays.
   */
  async function forget(companionId: string): Promise<boolean> {
    const unmarked = { key: keys.presence(companionId), versionstamp: null };
    await kv.delete(unmarked.key);
    let batch: Deno.KvKey[] = [];
    const flush = async () => {
      const tx = batch.reduce((tx, key) => tx.delete(key), kv.atomic().check(unmarked));
      batch = [];
      return (await tx.commit()).ok;
    };
    for await (const { key } of kv.list({ prefix: unmarked.key })) {
      batch.push(key);
      if (batch.length === deletionsAtOnce && !await flush()) return false;
    }
    return batch.length === 0 || await flush();
  }

  async function take(news: PresenceChanges): Promise<boolean> {
    const { companion: { id, runId }, seq, whole, came, went } = news;
    const mark = await kv.get<Known>(keys.presence(id));
    const known = mark.value?.runId === runId ? mark.value.seq : undefined;
    if (known !== undefined && seq <= known) return true; // Taken already.
    if (!whole && seq - 1 !== known) return false;
    if (whole && !await forget(id)) return false;
    const before = whole ? { key: mark.key, versionstamp: null } : mark;
    const tx = kv.atomic().check(before).set(mark.key, { runId, seq });
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
