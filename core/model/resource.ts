import { z } from "zod";
import type { FaultName } from "../base/faults.ts";
import type { FilterKind } from "../base/filters.ts";
import type { Base } from "../base/record.ts";
import type { Change } from "./store.ts";

/** The fields of a resource's records, each with the schema of its value. */
export type Fields = z.ZodRawShape;

type Entity<F extends Fields> = z.infer<z.ZodObject<F>> & Base;
type Name<F> = keyof F & string;

/** Defaults: the value of an unsent field, or a function of the fields that were sent. */
type Defaults<F extends Fields> = {
  [K in Name<F>]?:
    | z.infer<F[K]>
    | ((sent: { readonly [L in Name<F>]: z.infer<F[L]> }) => z.infer<F[K]>);
};

/** Use of the limits of accounts by a record (`values/account_limits.ts`). */
export interface Uses {
  /** It is a live call. */
  isCall: boolean;
  /** It is a message that is, or was, sent. */
  isText: boolean;
  /** Recipients of an e-mail; none unless given. */
  emails?: number;
  /** Least charge to come, in millionths; 0 once it is over. */
  reservedMicros: number;
}

/** Declaration of a resource type; routes, storage and wire forms derive from it. */
export interface Resource<F extends Fields = Fields> {
  /** The XML element. */
  type: string;
  /** One sentence about a record, shown by the reference and OpenAPI. */
  description: string;
  /** Below /Accounts/{AccountSid}/; also the list's XML element and, in snake_case, its JSON key. */
  path: string;
  /** The XML element of a list, where it is not the last segment of the path. */
  listType?: string;
  sidPrefix: string;
  /** Prefix in the store, where another resource has the same `sidPrefix`. */
  storedAs?: string;
  /** No operation is derived: a route file serves it. */
  irregular?: boolean;
  /** Internal: no response shows it. */
  internal?: boolean;
  fields: F;
  /** Fields that stay inside the service. */
  hidden?: (Name<F> | keyof Base)[];
  /** Fields that the store seals at rest. */
  secret?: Name<F>[];
  create?: { required: Name<F>[]; optional: Name<F>[] };
  update?: Name<F>[];
  removable?: boolean;
  /** Lists carry the paging envelope; without it they are plain arrays. */
  paged?: boolean;
  /** Other parameter names that are understood, each with the field it means. */
  aliases?: Record<string, Name<F>>;
  filters?: { [K in Name<F>]?: FilterKind };
  /**
   * The text field that lists are in the order of, where they are not newest first, and the fields
   * that such a list may be narrowed by; their filters need no other index.
   */
  sorted?: { by: Name<F>; holds: Name<F>[] };
  /** The date fields that the filters StartTime and EndTime are about. */
  period?: { start: Name<F> | keyof Base; end: Name<F> | keyof Base };
  /** Lists may be filtered by DateCreated too: the start of the period may be missing. */
  filtersCreation?: boolean;
  defaults?: Defaults<NoInfer<F>>;
  /** Fields whose value no other record of the service may have. */
  unique?: Name<F>[];
  /** Fields that hold a Sid of the same account, each with the resource it must be of. */
  references?: { [K in Name<F>]?: string };
  /** Service-wide groups of records: each function names the group a record is in, or null. */
  groups?: Record<string, (record: Entity<NoInfer<F>>) => string | null>;
  /**
   * Groups of the records of a tenant (the account right below the root account, with its
   * sub-accounts). Each function says if a record is in that group.
   */
  tenantGroups?: Record<string, (record: Entity<NoInfer<F>>) => boolean>;
  /** The specific fault of a parameter that is missing or wrong. */
  faults?: { [K in Name<F>]?: FaultName };
  /**
   * True for a record that is seldom read once it is written: the store does not cache it. Not for
   * records that may be inserted again under the same Sid, whose presence the store must see.
   */
  isSeldomRead?(record: Entity<NoInfer<F>>): boolean;
  /**
   * Use of the limits of the record's account and of those above; null: none. The field `limitedBy`
   * of such a resource has the accounts that count the record.
   */
  uses?(record: Entity<NoInfer<F>>): Uses | null;
  /** A SIP trace is stored beside a record for a while; the removal of the record removes it. */
  hasSipTrace?: boolean;
  /** Lists below one record, advertised as SubresourceUris: path segments. */
  subresources?: string[];
  created?(record: Entity<NoInfer<F>>): Change<Entity<NoInfer<F>>>;
  updated?(before: Entity<NoInfer<F>>, after: Entity<NoInfer<F>>): Change<Entity<NoInfer<F>>>;
  removed?(record: Entity<NoInfer<F>>): Change<Entity<NoInfer<F>>>;
}

/** Declares a resource. Identity at run time: it exists to infer `F`. */
export function resource<F extends Fields>(definition: Resource<F>): Resource<F> {
  return definition;
}

export type RecordOf<R> = R extends Resource<infer F> ? Entity<F> : never;

/** A record of any resource. */
export type AnyRecord = Base & Record<string, unknown>;

/** Any resource: derived routes and storage work on it. */
// deno-lint-ignore no-explicit-any
export type AnyResource = Resource<any>;

const base = ["sid", "dateCreated", "dateUpdated", "accountSid"];

/** The fields that leave the service, in the order of the wire. */
export const visibleFields = (
  { fields, hidden = [] }: Pick<AnyResource, "fields" | "hidden">,
): string[] => [...base, ...Object.keys(fields)].filter((field) => !hidden.includes(field));

/** The schema of the parameters that a create or an update accepts, by field name. */
export function paramsSchema(
  fields: Fields,
  required: readonly string[],
  optional: readonly string[],
): z.ZodObject {
  // The names are of fields: Resource types them so.
  const must = required.map((name) => [name, fields[name]!] as const);
  const may = optional.map((name) => [name, z.optional(fields[name]!)] as const);
  return z.object(Object.fromEntries([...must, ...may]));
}

/** The fields that were sent, and the defaults of those that were not. */
export function withDefaults(
  { defaults = {} }: AnyResource,
  sent: Record<string, unknown>,
): Record<string, unknown> {
  const missing = Object.entries(defaults).filter(([field]) => sent[field] === undefined);
  const values = missing.map(([field, value]) => [
    field,
    typeof value === "function" ? value(sent) : value,
  ]);
  return { ...sent, ...Object.fromEntries(values) };
}

/** Base fields of a new record. */
export function newBase(
  { sidPrefix }: AnyResource,
  accountSid: string,
  { newSid, now }: { newSid(prefix: string): string; now(): number },
): Base {
  const dateCreated = now();
  return { sid: newSid(sidPrefix), accountSid, dateCreated, dateUpdated: dateCreated };
}

/** The change that makes a record of the parameters sent, with defaults and the `created` hook. */
export function creation<F extends Fields>(
  definition: Resource<F>,
  sent: Record<string, unknown>,
  base: Base,
): Change<Entity<F>> {
  // The definition's own schemas have checked what was sent.
  const record = { ...base, ...withDefaults(definition, sent) } as Entity<F>;
  return definition.created?.(record) ?? { record };
}

/** The change that the parameters sent make to a record; none when nothing was sent. */
export function alteration<F extends Fields>(
  definition: Resource<F>,
  before: Entity<F>,
  { sent, now }: { sent: Record<string, unknown>; now: number },
): Change<Entity<F>> {
  if (Object.keys(sent).length === 0) return { record: before };
  const after = { ...before, ...sent, dateUpdated: now };
  return definition.updated?.(before, after) ?? { record: after };
}
