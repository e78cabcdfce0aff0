/**
 * The bounds of number patterns. They count for a tenant, since its calls are matched against all of them
 * at once, and sub-accounts would pass a bound of each account.
 */
import { tenantOf } from "../accounts/tenant.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { inTurn } from "../base/in_turn.ts";
import type { Ports } from "../model/ports/ports.ts";
import { isPattern, programSize } from "../model/values/number_pattern.ts";

type RoomPorts = Pick<Ports, "accounts" | "records">;

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
 * Does what gives an account a pattern, where its tenant has room for one more. In turn for each tenant
 * of an instance. Throws `badPhoneNumber`, which names the bound.
 */
export async function withRoom<T>(
  accountSid: string,
  pattern: string,
  take: () => Promise<T>,
  ports: RoomPorts,
): Promise<T> {
  const account = await ports.accounts.get(accountSid);
  const tenant = account === null ? accountSid : tenantOf(account);
  return await inTurn(`patterns ${tenant}`, async () => {
    await checkRoom(tenant, pattern, ports);
    return await take();
  });
}

async function checkRoom(tenant: string, pattern: string, { records }: RoomPorts): Promise<void> {
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
