import type { LoopShares } from "../../base/loop_work.ts";
import type { Answer, OutgoingRequest, RedirectSigner } from "../../base/outgoing.ts";
import type { Cookie } from "../../base/cookies.ts";
import type { StoreFailure } from "../../base/store_failure.ts";
import type { Trace } from "../../protocol/traces.ts";
import type { NumberOffer, NumberSearch } from "../values/offer.ts";
import type { AbsentLogins, CompanionControl, Companions } from "./companion_ports.ts";
import type { ChangeFeed } from "./change_feed.ts";
import type { PairCap } from "../values/pair_cap.ts";
import type {
  Blobs,
  LocationSource,
  Mailer,
  MessageRoute,
  NumberProvider,
  Transcriber,
} from "./providers.ts";
import type { JobQueue } from "./job_queue.ts";
import type { RecordOf } from "../resource.ts";
import type { Account } from "../resources/accounts.ts";
import type { Key } from "../resources/keys.ts";
import type { resources } from "../resources/mod.ts";
import type { Settings } from "../values/settings.ts";
import type { Change, Charge, Collection } from "../store.ts";
import type { Job } from "../job.ts";
import type { AccountLimits, LimitState } from "../values/account_limits.ts";
import type { Counters } from "../values/counter_names.ts";

export type Records = {
  [K in keyof typeof resources]: Collection<RecordOf<(typeof resources)[K]>>;
};

/** The tree of accounts. */
export interface Accounts {
  get(sid: string): Promise<Account | null>;
  /**
   * Cached account, at most `limits.accountRecentMs` old; undefined when it was not read in that
   * time. Changes by this instance show at once, those by others after that time.
   */
  recent(sid: string): Account | undefined;
  /**
   * Any account that was read before, null at first. Opening it takes as long as `get` takes beside
   * the read, so that a missing account cannot be timed.
   */
  decoy(): Account | null;
  /** E-mail addresses are compared without case. */
  byEmail(email: string): Promise<Account | null>;
  /** The direct sub-accounts, newest first; of "" the root account. */
  children(sid: string): Promise<Account[]>;
  /** Their Sids, which cost far less when there are many. */
  childSids(sid: string): Promise<string[]>;
  /**
   * Throws `badParameter` where the parent has `siblings` sub-accounts already; of inserts at once, no
   * more are made.
   */
  insert(change: Change<Account> & { siblings?: number }): Promise<Account>;
  update(sid: string, change: (account: Account) => Change<Account>): Promise<Account>;
  /** The limits that are in force for an account: its own and those of the accounts above. */
  limitStates(sid: string): Promise<LimitInForce[]>;
  /** Changes the limits of an account. `isFirst`: it had none, and `countUses` is to count. */
  setLimits(
    sid: string,
    change: (limits: AccountLimits) => { limits: AccountLimits; jobs?: Job[] },
  ): Promise<{ since: number | null; isFirst: boolean }>;
  /** Counts the use of this day before the account had limits, once. */
  countEarlier(
    sid: string,
    earlier: { since: number; texts: number; spentMicros: number },
  ): Promise<void>;
}

/** Limits of one account, with the use by it and those below it. */
export interface LimitInForce {
  accountSid: string;
  /** Levels above the account that the limits are in force for. */
  level: number;
  isRoot: boolean;
  state: LimitState;
}

/** Whose request it is: the account, with no more power than the credentials have. */
export interface Caller {
  account: Account;
  /** The API key of the credentials. */
  key?: Key;
}

/** The API keys as credentials. */
export interface Keyring {
  /** The caller, when key and account were read within the last `limits.accountRecentMs`. */
  recent(sid: string, secret: string): Caller | undefined;
  /** Null when there is no such key, or its account is gone. */
  callerOf(sid: string, secret: string): Promise<Caller | null>;
  /** Notes the use of a key, once an hour. An error is logged: the key is good without it. */
  noteUse(key: Key): Promise<void>;
}

/** Charges of one account on one UTC day. */
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

