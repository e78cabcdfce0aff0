import type { Account } from "../../../core/model/resources/accounts.ts";
import { type Call, calls } from "../../../core/model/resources/calls.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers,
} from "../../../core/model/resources/incoming_phone_numbers.ts";
import { type Notification, notifications } from "../../../core/model/resources/notifications.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import { openStore, type Store } from "../../../kv/open_store.ts";

/** A store alone, with a root account and a clock that is moved by hand. */
export interface StoreLab {
  store: Store;
  accountSid: string;
  /** In ms. */
  clock: { now: number };
  /** A Sid of the clock's time. */
  sid(prefix: string): string;
  call(fields: Partial<Call>): Call;
  notification(fields: Partial<Notification>): Notification;
  number(fields: Pick<IncomingPhoneNumber, "phoneNumber" | "friendlyName">): IncomingPhoneNumber;
  [Symbol.dispose](): void;
}

/** Opens a store at a location, with a root account (its token is "token") if it has none. */
export async function storeLab(location = ":memory:", secretKey = "lab"): Promise<StoreLab> {
  const clock = { now: Date.UTC(2024, 0, 1) };
  const store = await openStore({ location, secretKey, now: () => clock.now, freezesParts: true });
  const accountSid = "AC" + "1".repeat(32);
  if (await store.accounts.get(accountSid) === null) {
    await store.accounts.insert({ record: rootAccount(accountSid, clock.now) });
  }
  let made = 0;
  const sid = (prefix: string) =>
    prefix + clock.now.toString(16).padStart(12, "0") +
    (++made * 0x9e3779b1 % 2 ** 32).toString(16).padStart(8, "0") +
    made.toString(16).padStart(12, "0");
  const base = (prefix: string) => ({
    sid: sid(prefix),
    accountSid,
    dateCreated: clock.now,
    dateUpdated: clock.now,
  });
  return {
    store,
    accountSid,
    clock,
    sid,
    call: (fields) => ({ ...base("CA"), ...withDefaults(calls, fields) }) as Call,
    notification: (fields) => ({
      requestId: null,
      ...base("NO"),
      ...notice,
      messageDate: clock.now,
      ...withDefaults(notifications, fields),
    }),
    number: (fields) => {
      const capabilities = { voiceCapable: true, smsCapable: true };
      const local = { kind: "local" as const, capabilities, ...fields };
      return { ...base("PN"), ...withDefaults(incomingPhoneNumbers, local) } as IncomingPhoneNumber;
    },
    [Symbol.dispose]: () => store.close(),
  };
}

/** A path at which a store may be created, until the end of the test. */
export async function storeFile(): Promise<AsyncDisposable & { location: string }> {
  const directory = await Deno.makeTempDir();
  return {
    location: `${directory}/store.db`,
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

export const rootAccount = (sid: string, now: number): Account => ({
  sid,
  accountSid: "",
  dateCreated: now,
  dateUpdated: now,
  friendlyName: "root",
  emailAddress: "root@example.com",
  role: "Administrator",
  status: "active",
  type: "Full",
  authToken: "token",
  ancestors: [],
});

const notice = {
  callSid: null,
  apiVersion: "2012-04-24",
  log: 0,
  errorCode: 11200,
  moreInfo: "http://api.test/errors/11200",
  messageText: "",
  requestUrl: "https://app.test/status",
  requestMethod: "POST",
  requestVariables: "",
  responseHeaders: "",
  responseBody: "",
};

/** Numbers of 0 or more and below `end`, the same in every run. */
export function dice(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) % end;
  };
}

/** The items in a random order; `roll` gives a number of 0 or more and below its argument. */
export function shuffled<T>(items: Iterable<T>, roll: (end: number) => number): T[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = roll(at + 1);
    [all[at], all[other]] = [all[other]!, all[at]!]; // Both are below the length.
  }
  return all;
}
