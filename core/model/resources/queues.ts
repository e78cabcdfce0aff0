import { z } from "zod";
import { companion } from "../../protocol/companion.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A call that waits in a queue. */
export const queueMember = z.object({
  callSid: z.string(),
  /** Time at which it joined, in ms. */
  at: z.number(),
  /** The same by the steady clock; absent where a former version wrote it. */
  steadyAt: z.number().optional(),
  companion,
  /** The call that it is assigned to, and since when by the steady clock, in ms. */
  taken: z.object({ by: z.string(), at: z.number() }).nullable(),
});

/** A queue of waiting calls, the longest-waiting first. Internal: no interface shows it. */
export const queues = resource({
  type: "Queue",
  description: "Calls that wait, the longest-waiting first.",
  path: "Queues",
  sidPrefix: "QU",
  irregular: true,
  internal: true,
  fields: {
    friendlyName: z.string().min(1).max(limits.queueNameLength),
    /** The account and the name: there is one of each. */
    ownName: z.string(),
    /** In the order in which they came. */
    members: z.array(queueMember),
    /** Calls on their way into it, each with since when by the steady clock, in ms. */
    arriving: z.array(z.object({ callSid: z.string(), at: z.number() })).optional(),
    /** Calls that wait in it at most, where that is fewer than in any queue. */
    maxSize: z.number().int().optional(),
  },
  defaults: { members: [] },
  unique: ["ownName"],
});

export type Queue = RecordOf<typeof queues>;
export type QueueMember = z.infer<typeof queueMember>;
