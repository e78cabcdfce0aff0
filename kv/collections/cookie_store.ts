/**
 * Cookies of customers' servers. A tenant has 1,024 slots; the hash of account, host, From and To
 * chooses one. A slot holds a bounded number of bytes and of owners, of which the one that was used
 * longest ago gives way. So a tenant takes 16 MiB at most, and no count of its cookies is kept. An entry
 * that neither key opens counts as absent: none outlives a change of the key by more than some hours.
 *
 * Records with an index by age and a counter would need more writes: here the bound is in the layout,
 * and Deno KV removes keys that have expired. A full slot loses its oldest entry while others are empty.
 * A request for markup costs one read more, and a commit where the server sets a cookie.
 */
import { createHash } from "node:crypto";
import type { Cookie } from "../../core/base/cookies.ts";
import { limits } from "../../core/base/limits.ts";
import type { CookieOwner, CookieStore } from "../../core/model/ports/ports.ts";
import { keys } from "../store/keys.ts";
import type { Seal } from "../store/seal.ts";
import type { KeyValueStore, KvEntryMaybe } from "../store/key_value_store.ts";

const slots = 1_024;
const [slotBytes, slotOwners] = [16 << 10, 32];

/** The longest call, in ms. */
const callMs = 24 * 3_600_000;

/** After so much of their time, a use makes cookies last longer; each earlier one would be a write. */
const renewedAfterMs = limits.cookieRetentionMs / 8;

/** Attempts of a change that other requests overtake. */
const attempts = 10;

/** The cookies of one owner, used last in the last place of its slot. Times are in ms. */
interface Kept {
  id: string;
  until: number;
  /** The call for which they are stored, and the latest end of that time. */
  callSid: string | null;
  callUntil: number;
  /** `Sealed` as JSON. */
  sealed: string;
}

interface Sealed {
  accountSid: string;
  from: string;
  to: string;
  cookies: readonly Cookie[];
}

export function cookieStore(
  { kv, seal, steadyNow }: {
    kv: KeyValueStore;
    seal: Pick<Seal, "seal" | "open">;
    steadyNow(): number;
  },
): CookieStore {
  const opened = ({ sealed }: Kept): Sealed | null => {
    try {
      return JSON.parse(seal.open(sealed));
    } catch {
      return null;
    }
  };
  const isKept = ({ until, callSid, callUntil }: Kept, owner: CookieOwner) =>
    until > steadyNow() || callSid !== null && callSid === owner.callSid && callUntil > steadyNow();

  /**
   * Writes a slot if it did not change since it was read. Drops expired cookies, and the oldest
   * ones above the bounds.
   */
  async function write(entry: KvEntryMaybe<Kept[]>, all: Kept[]): Promise<boolean> {
    const now = steadyNow();
    const left = all.filter((one) => endOf(one) > now);
    while (left.length > slotOwners || bytesOf(left) > slotBytes) left.shift();
    const atomic = kv.atomic().check(entry);
    const expireIn = Math.max(...left.map(endOf)) - now;
    const { ok } =
      await (left.length === 0
        ? atomic.delete(entry.key)
        : atomic.set(entry.key, left, { expireIn })).commit();
    return ok;
  }

  async function change(
    owner: CookieOwner,
    make: (kept: readonly Cookie[]) => readonly Cookie[],
  ): Promise<void> {
    const { id, key } = placeOf(owner);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const entry = await kv.get<Kept[]>(key);
      const others = (entry.value ?? []).filter((one) => one.id !== id);
      const before = entry.value?.find((one) => one.id === id && isKept(one, owner));
      const cookies = make(before === undefined ? [] : opened(before)?.cookies ?? []);
      if (before === undefined && cookies.length === 0) return;
      const { accountSid, from, to, callSid } = owner;
      const now = steadyNow();
      const made: Kept = {
        id,
        until: now + limits.cookieRetentionMs,
        callSid: callSid ?? before?.callSid ?? null,
        callUntil: callSid === null ? before?.callUntil ?? 0 : now + callMs,
        sealed: seal.seal(JSON.stringify({ accountSid, from, to, cookies } satisfies Sealed)),
      };
      if (await write(entry, cookies.length === 0 ? others : [...others, made])) return;
    }
  }

  return {
    change,
    async get(owner) {
      const { id, key } = placeOf(owner);
      const { value } = await kv.get<Kept[]>(key);
      const kept = value?.find((one) => one.id === id && isKept(one, owner));
      if (kept === undefined) return [];
      const isOfOther = owner.callSid !== null && kept.callSid !== owner.callSid;
      if (isOfOther || kept.until - steadyNow() < limits.cookieRetentionMs - renewedAfterMs) {
        await change(owner, (cookies) => cookies);
      }
      return opened(kept)?.cookies ?? [];
    },
    async erase({ tenant, accountSid }, isSubject) {
      const isOf = (one: Sealed | null) =>
        one !== null && one.accountSid === accountSid && (isSubject(one.from) || isSubject(one.to));
      for await (const { key } of kv.list<Kept[]>({ prefix: keys.cookies(tenant) })) {
        for (let isWritten = false; !isWritten;) {
          const entry = await kv.get<Kept[]>(key);
          const left = (entry.value ?? []).filter((one) => !isOf(opened(one)));
          isWritten = left.length === (entry.value?.length ?? 0) || await write(entry, left);
        }
      }
    },
  };
}

/** Time when all cookies of an owner have expired. */
const endOf = ({ until, callUntil }: Kept): number => Math.max(until, callUntil);

const bytesOf = (kept: readonly Kept[]): number =>
  kept.reduce((sum, { sealed }) => sum + sealed.length + 100, 0);

function placeOf({ tenant, accountSid, host, from, to }: CookieOwner) {
  const hash = createHash("sha256").update(JSON.stringify([accountSid, host, from, to])).digest();
  const id = hash.toString("base64url").slice(0, 22);
  return { id, key: keys.cookieSlot(tenant, hash.readUInt16BE(30) % slots) };
}