/** The SIP traces of calls that failed, each for a time. */
export interface SipTraces {
  put(call: { accountSid: string; sid: string }, trace: Trace, keptMs: number): Promise<void>;
  /** Null where there is none, or none any more. */
  get(call: { accountSid: string; sid: string }): Promise<Trace | null>;
  remove(call: { accountSid: string; sid: string }): Promise<void>;
}

/** Whose cookies: those of one host, for a call or a text of an account. */
export interface CookieOwner {
  tenant: string;
  accountSid: string;
  /** Host and port, as a URL has them. */
  host: string;
  /** Ends of the call or text. */
  from: string;
  to: string;
  /** The call, for whose length they are stored as well; null of a text. */
  callSid: string | null;
}

/** The cookies of customers' servers, sealed. */
export interface CookieStore {
  /** The cookies of an owner, which count as used now. */
  get(owner: CookieOwner): Promise<readonly Cookie[]>;
  /** Replaces them; `change` is called again where another request changed them meanwhile. */
  change(
    owner: CookieOwner,
    change: (kept: readonly Cookie[]) => readonly Cookie[],
  ): Promise<void>;
  /** Removes those of an account whose From or To is the subject of an erasure. */
  erase(
    account: Pick<CookieOwner, "tenant" | "accountSid">,
    isSubject: (end: string) => boolean,
  ): Promise<void>;
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

/** The store, for its operator. */
export interface StoreOverview {
  statistics(): Promise<StoreStatistics>;
  /** The reason why the store cannot write now; null while it can. */
  failure(): StoreFailure | null;
  /** Milliseconds since the last failure ended; Infinity where there was none, 0 during one. */
  wellForMs(): number;
  /** The same as `failure`, after a commit within the last second, or else a write for this purpose. */
  check(): Promise<StoreFailure | null>;
  /** Adds a listener that is called with each change: the failure, or null at its end. */
  onChange(listener: (failure: StoreFailure | null) => void): void;
}

export interface StoreStatistics {
  /** `shared`: other processes may use it as well. */
  kind: "file" | "memory" | "shared";
  /** The version of its layout. */
  layout: number;
  /** Of the file; null for any other store. */
  bytes: number | null;
  /** Resources whose indexes do not cover all records yet. */
  building: string[];
}

/** The outside world as core sees it. */
export interface Ports {
  records: Records;
  accounts: Accounts;
  keyring: Keyring;
  companions: Companions;
  ledger: Ledger;
  jobs: JobQueue;
  store: StoreOverview;
  /** Numbers that the operator has loaded, for NUMBERS_PROVIDER=inventory. */
  stock: Stock;
  numbers: NumberProvider;
  settings: Settings;
  control: CompanionControl;
  absentLogins: AbsentLogins;
  /** The shares of tenants of this instance's loop. */
  loop: LoopShares;
  /** Tried in order. */
  messageRoutes: MessageRoute[];
  /** Null when sending e-mail is not configured. */
  mailer: Mailer | null;
  blobs: Blobs;
  sipTraces: SipTraces;
  cookies: CookieStore;
  changes: ChangeFeed;
  /** Null when none is configured. */
  locationSource: LocationSource | null;
  /** Counts the messages between two that no person may have written. */
  messagePairs: PairCap;
  /** Null when no speech recognition is configured. */
  transcriber: Transcriber | null;
  /** Counts of this instance since its start. */
  counters: Counters;
  /** Signs texts that come back to the service with its secret, in hex, and verifies them. */
  signer: {
    sign(text: string): Promise<string>;
    verify(text: string, signature: string): Promise<boolean>;
  };
  /** The wall clock, in ms: for dates that people read or that are agreed with others. */
  now(): number;
  /** The steady clock of the store, in ms: for spans of time, those that are written included. */
  steadyNow(): number;
  newSid(prefix: string): string;
  /**
   * Requests to customers' servers: guarded against private addresses, redirects followed, each
   * request that one leads to signed anew by `signer`.
   */
  fetch(request: OutgoingRequest, signer?: RedirectSigner): Promise<Answer>;
  /** The AuthToken of a password: slow, salted with the Sid and the server's secret; 32 hex digits. */
  deriveToken(accountSid: string, password: string): Promise<string>;
  log(line: string, fields?: Record<string, unknown>): void;
}
