import { z } from "zod";
import { verifierFrom } from "./password.ts";
import { checkPermission, isTest } from "./access.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { derivations } from "./derive_token.ts";
import { isRoot, tenantOf } from "./tenant.ts";
import type { Ports } from "../model/ports/ports.ts";
import { paramsSchema } from "../model/resource.ts";
import { type Account, accounts } from "../model/resources/accounts.ts";

type Fields = z.infer<z.ZodObject<typeof accounts.fields>>;

/** Parameters of a new account. */
export type AccountWanted =
  & Pick<Fields, "emailAddress" | "password">
  & Partial<Pick<Fields, "role" | "friendlyName" | "status" | "type">>;

/** The schema of `AccountWanted`. */
export const accountWanted = paramsSchema(
  {
    ...accounts.fields,
    status: z.enum(["active", "suspended"]).describe(
      "Status of the new account: active (default) or suspended.",
    ),
  },
  // The definition above declares what a creation takes.
  accounts.create!.required,
  accounts.create!.optional,
);

/**
 * Makes a sub-account of `parent`, or the root account of a new service when that is null. Throws
 * `denied` when the parent's role does not allow it, `alreadyExists` when the e-mail is taken,
 * `badParameter` beyond the parent's most sub-accounts. Throws `throttled` when too many requests
 * of the tenant derive a password.
 */
export async function createAccount(
  parent: Account | null,
  wanted: AccountWanted & { authToken?: string },
  ports: Pick<Ports, "accounts" | "deriveToken" | "newSid" | "now">,
): Promise<Account> {
  const ancestors = parent === null ? [] : [...parent.ancestors, parent.sid];
  if (parent !== null) checkPermission(parent, "createAccounts");
  if (ancestors.length >= limits.accountLevels) {
    throw new Fault(
      "badParameter",
      `sub-accounts can be nested at most ${limits.accountLevels} levels deep`,
    );
  }

  const sid = ports.newSid(accounts.sidPrefix);
  const derive = () => ports.deriveToken(sid, wanted.password);
  const derived = parent === null
    ? await derive()
    : await derivations.pass(tenantOf(parent), derive);
  const now = ports.now();
  const record: Account = {
    sid,
    accountSid: parent?.sid ?? "",
    dateCreated: now,
    dateUpdated: now,
    friendlyName: wanted.friendlyName ?? wanted.emailAddress.slice(0, limits.friendlyNameLength),
    emailAddress: wanted.emailAddress,
    role: wanted.role ?? parent?.role ?? "Administrator",
    status: wanted.status ?? "active",
    type: parent !== null && isTest(parent) ? parent.type : wanted.type ?? "Full",
    authToken: wanted.authToken ?? derived,
    ...wanted.authToken !== undefined && { passwordVerifier: verifierFrom(derived) },
    ancestors,
  };
  const siblings = parent === null || isRoot(parent) ? Infinity : limits.subAccounts;
  return await ports.accounts.insert({ record, siblings });
}
