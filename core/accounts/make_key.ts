import { createHash, randomBytes } from "node:crypto";
import { Fault } from "../base/faults.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { type Key, keys as definition } from "../model/resources/keys.ts";

/** Prefix of secrets, by which logs mask them and scanners of source code find them. */
const secretPrefix = "sbk_";

/** Hash of a secret, as stored. 192 random bits need no slow hash. */
export const secretHashOf = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex");

/** The secrets of keys that are being made: the response shows one, and no record has it. */
const secrets = new WeakMap<Key, string>();

/** The secret of the record that `makeKey` inserts; undefined of a record that was read. */
export const secretOf = (key: Key): string | undefined => secrets.get(key);

/**
 * Makes an API key of an account, with a role that neither the account nor the caller exceeds; throws
 * `denied` for a higher one.
 */
export async function makeKey(
  { caller, account }: { caller: Account; account: Account },
  { friendlyName, role = "Developer" }: Partial<Pick<Key, "friendlyName" | "role">>,
  ports: Pick<Ports, "records" | "newSid" | "now">,
): Promise<Key> {
  const isHigher = role === "Administrator" &&
    [caller, account].some((one) => one.role !== "Administrator");
  if (isHigher) {
    throw new Fault("denied", "Role of a key cannot be higher than the role of its account");
  }
  const secret = secretPrefix + randomBytes(24).toString("base64url");
  const base = newBase(definition, account.sid, ports);
  const record: Key = {
    ...base,
    friendlyName: friendlyName ?? base.sid,
    role,
    dateLastUsed: null,
    secretHash: secretHashOf(secret),
  };
  secrets.set(record, secret);
  return await ports.records.keys.insert({ record });
}
