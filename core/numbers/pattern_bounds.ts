/**
 * The bounds of number patterns, which count for a tenant: the account right below the root account, with
 * its sub-accounts. Without bounds, 1,200 patterns of one tenant cost a call of another tenant 17 s of CPU
 * time and 1.1 GiB of memory.
 *
 * A tenant has 100 patterns, and 2,500 instructions for all of them (RE2). The size is computed from the
 * text of a pattern, so that an expensive one is refused before it is compiled. Creations of a tenant take
 * turns. Several services on one store may each add a pattern at the same moment, beyond the bound; calls
 * stay within it. Patterns of an older store beyond the bound match nothing, and the log names the tenant.
 *
 * A call costs at most about 10 ms of CPU time for each form of the number that it dials; typical patterns
 * take 0.02 ms. Refused: a bound for each account, which sub-accounts would pass; reading the patterns of
 * each related account, a read for each of up to 1,000 sub-accounts. A group of the store for each tenant
 * costs one read.
 */
import { tenantOf } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { inTurn } from "../base/in_turn.ts";
import type { Ports } from "../model/ports/ports.ts";
import { isPattern, programSize } from "../model/values/number_pattern.ts";

type BoundPorts = Pick<Ports, "accounts" | "records">;

/** Throws `badPhoneNumber` for a virtual number that is too dear to compile. */
export function checkProgram(phoneNumber: string): void {
  const size = phoneNumber.length > limits.numberPatternLength ? 0 : programSize(phoneNumber);
  if (!isPattern(phoneNumber) || size <= limits.patternInstructions) return;
  throw new Fault(
    "badPhoneNumber",
    `PhoneNumber compiles to up to ${size} instructions, and the patterns of an account with its ` +
      `sub-accounts to at most ${limits.patternInstructions}; a counted repetition counts as often as it may come`,
  );
}

/**
 * Gives an account a pattern by `take`, unless its tenant is at its bound. One at a time for each tenant of
 * an instance. Throws `badPhoneNumber`, which names the bound.
 */
export async function withinBounds<T>(
  accountSid: string,
  pattern: string,
  take: () => Promise<T>,
  ports: BoundPorts,
): Promise<T> {
  const account = await ports.accounts.get(accountSid);
  const tenant = account === null ? accountSid : tenantOf(account);
  return await inTurn(`patterns ${tenant}`, async () => {
    await checkBounds(tenant, pattern, ports);
    return await take();
  });
}

async function checkBounds(
  tenant: string,
  pattern: string,
  { records }: BoundPorts,
): Promise<void> {
  const held = await records.incomingPhoneNumbers.group("tenantPatterns", tenant);
  const whose = `account ${tenant} and its sub-accounts`;
  if (held.length >= limits.patternsOfTenant) {
    throw new Fault(
      "badPhoneNumber",
      `${whose} have ${held.length} patterns, and at most ${limits.patternsOfTenant}`,
    );
  }
  const sizes = held.map(({ phoneNumber }) => programSize(phoneNumber));
  const size = sizes.reduce((sum, one) => sum + one, programSize(pattern));
  if (size <= limits.patternInstructions) return;
  throw new Fault(
    "badPhoneNumber",
    `with this PhoneNumber the patterns of ${whose} compile to up to ${size} instructions, and ` +
      `at most ${limits.patternInstructions}`,
  );
}
