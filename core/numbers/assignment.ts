import { createHash } from "node:crypto";

/**
 * Which of the companions looks after something: rendezvous hashing, so that all who know the same
 * companions agree, and one that comes or goes moves nothing but its own share. Null when none lives.
 */
export function assigneeOf(sid: string, companionIds: string[]): string | null {
  const weight = (id: string) => createHash("sha256").update(`${sid} ${id}`).digest("hex");
  const [best] = companionIds.map((id) => ({ id, weight: weight(id) }))
    .toSorted((a, b) => a.weight < b.weight ? 1 : -1);
  return best?.id ?? null;
}
