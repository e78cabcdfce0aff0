import { z } from "zod";

const value = z.union([z.string(), z.number(), z.boolean()]);

export type InformationalValue = z.infer<typeof value>;

/**
 * What the request that made a record told without an effect here, by the name of the parameter; null where
 * it told nothing.
 */
export const informational = z.record(z.string(), value).nullable();

export type Informational = z.infer<typeof informational>;
