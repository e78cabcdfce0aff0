/**
 * Responses to requests with an `Idempotency-Key`. A retry gets the status, body and Sid of the
 * first request, also after `kill -9` between the commit and the response.
 *
 * The body is stored in the commit that makes the record. Its key (SHA-256 of account, caller and
 * key) is a unique value, so the commit of a twin fails, and the twin reads the first response.
 * Refused: the record's Sid alone (the record may have changed or be gone, and secrets shown once
 * are lost); a copy of the record (as large as the body, and each resource would need a way back).
 *
 * The body is compressed and sealed under the key as it was sent. Only the hash of that key is
 * stored, so the store alone opens no response. Retention, backup, counters and erasure treat it as
 * any resource. `expireIn` of Deno KV is not used: counters would not follow it. A Call with a key
 * costs one more record of some 900 bytes.
 */
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
    /** Number of parts of the response. */
    parts: z.number().int(),
    /** One part, compressed and sealed under the key as it was sent, which is not stored. */
    part: z.string(),
  },
  secret: ["part"],
  unique: ["key"],
});

export type IdempotencyKey = RecordOf<typeof idempotencyKeys>;
