import { z } from "zod";
import { companion } from "../../protocol/companion.ts";
import { conferenceEvents } from "../values/conference_options.ts";
import { monitorEntry } from "./internal/monitoring.ts";
import { method } from "../../base/fields.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A leg that is in the conference, or on its way there. */
export const member = z.object({
  callSid: z.string(),
  /** Time at which it joined, or was let in, in ms. */
  at: z.number(),
  hasJoined: z.boolean(),
  muted: z.boolean(),
  /** It was muted, or is heard again, since it came into the conference: of one that has not joined. */
  mutedSince: z.boolean().optional(),
  hold: z.boolean(),
  startOnEnter: z.boolean(),
  endOnExit: z.boolean(),
  /** Label of the participant in status callbacks; absent without one. */
  label: z.string().optional(),
  /** The call that alone hears it; absent where all do. */
  coach: z.string().optional(),
  /** Counts the requests that changed it. */
  changes: z.number().int().optional(),
});

/** The values of ReasonConferenceEnded in the status callback. */
export const conferenceEndReasons = [
  "last-participant-left",
  "participant-with-end-conference-on-exit-left",
  "conference-ended-via-api",
  "companion-lost",
] as const;

/** Why a conference ended, and the call that ended it by leaving, if one did. */
export const conferenceEnd = z.object({
  reason: z.enum(conferenceEndReasons),
  callSid: z.string().optional(),
});

/** A leg that a transfer calls, to replace the transferor in the conference. */
export const calledLeg = z.object({ callSid: z.string(), companion: companion.nullable() });

/** A conference in which the legs of calls hear each other. */
export const conferences = resource({
  type: "Conference",
  description: "A conference: the calls that join it by name hear each other.",
  path: "Conferences",
  sidPrefix: "CF",
  fields: {
    friendlyName: z.string().min(1).max(limits.conferenceNameLength).describe(
      "Name of the conference, as the markup names it.",
    ),
    status: z.enum(["init", "in-progress", "completed"]).describe(
      "Status of the conference: init until a participant starts it, in-progress, then completed.",
    ),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),

    /** The account and the name of one that is not completed: there is one of each. */
    liveName: z.string().nullable(),
    /** The companion that has the conference. */
    companion: companion.nullable(),
    members: z.array(member),
    called: z.array(calledLeg),
    /** A participant with `startOnEnter` has joined. */
    begun: z.boolean(),
    /** Null until it ended. */
    end: conferenceEnd.nullable(),
    statusCallback: z.string().nullable(),
    statusCallbackMethod: method,
    statusCallbackEvent: z.array(z.enum(conferenceEvents)),
    /** The latest calls that listen to it, or did. */
    monitors: z.array(monitorEntry),
    /** Callbacks fired so far: the next SequenceNumber. */
    sequence: z.number().int(),
  },
  hidden: [
    "liveName",
    "companion",
    "members",
    "called",
    "begun",
    "end",
    "statusCallback",
    "statusCallbackMethod",
    "statusCallbackEvent",
    "monitors",
    "sequence",
  ],
  defaults: {
    status: "init",
    apiVersion: limits.apiVersion,
    liveName: null,
    companion: null,
    members: [],
    called: [],
    begun: false,
    end: null,
    statusCallback: null,
    statusCallbackMethod: "POST",
    statusCallbackEvent: [],
    monitors: [],
    sequence: 0,
  },
  filters: { friendlyName: "equals", status: "equals" },
  paged: true,
  unique: ["liveName"],
  groups: {
    live: ({ status, members, companion }) =>
      companion !== null && (status !== "completed" || members.length > 0) ? companion.id : null,
  },
  subresources: ["Participants"],
});

export type Conference = RecordOf<typeof conferences>;
export type ConferenceEnd = z.infer<typeof conferenceEnd>;
export type CalledLeg = z.infer<typeof calledLeg>;
export type Member = z.infer<typeof member>;
