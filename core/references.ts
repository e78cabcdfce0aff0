import { Fault } from "./faults.ts";
import type { AnyCollection, Records } from "./ports.ts";
import type { AnyResource } from "./resource.ts";
import { pascal } from "./wire.ts";

/** Throws `badParameter` when a Sid that was sent names no record of the account. */
export async function checkReferences(
  { references = {} }: AnyResource,
  sent: Record<string, unknown>,
  { records, accountSid }: { records: Records; accountSid: string },
): Promise<void> {
  for (const [field, name] of Object.entries(references)) {
    const sid = sent[field];
    if (typeof sid !== "string") continue;
    const collection: AnyCollection = records[name as keyof Records];
    if (await collection.get(accountSid, sid) !== null) continue;
    throw new Fault("badParameter", `${pascal(field)} must name one of the account's ${name}`);
  }
}
