import { z } from "zod";
import type { Condition } from "../../base/filters.ts";
import type { FaultName } from "../../base/faults.ts";
import type { Base } from "../../base/record.ts";
import type { DateOperator } from "../../base/dates.ts";
import type { Query, Slice } from "../../model/store.ts";
import type { Ports } from "../../model/ports/ports.ts";
import type { Account } from "../../model/resources/accounts.ts";
import type { InformationalValue } from "../../model/resources/internal/informational.ts";
import type { Requester } from "../../model/resources/internal/call_end.ts";

/** A request to this interface, as operations see it. */
export interface Asked {
  /** The account of the credentials. */
  caller: Account;
  /** The account in the path: the caller or one of its descendants. */
  account: Account;
  /** The names of the path: `{CallSid}` of the pattern is `CallSid` here. */
  path: Readonly<Record<string, string>>;
  requester: Requester;
  ports: Ports;
}

/** Handling of a parameter of Twilio's library. */
export type State = "works" | "stored" | "informational" | "ignored" | "refused";

/** A parameter of an operation, by its name in Twilio's interface. */
export interface Parameter<S extends z.ZodType = z.ZodType> {
  state: State;
  /** Of an optional one: it accepts `undefined`. */
  schema: S;
  /** For the conformance table: a restriction, what it does here, or why it is refused. */
  note: string;
}

/** An optional parameter that does what it does at Twilio. */
export const works = <S extends z.ZodType>(
  schema: S,
  note = "",
): Parameter<z.ZodOptional<S>> => ({ state: "works", schema: schema.optional(), note });

/** The same of a parameter without which the operation is refused. */
export const needs = <S extends z.ZodType>(schema: S, note = ""): Parameter<S> => ({
  state: "works",
  schema,
  note: note === "" ? "required" : `required; ${note}`,
});

/** A parameter that is stored and shown, and has no effect. `note` says so to the reader. */
export const stored = <S extends z.ZodType>(
  schema: S,
  note = "",
): Parameter<z.ZodOptional<S>> => ({ state: "stored", schema: schema.optional(), note });

/**
 * A parameter that would have an effect at Twilio and has none here: a value is answered with 400
 * and the reason. `harmless` are values that change nothing, and the empty one.
 */
export const refused = (
  reason: string,
  harmless: readonly string[] = [],
): Parameter<z.ZodOptional<z.ZodType>> => ({
  state: "refused",
  schema: z.any().refine(
    (sent) => sent === undefined || sent === "" || harmless.includes(String(sent)),
    `is not supported: ${reason}`,
  ).transform(() => undefined).optional(),
  note: harmless.length === 0 ? reason : `${reason} (${harmless.join(", ")}: accepted)`,
});

/**
 * A parameter that has no effect and informs the reader of the record, which stores its value and
 * shows it (`informational.ts`); a value is answered with a `Warning` header that has the reason. An empty
 * one is none.
 */
export const informational = <S extends z.ZodType<InformationalValue>>(
  schema: S,
  reason: string,
): Parameter<z.ZodType<z.infer<S> | undefined>> => ({
  state: "informational",
  schema: z.union([z.literal("").transform(() => undefined), schema]).optional(),
  note: reason,
});

/** The same of one whose value is a secret, and is not stored. */
export const ignored = (reason: string): Parameter<z.ZodOptional<z.ZodType>> => ({
  state: "ignored",
  schema: z.any().optional(),
  note: reason,
});

export type Parameters = Record<string, Parameter>;

/** Parameters of a request, by their names; refused ones are never there. */
export type SentOf<P extends Parameters> = {
  readonly [K in keyof P]: z.infer<P[K]["schema"]>;
};

/** An operation that answers with a record. */
export interface Action<T = Base> {
  parameters: Parameters;
  /** The specific fault of a parameter that is missing or wrong. */
  faults?: Record<string, FaultName>;
  // deno-lint-ignore no-explicit-any
  perform(asked: Asked, sent: any): Promise<T>;
  /** The record of the response, where `perform` makes another one. */
  // deno-lint-ignore no-explicit-any
  shown?(made: any, asked: Asked, sent: any): T;
}

/** Declares an operation. Identity at run time: it infers what `perform` is sent. */
export const action = <T, P extends Parameters>(
  declared: {
    parameters: P;
    faults?: { [K in keyof P]?: FaultName };
    perform(asked: Asked, sent: SentOf<P>): Promise<T>;
    // deno-lint-ignore no-explicit-any
    shown?(made: any, asked: Asked, sent: SentOf<P>): T;
  },
): Action<T> => declared as Action<T>;

/** Circumstances that the value of a filter depends on. */
export interface Circumstances {
  /** Country of numbers without `+` (ISO 3166). */
  country: string | null;
  /** In ms: the day that offsets count from. */
  now: number;
}

/** A filter of a list, by the name of a query parameter of Twilio's interface. */
export interface Filter {
  state: State;
  note: string;
  /** A date: the name may end in `<` or `>`. */
  isDate?: boolean;
  /** The conditions on records. Throws `badParameter`, without the name, for a wrong value. */
  conditions(text: string, operator: DateOperator, circumstances: Circumstances): Condition[];
}

/** A list: its filters, and how it is read. */
export interface Listed<T = Base> {
  filters: Record<string, Filter>;
  /** The field that the list is in the order of, where it is not newest first. */
  sortedBy?: string;
  read(asked: Asked, query: Query): Promise<Slice<T>>;
}

/** Representation of a record: JSON keys, each with its value. XML elements follow from them. */
export type Written<T> = Record<string, (record: T, asked: Asked) => unknown>;

/**
 * A noun of this interface: which record it shows, how, and what can be done with it. Routes, JSON,
 * XML, paging, errors and the conformance table derive from it. What is absent is answered with 405.
 */
export interface Noun<T extends Base = Base> {
  /** The XML element of a record. */
  type: string;
  /** Below the account, with `{Names}` of parents: `Calls/{CallSid}/Recordings`. */
  path: string;
  /** Further paths under which it answers alike. */
  otherPaths?: string[];
  /** The key of its lists in JSON; in XML, in PascalCase. */
  plural: string;
  /** Its address is below all accounts, not below one. */
  isAccount?: boolean;
  /** Its records are not stored: an `Idempotency-Key` means nothing. */
  isFleeting?: boolean;
  /** There is one for each account, at `path` itself. */
  isSingle?: boolean;
  fields: Written<T>;
  /** The address of a record below its account; null where it has none. */
  address: ((record: T, asked: Asked) => string) | null;
  /** `subresource_uris`: keys, each with the path below the record's address. */
  below?: Record<string, string>;
  create?: Action<T>;
  fetch?(asked: Asked): Promise<T>;
  update?: Action<T>;
  remove?(asked: Asked): Promise<void>;
  listed?: Listed<T>;
  /** For the conformance table: what a reader must know of the whole noun. */
  note?: string;
}

// deno-lint-ignore no-explicit-any
export type AnyNoun = Noun<any>;

/** Declares a noun. Identity at run time: it infers the record. */
export const noun = <T extends Base>(declared: Noun<T>): Noun<T> => declared;
