import { createHash } from "node:crypto";
import { Fault } from "../../core/base/faults.ts";
import { limits } from "../../core/base/limits.ts";
import { earlierNow } from "../../core/base/steady_clock.ts";
import type { Base } from "../../core/base/record.ts";
import type { AlsoInserted } from "../../core/model/record_types.ts";
import { newBase } from "../../core/model/resource.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import {
  type IdempotencyKey,
  idempotencyKeys as definition,
} from "../../core/model/resources/idempotency_keys.ts";
import { openBody, sealBody } from "./body_seal.ts";

/** A request with an Idempotency-Key: the first of its kind makes a record, all get its response. */
export interface Once {
  accountSid: string;
  /** The key as it was sent. */
  sent: string;
  /** Its hash, with whose it is. */
  key: string;
  /** The hash of the method, the path and the body. */
  request: string;
}

/** A response as it was sent. */
export interface KeptResponse {
  status: number;
  contentType: string;
  body: string;
}

/** Request that an Idempotency-Key was sent with. */
export interface Asked {
  /** The account that gets the record. */
  accountSid: string;
  /** Whose credentials: the Sid of an account. Each caller has keys of its own. */
  caller: string;
  method: string;
  path: string;
  body: Uint8Array;
}

/** Throws `badParameter` for a key that is empty, too long, or not of visible ASCII characters. */
export function onceOf(sent: string, { accountSid, caller, method, path, body }: Asked): Once {
  if (sent.length > limits.idempotencyKeyLength || !/^[\x21-\x7e]+$/.test(sent)) {
    const most = limits.idempotencyKeyLength;
    throw new Fault(
      "badParameter",
      `Idempotency-Key must have 1 to ${most} visible ASCII characters`,
    );
  }
  const key = createHash("sha256").update(`${accountSid} ${caller} ${sent}`).digest("hex");
  const request = createHash("sha256").update(`${method} ${path}\n`).update(body).digest("hex");
  return { accountSid, sent, key, request };
}

type OncePorts = Pick<Ports, "records" | "newSid" | "now" | "steadyNow">;

/**
 * The records that keep a response, for the commit of what the request made. A second commit with the
 * same key fails, since the key is unique.
 */
export function kept(
  once: Once,
  made: string,
  response: KeptResponse,
  ports: OncePorts,
): AlsoInserted[] {
  const { accountSid, sent, key, request } = once;
  const { status, contentType } = response;
  const sealed = sealBody(response.body, sent);
  const parts = Math.ceil(sealed.length / limits.idempotencyPartLength);
  return Array.from({ length: parts }, (_, n) => {
    const start = n * limits.idempotencyPartLength;
    const part = sealed.slice(start, start + limits.idempotencyPartLength);
    const base: Base = newBase(definition, accountSid, ports);
    const one = { request, made, status, contentType, parts, part, key: keyOf(key, n) };
    return { into: "idempotencyKeys", record: { ...base, ...one } };
  });
}

const keyOf = (key: string, part: number): string => part === 0 ? key : `${key}.${part}`;

/**
 * The response of an earlier request with the same key, or null. Throws `alreadyExists` when that
 * request was another one. A key that is older than it is kept is forgotten here.
 */
export async function earlier(once: Once, ports: OncePorts): Promise<KeptResponse | null> {
  const { accountSid, key, request, sent } = once;
  const records = ports.records.idempotencyKeys;
  const first = await records.holder("key", key);
  if (first === null) return null;
  const rest = await Promise.all(
    Array.from({ length: first.parts - 1 }, (_, n) => records.holder("key", keyOf(key, n + 1))),
  );
  const parts = [first, ...rest].filter((part): part is IdempotencyKey => part !== null);
  if (
    first.dateCreated <= earlierNow(ports) - limits.idempotencyRetentionMs ||
    parts.length < first.parts
  ) {
    await records.erase(accountSid, parts.map(({ sid }) => sid));
    return null;
  }
  if (first.request !== request) {
    throw new Fault(
      "alreadyExists",
      "Idempotency-Key was sent before with another method, path or body",
    );
  }
  const { status, contentType } = first;
  return { status, contentType, body: openBody(parts.map(({ part }) => part).join(""), sent) };
}
