import { z } from "zod";

/** Action of a step: the next document, which the companion returns when the step ends. */
export const action = z.object({
  url: z.string(),
  method: z.enum(["GET", "POST"]),
  /** Documents in a row that took no time; 0 when the steps before the report did. */
  hops: z.number().int().nonnegative(),
  /** Digits of earlier steps that had no action of their own. */
  digits: z.string().optional(),
  /** Result of the verb, where the service knew it before the verb began. */
  params: z.record(z.string(), z.string()).optional(),
});

export type Action = z.infer<typeof action>;
