import type { AnyResource } from "../core/resource.ts";
import { emptyBatch } from "./batch.ts";
import type { Committer } from "./commit.ts";
import { stageGlobals } from "./indexes.ts";
import { keys } from "./keys.ts";
import type { RecordCodec } from "./record_codec.ts";

/** Few and with pauses: the store has one thread, and others wait for it. */
const keysAtOnce = 150;
const pauseMs = 5;

/**
 * Deletes all that an account has of one resource: records first, then what is kept beside them.
 * Throws when the signal aborts.
 */
export async function removeAll(
  { kv, committer, codec, definition, account, signal }: {
    kv: Deno.Kv;
    committer: Committer;
    codec: RecordCodec;
    definition: AnyResource;
    account: bigint;
    signal: AbortSignal;
  },
): Promise<void> {
  const prefix = keys.resource({ account, prefix: definition.sidPrefix });
  while (true) {
    signal.throwIfAborted();
    const entries = await Array.fromAsync(kv.list<unknown>({ prefix }, { limit: keysAtOnce }));
    if (entries.length === 0) return;
    const batch = emptyBatch();
    for (const entry of entries) {
      const { key } = entry;
      batch.deletes.push(key);
      const isRecord = key.length === 3 && key[2] instanceof Uint8Array;
      if (isRecord) stageGlobals(batch, definition, { before: codec.decode(entry) });
    }
    await committer.commit(batch);
    await new Promise((wake) => setTimeout(wake, pauseMs));
  }
}
