import { z } from "zod";
import { action } from "./action.ts";
import { origin } from "../base/origin.ts";
import { legEvent, progressEvent } from "./events.ts";
import { companionAddresses } from "./peers.ts";
import { legId, step } from "./script.ts";
import { tenant } from "./trunks.ts";

/**
 * The call-control protocol between service and companion. `requests.ts` lists every request,
 * `script.ts` declares the steps of a leg's script and `events.ts` the events of a leg.
 *
 * The companion *reports* what happened to a leg and is answered with the next script; the service
 * *runs* a script on a leg. A leg's id is the Sid of its Call, so there is no mapping. A script is
 * performed in order; a step with an `action` ends with a report that carries it back, and a script
 * in the answer replaces what was left. The companion knows no markup and the service no SIP.
 */

/** A companion process: `id` names it, `runId` is new at every start. */
export const companion = z.object({ id: z.string().min(1), runId: z.string().min(1) });

/** `seq` counts a leg's reports from 0; `at` is when it happened, in ms. Repeats are harmless. */
export const report = z.object({
  companion,
  leg: legId,
  accountSid: z.string(),
  seq: z.number().int().nonnegative(),
  at: z.number().int(),
  /** Age of the event when the report was sent, in ms: clocks of two machines may differ. */
  ageMs: z.number().int().nonnegative().optional(),
  event: legEvent,
  /** False: acknowledge at once; the companion waits for no script. */
  wantsScript: z.boolean(),
  /** The leg has ended, though its last report comes later. The request to the action says so. */
  hasEnded: z.boolean().optional(),
  /** Request that the last script of the leg came from. */
  origin: origin.optional(),
});

/** Earlier report of a leg that the service has not taken yet. */
const earlierReport = report.pick({ seq: true, at: true }).extend({ event: progressEvent });

/**
 * A report as it is sent. What the leg reported before, and the service has not taken, may come with it:
 * one commit takes all of it. A service of a version that does not know this refuses it.
 */
export const sentReport = report.extend({
  event: z.union([
    legEvent,
    z.object({
      type: z.literal("together"),
      earlier: z.array(earlierReport).min(1).max(2),
      event: legEvent,
    }),
  ]),
});

/** Reports that want no script, of any legs, at most one of each. */
export const eventsRequest = z.object({ reports: z.array(sentReport).min(1).max(256) });

/**
 * The outcome of a report. After `outage` and `defect` (of the report itself, or of the service) the
 * companion may send it again; after `refused` never.
 */
const eventOutcome = z.enum(["taken", "outage", "defect", "refused"]);

export const eventsAnswer = z.object({ outcomes: z.array(eventOutcome) });

/** Reports that want scripts, of any legs, at most one of each. */
export const scriptRequests = z.object({ reports: z.array(sentReport).min(1).max(64) });

/**
 * One line for each script request, sent as soon as it is ready: `at` counts the requests from 0.
 * An empty script means: go on with the remaining steps.
 */
export const scriptAnswer = z.object({
  at: z.number().int().nonnegative(),
  outcome: eventOutcome,
  script: z.array(step),
});

export const credentialsQuery = z.object({ login: z.string() });

/** HA1 per RFC 7616 §3.4.2 for the SIP domain as realm; never the password. */
export const credentials = z.object({
  accountSid: z.string(),
  tenant: tenant.optional(),
  clientSid: z.string(),
  ha1: z.object({ md5: z.string(), sha256: z.string() }),
  /** Key of passwords that end (`core/base/sip_token.ts`); a service of a former version sends none. */
  tokenKey: z.string().optional(),
  /** False: the Client is disabled, or its account suspended or closed. */
  allowed: z.boolean(),
});

/** `null` when no Client has the login. */
export const credentialsAnswer = z.object({ credentials: credentials.nullable() });

/** Most tenants that a heartbeat names as having no RTP ports left. */
export const mostFullTenants = 100;

/** Every `bridgeLimits.heartbeatMs`: the companion lives, and these are its legs. */
export const heartbeat = z.object({
  companion,
  legs: z.array(z.object({ leg: legId, accountSid: z.string() })),
  /** Clients with a phone registered. */
  registered: z.number().int().nonnegative(),
  ...companionAddresses,
  /** It takes no new calls, and stops once those that it has are over. */
  isDraining: z.boolean().optional(),
  /** Resource that its machine lacks for further calls by plain RTP, in words. */
  shortage: z.string().max(300).optional(),
  /** Tenants that have as many of its RTP ports as they may. */
  fullTenants: z.array(z.string()).max(mostFullTenants).optional(),
  /** Its last one: it stops, and all its calls have ended. */
  isLast: z.boolean().optional(),
});

