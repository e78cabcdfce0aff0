import { z } from "zod";

/**
 * The accounts whose limits count a record, each with when it got its first limit, in ms; null where
 * none does. What is counted is given back to these, whatever limits there are by then.
 */
export const limitedBy = z.array(z.tuple([z.string(), z.number()])).nullable();
