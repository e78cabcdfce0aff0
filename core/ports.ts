import type { NumberOffer, NumberSearch } from "./numbers/offer.ts";
import type { TrunkSettings } from "./gateways/settings.ts";
import type { Bridge, Companions } from "./companion_ports.ts";
import type { Condition } from "./filters.ts";
import type { IceSettings } from "./ice_servers.ts";
import type { Job } from "./job.ts";
import type { PairCap } from "./messages/pair_cap.ts";
import type {
  Blobs,
  LocationSource,
  Mailer,
  MessageRoute,
  NumberProvider,
  Transcriber,
} from "./providers.ts";
import type { RecordOf } from "./resource.ts";
import type { Account } from "./resources/accounts.ts";
import type { resources } from "./resources/mod.ts";
import type { Counters } from "./supervisor/counters.ts";

/** What every record has. Dates are in ms. */
export interface Base {
  sid: string;
  accountSid: string;
  dateCreated: number;
  dateUpdated: number;
}

/** A further record that a change makes: the name its resource goes by in `resources`, and it. */
export interface AlsoInserted {
  into: string;
  record: Base;
}

/** A further record that a change replaces, or makes where there is none. */
export type AlsoPut = AlsoInserted;

/** A further record that is gone with a change, if it was there. */
export interface AlsoGone {
  from: string;
  accountSid: string;
  sid: string;
}

/** A record that is replaced with a change; nothing happens to one that is gone. */
export interface AlsoUpdated {
  into: string;
  accountSid: string;
  sid: string;
  change(record: Base): Base;
}

export type AlsoWritten = AlsoInserted | AlsoUpdated;

/** Something that costs money, as the ledger counts it. */
export interface Charge {
  category: "calls" | "sms" | "phonenumbers" | "transcriptions";
  /** In millionths of the account's currency, whole. */
  priceMicros: number;
  /** What was used, in whole units of the category: minutes, messages, numbers. */
  usage: number;
  /** In ms: the UTC day that it counts for. */
  at: number;
}

/**
 * The new state of a record, the jobs it causes, the records it makes, replaces and removes, and the
 * charges to its account: all are committed, or none.
 */
export interface Change<T> {
  record: T;
  jobs?: Job[];
  also?: AlsoInserted[];
  put?: AlsoPut[];
  gone?: AlsoGone[];
  charges?: Charge[];
}

export interface Query {
  where: Condition[];
  skip: number;
  limit: number;
  /** Start right after (that is, older than) this Sid instead of at `skip`. */
  after?: string;
  /** What that record has in the field that lists are sorted by, lest it is gone meanwhile. */
  afterText?: string;
}

export interface Slice<T> {
  items: T[];
  /** Of all that pass the conditions. */
  total: number;
}

