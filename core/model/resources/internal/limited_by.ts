import { z } from "zod";

/**
 * Accounts whose limits count a record, each with the time of its first limit, in ms; null without
 * any. Uses are given back to these accounts, whatever limits exist by then.
 */
export const limitedBy = z.array(z.tuple([z.string(), z.number()])).nullable();
