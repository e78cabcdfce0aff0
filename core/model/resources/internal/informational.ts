import { z } from "zod";

const value = z.union([z.string(), z.number(), z.boolean()]);

export type InformationalValue = z.infer<typeof value>;

/**
 * Parameters without an effect here, as the request that made a record sent them, by name; null
 * without any.
 */
export const informational = z.record(z.string(), value).nullable();

export type Informational = z.infer<typeof informational>;
