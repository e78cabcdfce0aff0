import { z } from "zod";
import { type RecordOf, resource } from "../resource.ts";

/**
 * The response to a request with an `Idempotency-Key`, committed with the record that the request made.
 * Internal: no interface shows it. A long response has further records, its parts.
 */
export const idempotencyKeys = resource({
  type: "IdempotencyKey",
  description: "The response to a request that was sent with an Idempotency-Key.",
  path: "IdempotencyKeys",
  sidPrefix: "IK",
  irregular: true,
  internal: true,
  fields: {
    /** The hash of the key and of whose it is; a further part has `.` and its number after it. */
    key: z.string(),
    /** The hash of the method, the path and the body. */
    request: z.string(),
    /** Sid of the record that the request made. */
    made: z.string(),
    status: z.number().int(),
    contentType: z.string(),
    /** How many parts the response has. */
    parts: z.number().int(),
    /** One of them, compressed and sealed under the key as it was sent, which is not kept. */
    part: z.string(),
  },
  secret: ["part"],
  unique: ["key"],
});

export type IdempotencyKey = RecordOf<typeof idempotencyKeys>;
