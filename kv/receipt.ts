import type { Committed } from "./commit.ts";
import { keys } from "./keys.ts";

/** Tells whether a commit was made whose answer says that it was not. */
export interface Receipt {
  /** Adds the proof to the next commit. Those of one instance follow each other. */
  stage(op: Deno.AtomicOperation): void;
  /** The last commit, if it was made. */
  find(): Promise<Committed>;
}

/**
 * A remote store's client sends a commit again when the answer to it is lost. The second meets the
 * checks that the first has changed, and is refused: only what the first wrote can tell that it was
 * this instance that won. The number never falls, whatever arrives late.
 */
export function receiptOf(kv: Deno.Kv): Receipt {
  const key = keys.receipt(crypto.randomUUID());
  let made = 0n;
  return {
    stage: (op) => void op.max(key, ++made),
    async find() {
      const { value, versionstamp } = await kv.get<Deno.KvU64>(key);
      return value?.value === made ? { versionstamp: versionstamp! } : null;
    },
  };
}