/** So many of the longest fit into one request. */
export const runsAtOnce = 15;

/** `other` is the script of the connected leg, which would otherwise end with this one. */
export const runRequest = z.object({
  leg: legId,
  script: z.array(step),
  other: z.array(step).optional(),
  origin: origin.optional(),
});
/** The run of the companion that has the leg; null when the leg is not there. */
export const runAnswer = z.object({ companion: companion.nullable() });

/** Scripts of several legs: orders that wait together cost either side less than one after another. */
export const runsRequest = z.object({ orders: z.array(runRequest).min(1).max(runsAtOnce) });
/** One for each order; null where the companion takes no new call, or failed to take this one. */
export const runsAnswer = z.object({ answers: z.array(runAnswer.nullable()) });

export type RunOrder = z.output<typeof runRequest>;
export type RunAnswer = z.output<typeof runAnswer>;
/** Readiness of the companion, and its run. Served without authentication. */
export const readyAnswer = z.object({ ready: z.boolean(), companion });

/** Mutes or unmutes the audio from the peer of a leg, whatever step the leg performs. */
export const muteRequest = z.object({ leg: legId, muted: z.boolean() });
/** False: the leg is not there, or its media bypass the companion, which cannot silence them. */
export const muteAnswer = z.object({ isDone: z.boolean() });

/** A request of the service to change a conference. */
export const conferenceOrder = z.object({
  conferenceSid: z.string().regex(/^CF[0-9a-f]{32}$/),
  order: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("change"),
      leg: legId,
      muted: z.boolean().optional(),
      held: z.boolean().optional(),
      /** The document that it hears on hold; null is music of ours. */
      holdWith: action.nullable().optional(),
      /** The only participant that hears it; null: all do. */
      coach: legId.nullable().optional(),
      beepOnExit: z.boolean().optional(),
      endOnExit: z.boolean().optional(),
      /** Document that it hears while it waits; null is silence. */
      wait: action.nullable().optional(),
    }),
    z.object({ type: z.literal("remove"), leg: legId }),
    /** Plays steps to one leg, or to all. These legs do not hear the conference meanwhile. */
    z.object({ type: z.literal("announce"), leg: legId.optional(), script: z.array(step) }),
    z.object({ type: z.literal("end") }),
  ]),
});

/** True when the companion has the conference, and the leg in it. */
export const conferenceAnswer = z.object({ isKnown: z.boolean() });

/** Logins whose cached credentials the companion must remove. */
export const invalidation = z.object({ logins: z.array(z.string()) });

export type Companion = z.infer<typeof companion>;
export type Report = z.infer<typeof report>;
export type SentReport = z.infer<typeof sentReport>;

/**
 * Report of a leg. That of a simulated leg has its time by the steady clock in ms; others have
 * `ageMs`.
 */
export interface DatedReport extends Report {
  steadyAt?: number;
}

/** A report, and those before it of the same leg that came with it. */
export interface TakenReport extends DatedReport {
  earlier?: readonly z.infer<typeof earlierReport>[];
}

/** A report as it was sent, apart from those that came with it. */
export const apart = ({ event, ...report }: SentReport): TakenReport =>
  event.type === "together"
    ? { ...report, event: event.event, earlier: event.earlier }
    : { ...report, event };
export type EventsRequest = z.infer<typeof eventsRequest>;
export type EventsAnswer = z.infer<typeof eventsAnswer>;
export type ScriptRequests = z.infer<typeof scriptRequests>;
export type ScriptAnswer = z.infer<typeof scriptAnswer>;
export type ConferenceOrder = z.infer<typeof conferenceOrder>;
export type Credentials = z.infer<typeof credentials>;
export type Heartbeat = z.infer<typeof heartbeat>;

export const protocolLimits = {
  /** Requests with scripts to one companion at once; further scripts share the next one. */
  runRequests: 2,
  /** Most age of a signature, and the most that it may be ahead. */
  signatureWindowMs: 30_000,
  heartbeatMs: 5_000,
  /** Time for which a companion caches that no Client has a login. */
  absentLoginMs: 5_000,
  /** Time limit of the body of a request. */
  bodyMs: 10_000,
  bodyBytes: 1 << 20,
  /** Room for over 100,000 legs, and for the longest questions together. */
  largeBodyBytes: 16 << 20,
} as const;
