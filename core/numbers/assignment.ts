import { createHash } from "node:crypto";

/**
 * The companion that a Sid is assigned to, by rendezvous hashing: all processes with the same list of
 * companions agree, and one that comes or goes moves its own share alone. Null without companions.
 */
export function assigneeOf(sid: string, companionIds: string[]): string | null {
  const weight = (id: string) => createHash("sha256").update(`${sid} ${id}`).digest("hex");
  const [best] = companionIds.map((id) => ({ id, weight: weight(id) }))
    .toSorted((a, b) => a.weight < b.weight ? 1 : -1);
  return best?.id ?? null;
}
