/**
 * An erasure looks at every record, in batches, in a quarter of the time. The indexes of From and To find
 * most of what an account keeps of a number, and miss forwarded calls, SIP addresses with the number as
 * their user, and callbacks that only name it. A record that belongs to a call goes before the call, so an
 * interrupted run finds it again. The store then drops counters at 0, whose keys hold the number, and
 * packed texts. An account of a million records takes minutes.
 */
import type { AnyRecord } from "../model/resource.ts";
import type { Records } from "../model/ports/ports.ts";
import { type CallStatus, isLive } from "../model/values/status.ts";

/** The subject of an erasure, and the Sids of the records of it that others belong to. */
export interface Search {
  /** True when a text is an address of the subject. */
  is(text: unknown): boolean;
  /** True when a text contains an address of the subject. */
  isIn(text: string): boolean;
  /** Of calls, messages, recordings and look-ups that were found. */
  sids: Set<string>;
}

/** Rule of a resource: the subject's records, and those of them that must end first. */
export interface Erased {
  has(record: AnyRecord, search: Search): boolean;
  isInUse?(record: AnyRecord): boolean;
}

const between = (from: unknown, to: unknown, { is }: Search) => is(from) || is(to);

const belongs = (sid: unknown, { sids }: Search) => typeof sid === "string" && sids.has(sid);

const statusIs = (...statuses: string[]) => ({ status }: AnyRecord) =>
  statuses.includes(String(status));

/**
 * Rules of all resources, in the order of erasure: records of a call come before the call, so that an
 * erasure that was interrupted finds them again. The compiler asks for each resource.
 */
export const erased = {
  calls: {
    has: (call, search) =>
      between(call.from, call.to, search) || search.is(call.forwardedFrom) ||
      belongs(call.parentCallSid, search),
    isInUse: ({ status }) => isLive(status as CallStatus),
  },
  messages: {
    has: ({ from, to }, search) => between(from, to, search),
    isInUse: statusIs("sending"), // One that waits for its time is never sent then.
  },
  partialTexts: { has: ({ from, to }, search) => between(from, to, search) },
  recordings: {
    has: ({ callSid }, search) => belongs(callSid, search),
    isInUse: statusIs("in-progress"),
  },
  transcriptions: {
    has: ({ recordingSid }, search) => belongs(recordingSid, search),
    isInUse: statusIs("in-progress"),
  },
  streams: {
    has: ({ callSid }, search) => belongs(callSid, search),
    isInUse: statusIs("in-progress"),
  },
  participants: { has: ({ callSid }, search) => belongs(callSid, search) },
  geolocations: {
    has: ({ deviceIdentifier }, search) => search.is(deviceIdentifier),
    isInUse: ({ responseStatus }) => responseStatus === "queued" || responseStatus === "processing",
  },
  emails: {
    has: (one, search) => search.isIn(JSON.stringify(one)),
    isInUse: statusIs("queued"),
  },
  notifications: {
    has: (one, search) => belongs(one.callSid, search) || search.isIn(JSON.stringify(one)),
  },
  auditEntries: { has: (one, search) => search.isIn(JSON.stringify(one)) },
  documentRequests: {
    has: (one, search) => belongs(one.callSid, search) || search.isIn(JSON.stringify(one)),
  },
  deliveries: {
    has: (one, search) =>
      belongs(one.callSid, search) || belongs(one.messageSid, search) ||
      search.isIn(JSON.stringify(one)),
    isInUse: statusIs("queued"),
  },
  idempotencyKeys: { has: ({ made }, search) => belongs(made, search) },
  // Configuration of the account, with its own numbers and Clients.
  addresses: null,
  usageTriggers: null,
  applications: null,
  clients: null,
  flowVersions: null,
  gateways: null,
  incomingPhoneNumbers: null,
  keys: null,
  outgoingCallerIds: null,
  sandboxes: null,
  // They are gone when the call has ended.
  simulatedLegs: null,
  // They name no caller.
  removedRecords: null,
  conferences: null,
  // They hold the Sids of calls while these wait.
  queues: null,
  // E-mail addresses, stored until the message is sent.
  erasures: null,
  // They hold no number, and end by themselves.
  consoleSessions: null,
  consoleGuards: null,
} satisfies Record<keyof Records, Erased | null> as Record<keyof Records, Erased | null>;
