import { checkPermission, effectiveStatus } from "./access.ts";
import { Fault } from "../base/faults.ts";
import type { Job } from "../model/job.ts";
import { closeAccount } from "../model/job_kinds.ts";
import { endCalls } from "../model/job_kinds.ts";
import { forgetAccount } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import { derivations } from "./derive_token.ts";
import { tenantOf } from "./tenant.ts";
import type { Ports } from "../model/ports/ports.ts";
import { paramsSchema } from "../model/resource.ts";
import { type Account, accounts } from "../model/resources/accounts.ts";
import type { AccountWanted } from "./create_account.ts";

/** Parameters of a change of an account. */
export type AccountChanges = Partial<Omit<AccountWanted, "emailAddress" | "type">>;

/** The schema of `AccountChanges`. */
export const accountChanges = paramsSchema(accounts.fields, [], accounts.update!);

/**
 * Changes an account on behalf of a caller who acts for it. A new password is a new AuthToken.
 * Throws `denied` or `badParameter` when the rules of Role and Status forbid the change,
 * `throttled` when too many requests of the tenant derive a password.
 */
export async function updateAccount(
  { caller, account }: { caller: Account; account: Account },
  { password, ...changes }: AccountChanges,
  ports: Pick<Ports, "accounts" | "deriveToken" | "now">,
): Promise<Account> {
  if (account.status !== "closed" && await effectiveStatus(account, ports.accounts) === "closed") {
    throw new Fault(
      "badParameter",
      "a parent account has Status closed, so this account cannot change",
    );
  }
  if (changes.role !== undefined) checkPermission(caller, "changeRoles");
  const token = password === undefined ? {} : {
    authToken: await derivations.pass(
      tenantOf(caller),
      () => ports.deriveToken(account.sid, password),
    ),
    secondaryAuthToken: null, // Whoever changes the password wants no other token to be good.
    dateAuthTokenLastUsed: null,
    dateSecondaryAuthTokenLastUsed: null,
    passwordVerifier: null, // The token is derived from it.
  };
  return await ports.accounts.update(account.sid, (before) => {
    checkChange(caller, before, changes);
    const sent = { ...changes, ...token };
    if (Object.keys(sent).length === 0) return { record: before };
    const record = { ...before, ...sent, dateUpdated: ports.now() };
    return { record, jobs: consequences(before, record) };
  });
}

/** Jobs of a change of Status. Closing looks again for records that were made meanwhile. */
function consequences(before: Account, { sid: accountSid, status, dateUpdated }: Account): Job[] {
  if (status === before.status) return [];
  const jobs = [forgetAccount({ accountSid })];
  if (status !== "active") jobs.push(endCalls({ accountSid }));
  if (status !== "closed") return jobs;
  const passes = [0, ...limits.closingAgainMs];
  return [...jobs, ...passes.map((ms) => closeAccount({ accountSid }, dateUpdated + ms))];
}

/** Rules of Status and Role: throws where the caller may not make the change. */
function checkChange(caller: Account, before: Account, { status, role }: AccountChanges): void {
  const isRoot = before.ancestors.length === 0;
  const isOwn = caller.sid === before.sid;
  if (before.status === "closed") {
    throw new Fault("badParameter", "Status is closed; a closed account cannot change");
  }
  if (isRoot && role === "Developer") {
    throw new Fault("badParameter", "Role of the root account must be Administrator");
  }
  if (status === undefined || status === before.status) return;
  if (isRoot) throw new Fault("badParameter", "Status of the root account must be active");
  if (isOwn && status !== "closed") {
    throw new Fault(
      "denied",
      "only a parent account can change Status to a value other than closed",
    );
  }
}
