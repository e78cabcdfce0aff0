import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import { alteration, creation, newBase } from "../model/resource.ts";
import { type Sandbox, sandboxes } from "../model/resources/sandboxes.ts";

/**
 * Returns the one Sandbox of an account, made at its first request, with the changes of the
 * parameters.
 */
export async function sandboxOf(
  accountSid: string,
  ports: Ports,
  sent: Record<string, unknown> = {},
): Promise<Sandbox> {
  const records = ports.records.sandboxes;
  // One Sid for each account, so that two first reads cannot make two.
  const sid = sandboxes.sidPrefix + accountSid.slice(2);
  const change = (before: Sandbox) => alteration(sandboxes, before, { sent, now: ports.now() });
  if (await records.get(accountSid, sid) === null) {
    const base = newBase(sandboxes, accountSid, ports);
    const { record } = creation(sandboxes, { pin: pinOf(base.sid) }, { ...base, sid });
    try {
      return await records.insert(change(record));
    } catch (error) {
      const isMade = error instanceof Fault && error.fault === "alreadyExists";
      if (!isMade) throw error;
    }
  }
  return await records.update(accountSid, sid, change);
}

/** Eight digits out of the random part of a new Sid. */
const pinOf = (sid: string): string =>
  String(BigInt(`0x${sid.slice(14)}`) % 100_000_000n).padStart(8, "0");