/** The records of one resource type, by account. Another account's record is not found. */
export interface Collection<T extends Base> {
  get(accountSid: string, sid: string): Promise<T | null>;
  /** Newest first, or in the order of the resource's `sorted` field when only its fields are asked for. */
  list(accountSid: string, query: Query): Promise<Slice<T>>;
  /** Throws `alreadyExists` when a unique field is taken. */
  insert(change: Change<T>): Promise<T>;
  /**
   * Replaces a record, retried while other writers win the race, so `change` must be pure. The same
   * record object without jobs writes nothing. Throws `notFound`, or what `change` throws.
   */
  update(accountSid: string, sid: string, change: (record: T) => Change<T>): Promise<T>;
  /** Throws `notFound`. */
  remove(accountSid: string, sid: string, change?: (record: T) => Change<T>): Promise<void>;
  /** Prepares older records' texts for `contains` conditions; lists are right without it, but slow. */
  packTexts(accountSid: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes records that were made before an instant in ms, oldest first and at most
   * `limits.removedAtOnce`, with what is kept beside them; how many. Those that `stays` is true of
   * stay.
   */
  removeOld(accountSid: string, before: number, stays?: (record: T) => boolean): Promise<number>;
  /** The record that holds a value of a unique field, in whatever account. */
  holder(field: keyof T & string, value: string): Promise<T | null>;
  /** All records of a service-wide group. */
  group(name: string, value: string): Promise<T[]>;
}

// deno-lint-ignore no-explicit-any
export type AnyCollection = Collection<any>;

export type Records = {
  [K in keyof typeof resources]: Collection<RecordOf<(typeof resources)[K]>>;
};

/** The tree of accounts. */
export interface Accounts {
  get(sid: string): Promise<Account | null>;
  /**
   * An account as it was within the last `limits.accountRecentMs`, without a read; undefined when it
   * was not read then. What this instance changes shows at once, what another changes after that time.
   */
  recent(sid: string): Account | undefined;
  /** E-mail addresses are compared without case. */
  byEmail(email: string): Promise<Account | null>;
  /** The direct sub-accounts, newest first; of "" the root account. */
  children(sid: string): Promise<Account[]>;
  /** Their Sids, which cost far less when there are many. */
  childSids(sid: string): Promise<string[]>;
  insert(change: Change<Account>): Promise<Account>;
  update(sid: string, change: (account: Account) => Change<Account>): Promise<Account>;
}

/** What one account was charged on one UTC day. */
export interface DayOfUsage {
  /** Its midnight, in ms. */
  day: number;
  sums: {
    category: Charge["category"];
    count: number;
    usage: number;
    priceMicros: number;
  }[];
}

/** The sums of every account's charges. */
export interface Ledger {
  /** The days with charges that touch a span of time in ms, latest first. */
  days(accountSid: string, span: { from: number; before: number }): Promise<DayOfUsage[]>;
}

/** The numbers that the operator loaded. */
export interface Stock {
  countries(): Promise<string[]>;
  /** In order of number. */
  search(wanted: NumberSearch): AsyncIterable<NumberOffer>;
  get(phoneNumber: string): Promise<NumberOffer | null>;
  /** Adds offers, or replaces those of the same number. How many were new. */
  put(offers: NumberOffer[]): Promise<number>;
}

/** What the configuration tells core. */
export interface Settings {
  /** Without a trailing slash. */
  baseUrl: string;
  sipDomain: string;
  /** Names this instance in callbacks. */
  instanceId: string;
  /** How often a status callback is tried. */
  callbackAttempts: number;
  /** How long deliveries are kept, in ms. */
  deliveryKeptMs: number;
  /** The build that runs, as Supervisor metrics tell it. */
  revision: string;
  /** What an account may ask this instance; 0: without a limit. */
  requestsPerSecond: number;
  /** Characters that the password of a Client has at least. */
  clientPasswordMin: number;
  /** Messages leave only from what the account may send from. */
  strictSmsFrom: boolean;
  /** Short codes that every account may send from. */
  smsShortCodes: string[];
  /** What a message to a number that leaves the service costs, in millionths. */
  smsRateMicros(number: string): number;
  /** The audio of recordings needs no credentials. */
  recordingsPublic: boolean;
  /** Audio is brought to object storage that everybody may read. */
  recordingsOpenInS3: boolean;
  /** What a month of a phone number costs, in millionths. */
  numberPriceMicros: number;
  /** What a minute of a transcribed recording costs, in millionths. */
  transcriptionPriceMicros: number;
  trunks: TrunkSettings;
  ice: IceSettings;
}

/** The outside world as core sees it. */
export interface Ports {
  records: Records;
  accounts: Accounts;
  companions: Companions;
  ledger: Ledger;
  numbers: NumberProvider;
  settings: Settings;
  bridge: Bridge;
  /** Tried in order. */
  messageRoutes: MessageRoute[];
  /** Null when sending e-mail is not configured. */
  mailer: Mailer | null;
  blobs: Blobs;
  /** Null when none is configured. */
  locationSource: LocationSource | null;
  /** Counts the messages between two that no person may have written. */
  messagePairs: PairCap;
  /** Null when nobody is set up who makes text of speech. */
  transcriber: Transcriber | null;
  /** What this instance has counted since it started. */
  counters: Counters;
  /** Signs a text with the server's secret, in hex. */
  sign(text: string): Promise<string>;
  /** In ms. */
  now(): number;
  newSid(prefix: string): string;
  /**
   * Requests to customers' servers: guarded against private addresses, redirects followed, each
   * request that one leads to signed anew by `signer`.
   */
  fetch(request: Request, signer?: (redirected: Request) => Request): Promise<Response>;
  /** The AuthToken of a password: slow, salted with the Sid and the server's secret; 32 hex digits. */
  deriveToken(accountSid: string, password: string): Promise<string>;
  log(line: string, fields?: Record<string, unknown>): void;
}
