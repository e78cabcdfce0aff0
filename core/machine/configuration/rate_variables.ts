import { z } from "zod";
import type { Variable } from "./variable.ts";

const rate = z.coerce.number("must be a number").int().min(0).max(1_000_000);

/** The variables of how many requests an account may send. */
export const rateVariables = {
  REQUESTS_PER_SECOND: {
    group: "network",
    schema: z.union([z.literal(""), rate.transform(String)], "must be a number"),
    fallback: "",
    help:
      "Requests of one tenant (an account below the root account, with its sub-accounts) that an instance answers in a second, reading and writing together, " +
      "ten times as many at once after a pause; more get 429 and Retry-After. 0: any number. " +
      "Default: no limit over both, but READS_PER_SECOND and WRITES_PER_SECOND.",
  },
  READS_PER_SECOND: {
    group: "network",
    schema: rate,
    fallback: ({ REQUESTS_PER_SECOND }) => REQUESTS_PER_SECOND === "" ? "1000" : "0",
    help:
      "The same of requests that read (GET). Default: 1000, and 0 where REQUESTS_PER_SECOND is set.",
  },
  WRITES_PER_SECOND: {
    group: "network",
    schema: rate,
    fallback: ({ REQUESTS_PER_SECOND }) => REQUESTS_PER_SECOND === "" ? "1000" : "0",
    help: "The same of requests that write (POST, PUT, DELETE). Default: as READS_PER_SECOND.",
  },
} satisfies Record<string, Variable>;
