import { z } from "zod";

/** What the companion hands back when a step ends: where the next document comes from. */
export const action = z.object({
  url: z.string(),
  method: z.enum(["GET", "POST"]),
  /** Documents in a row that took no time; 0 when the steps before the report did. */
  hops: z.number().int().nonnegative(),
  /** What was typed in steps before that had no action to tell it to. */
  digits: z.string().optional(),
  /** What the verb came to, where the service knew before it was performed. */
  params: z.record(z.string(), z.string()).optional(),
});

export type Action = z.infer<typeof action>;
