import { Fault } from "./faults.ts";
import type { Ports } from "./ports.ts";
import { newBase, withDefaults } from "./resource.ts";
import { type Sandbox, sandboxes } from "./resources/sandboxes.ts";

/** The one Sandbox of an account, made when it is first asked for. */
export async function sandboxOf(accountSid: string, ports: Ports): Promise<Sandbox> {
  // One Sid for each account, so that two first reads cannot make two.
  const sid = sandboxes.sidPrefix + accountSid.slice(2);
  const known = await ports.records.sandboxes.get(accountSid, sid);
  if (known !== null) return known;
  const base = newBase(sandboxes, accountSid, ports);
  const pin = pinOf(base.sid);
  const record = { ...base, ...withDefaults(sandboxes, { pin }), sid } as Sandbox;
  try {
    return await ports.records.sandboxes.insert({ record });
  } catch (error) {
    const isMade = error instanceof Fault && error.fault === "alreadyExists";
    if (!isMade) throw error;
    return (await ports.records.sandboxes.get(accountSid, sid))!;
  }
}

/** Eight digits out of the random part of a new Sid. */
const pinOf = (sid: string): string =>
  String(BigInt(`0x${sid.slice(14)}`) % 100_000_000n).padStart(8, "0");
