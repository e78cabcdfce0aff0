import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { Caller, Keyring, Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type Key, keys as definition } from "../model/resources/keys.ts";
import { hoursOfUse } from "./hours_of_use.ts";
import { secretHashOf } from "./make_key.ts";

/** True when the user of credentials is the Sid of an API key. */
export const isKeySid = (name: string): boolean =>
  name.slice(0, 2).toUpperCase() === definition.sidPrefix && name.length === 34;

/** Ports with a keyring, and with the records of keys by which its cache knows of changes. */
export function withKeyring(ports: Omit<Ports, "keyring">): Ports {
  const { keyring, keys } = openKeyring(ports);
  return { ...ports, keyring, records: { ...ports.records, keys } };
}

type KeyringPorts = Pick<Ports, "records" | "accounts" | "now" | "steadyNow" | "log">;

/**
 * Keys are looked up by the hash of their secret, and used as they were read for
 * `limits.accountRecentMs`, as accounts are. A change or removal by the `keys` of the result shows
 * at once.
 */
function openKeyring(
  { records: { keys }, accounts, now, steadyNow, log }: KeyringPorts,
): { keyring: Keyring; keys: Ports["records"]["keys"] } {
  const known = new Map<string, { key: Key; readAt: number }>(); // By the hash of the secret.
  let changes = 0;

  function recentKey(hash: string): Key | undefined {
    const recent = known.get(hash);
    const age = recent === undefined ? Infinity : steadyNow() - recent.readAt;
    return age < limits.accountRecentMs ? recent?.key : undefined;
  }

  async function find(hash: string): Promise<Key | null> {
    const before = { readAt: steadyNow(), changes };
    const key = await keys.holder("secretHash", hash);
    known.delete(hash);
    // A read during a change may have found the key before the change.
    if (key === null || changes !== before.changes) return key;
    remember(known, hash, { key, readAt: before.readAt });
    return key;
  }

  function forget(sid: string): void {
    changes++;
    for (const [hash, { key }] of known) if (key.sid === sid) known.delete(hash);
  }

  const keyring: Keyring = {
    recent(sid, secret) {
      const key = recentKey(secretHashOf(secret));
      const account = key && isNamed(key, sid) ? accounts.recent(key.accountSid) : undefined;
      return account && key && callerOf(account, key);
    },
    async callerOf(sid, secret) {
      const hash = secretHashOf(secret);
      const key = recentKey(hash) ?? await find(hash);
      if (key === null || !isNamed(key, sid)) return null;
      const account = accounts.recent(key.accountSid) ?? await accounts.get(key.accountSid);
      return account && callerOf(account, key);
    },
    noteUse: usesNoted(keys, { now, log }),
  };
  return {
    keyring,
    keys: {
      ...keys,
      async update(accountSid, sid, change) {
        return await keys.update(accountSid, sid, change).finally(() => forget(sid));
      },
      async remove(accountSid, sid, change) {
        await keys.remove(accountSid, sid, change).finally(() => forget(sid));
      },
    },
  };
}

function usesNoted(
  keys: Ports["records"]["keys"],
  { now, log }: Pick<Ports, "now" | "log">,
): Keyring["noteUse"] {
  const hourOf = hoursOfUse(now);
  return async ({ accountSid, sid, dateLastUsed }) => {
    const hour = hourOf(sid, dateLastUsed);
    if (hour === null) return;
    const change = (record: Key) => ({ record: { ...record, dateLastUsed: hour } });
    await keys.update(accountSid, sid, change).catch((error) => {
      const isRevoked = error instanceof Fault && error.fault === "notFound";
      if (!isRevoked) log("Cannot note the use of an API key", { accountSid, sid, error });
    });
  };
}

/** Adds to a map of bounded size; the oldest entry makes room. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name); // It becomes the newest entry.
  map.set(name, value);
  const [oldest = name] = map.keys();
  if (map.size > limits.recentAccounts) map.delete(oldest);
}

const isNamed = (key: Key, sid: string): boolean =>
  isKeySid(sid) && key.sid === definition.sidPrefix + sid.slice(2).toLowerCase();

/** The account of a key, with no higher role than the key has. */
function callerOf(account: Account, key: Key): Caller {
  return { account: key.role === "Administrator" ? account : { ...account, role: key.role }, key };
}

/** An account as a key shows it: one that is no Administrator's shows no AuthToken. */
export const shownTo = (key: Key | undefined, account: Account): Account =>
  key === undefined || key.role === "Administrator"
    ? account
    : { ...account, authToken: "", secondaryAuthToken: null, passwordVerifier: null };
