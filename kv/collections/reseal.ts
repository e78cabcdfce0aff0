import { accounts as accountDefinition } from "../../core/model/resources/accounts.ts";
import { resources } from "../../core/model/resources/mod.ts";
import type { AnyResource } from "../../core/model/resource.ts";
import { type RecordCodec, recordCodec } from "../records/record_codec.ts";
import { emptyBatch } from "../store/batch.ts";
import { keys } from "../store/keys.ts";
import { mapFields, type Seal } from "../store/seal.ts";
import type { StoredAccount } from "./accounts.ts";
import type { StoreContext } from "./store_context.ts";
import type { KvEntry, KvKey } from "../store/key_value_store.ts";

type Parts = Pick<StoreContext, "kv" | "committer" | "seal" | "cache" | "fields" | "log">;

/** Result of a pass, in records. */
export interface Resealed {
  /** Sealed with the first key now. */
  resealed: number;
  /** Opened by neither key, and left as they are. */
  unopened: number;
}

/** A seal that notes whether the other key was needed since `opensOther` was set to false. */
interface WatchedSeal extends Seal {
  opensOther: boolean;
}

/** A value of the store with its secrets sealed anew. Throws when neither key opens them. */
type Change = (entry: KvEntry<unknown>) => unknown;

/**
 * Seals the secrets of every record with the first key, where only the other one opens them. Each
 * record is written by itself, and only if it is unchanged since it was read. So services may run
 * meanwhile, and an interrupted pass is repeated from the beginning. The content of records stays
 * the same, so no cache, index or counter changes.
 */
export async function reseal(parts: Parts, signal: AbortSignal): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unopened: 0 };
  const seal = watched(parts.seal);
  const rewriteCounted = async (key: KvKey, change: Change) => {
    signal.throwIfAborted();
    try {
      if (await rewrite(parts, key, { seal, change })) done.resealed++;
    } catch (error) {
      done.unopened++;
      parts.log("Cannot seal a record again", { key: key.map(String), error: String(error) });
    }
  };
  for await (const account of parts.kv.list<StoredAccount>({ prefix: keys.accounts })) {
    await rewriteCounted(account.key, ({ value }) => resealedAccount(value, seal));
    for (const [name, definition] of Object.entries<AnyResource>(resources)) {
      if (definition.secret === undefined) continue;
      const { decode, encode } = codecOf(name, definition, { ...parts, seal });
      const place = [account.value.number, definition.storedAs ?? definition.sidPrefix];
      // Records sort before the other entries of their resource (`keys`).
      for await (const { key } of parts.kv.list({ start: place, end: [...place, ""] })) {
        await rewriteCounted(key, (entry) => encode(decode(entry)));
      }
    }
  }
  return done;
}

function watched(seal: Seal): WatchedSeal {
  const self: WatchedSeal = {
    ...seal,
    opensOther: false,
    open(sealed) {
      self.opensOther ||= !seal.isCurrent(sealed);
      return seal.open(sealed);
    },
  };
  return self;
}

/** Writes a value anew if the other key has sealed a part of it; tries again where it changed. */
async function rewrite(
  { kv, committer }: Pick<Parts, "kv" | "committer">,
  key: KvKey,
  { seal, change }: { seal: WatchedSeal; change: Change },
): Promise<boolean> {
  for (;;) {
    const entry = await kv.get(key);
    if (entry.versionstamp === null) return false;
    seal.opensOther = false;
    const value = change(entry);
    if (!seal.opensOther) return false;
    const batch = { ...emptyBatch(), checks: [entry], sets: [{ key, value }] };
    if (await committer.commit(batch) !== null) return true;
  }
}

const { secret: secretsOfAccount = [] } = accountDefinition;

function resealedAccount(value: unknown, seal: Seal): StoredAccount {
  const { number, account } = value as StoredAccount;
  const opened = mapFields(account, secretsOfAccount, seal.open);
  return { number, account: mapFields(opened, secretsOfAccount, seal.seal) };
}

function codecOf(name: string, { secret = [] }: AnyResource, parts: Parts): RecordCodec {
  const { fields: { [name]: fields = [] }, seal, cache } = parts;
  return recordCodec({ fields, secret, seal, cache });
}
