import { z } from "zod";
import {
  apiVersion,
  clearableUrl,
  clearableUrlOrPath,
  flag,
  method,
  wholeNumber,
} from "../../base/fields.ts";
import { Fault } from "../../base/faults.ts";
import { assertFitsKind } from "../flows/check_flow.ts";
import { clearableDraft, clearableFlow } from "../flows/field.ts";
import { clearReferences } from "../job_kinds.ts";
import { limits } from "../../base/limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** Points at the server which serves the call-control markup, or holds a flow, which needs none. */
export const applications = resource({
  type: "Application",
  description: "A named place of call-control markup, or a flow of steps that needs no server.",
  path: "Applications",
  sidPrefix: "AP",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength).describe(
      "Name of the application, for people.",
    ),
    apiVersion: apiVersion.describe("Version of the interface, always a date such as 2012-04-24."),
    voiceCallerIdLookup: flag.describe(
      "Whether the name of the caller is looked up; kept and shown, without effect.",
    ),
    rcmlUrl: clearableUrlOrPath.describe(
      "URL of the call-control markup, or a path of this service. An empty value clears it.",
    ),
    kind: z.enum(["voice", "sms", "ussd"]).describe(
      "What the application handles: calls (voice), text messages (sms) or USSD dialogues (ussd).",
    ),
    flow: clearableFlow.describe(
      "Flow of the application as a JSON text (schema Flow); when set, the steps of the flow run and RcmlUrl is not requested. An empty value clears it.",
    ),
    flowVersion: wholeNumber(0, 999_999_999).describe(
      "Number of the version of the flow: how often a flow was saved or cleared. Sent with a change, it is the version that the change was made to; the change is refused if that is not the current one.",
    ),
    flowDraft: clearableDraft.describe(
      "Draft of a flow as a JSON text, which the designer keeps beside the flow. Nothing performs it, and its steps need not be complete. An empty value clears it.",
    ),
    flowDraftVersion: wholeNumber(0, 999_999_999).nullable().describe(
      "FlowVersion that the draft was begun from; null without a draft. A new draft has the current one unless sent.",
    ),
    flowDraftRevision: wholeNumber(0, 999_999_999).describe(
      "Number of the revision of the draft: how often a draft was saved or cleared. Sent with a change, it is the revision that the change was made to; the change is refused if that is not the current one.",
    ),
    /** Sids of the stored versions, oldest first. */
    flowVersions: z.array(z.string()),

    /** Method and fallback of RcmlUrl; Twilio's interface sets them. */
    voiceMethod: method.optional(),
    voiceFallbackUrl: clearableUrl.optional(),
    voiceFallbackMethod: method.optional(),
    /**
     * URL of the markup for incoming messages, beside the calls of an application of Kind voice.
     */
    smsUrl: clearableUrl.optional(),
    smsMethod: method.optional(),
    smsFallbackUrl: clearableUrl.optional(),
    smsFallbackMethod: method.optional(),
    /** Callback of the end of its calls that have no other one, and of its messages. */
    statusCallback: clearableUrl,
    statusCallbackMethod: method,
    messageStatusCallback: clearableUrl,
  },
  hidden: [
    "flowVersions",
    "voiceMethod",
    "voiceFallbackUrl",
    "voiceFallbackMethod",
    "smsUrl",
    "smsMethod",
    "smsFallbackUrl",
    "smsFallbackMethod",
    "statusCallback",
    "statusCallbackMethod",
    "messageStatusCallback",
  ],
  secret: ["flow", "flowDraft"], // They may hold credentials for external services.
  create: {
    required: ["friendlyName"],
    optional: ["apiVersion", "voiceCallerIdLookup", "rcmlUrl", "kind", "flow", "flowDraft"],
  },
  update: [
    "friendlyName",
    "voiceCallerIdLookup",
    "rcmlUrl",
    "kind",
    "flow",
    "flowDraft",
    "flowDraftVersion",
    "flowDraftRevision",
    "flowVersion",
  ],
  aliases: { HasVoiceCallerIdLookup: "voiceCallerIdLookup" },
  defaults: {
    apiVersion: limits.apiVersion,
    voiceCallerIdLookup: false,
    rcmlUrl: null,
    kind: "voice",
    flow: null,
    flowVersion: 0,
    flowVersions: [],
    flowDraft: null,
    flowDraftVersion: null,
    flowDraftRevision: 0,
    statusCallback: null,
    statusCallbackMethod: "POST",
    messageStatusCallback: null,
  },
  filters: { friendlyName: "equals" },
  removable: true,
  created: (application) =>
    fitting(drafted(null, { ...application, flowVersion: application.flow ? 1 : 0 })),
  updated: (before, after) => fitting(drafted(before, versioned(before, after))),
  removed: (application) => ({
    record: application,
    jobs: [clearReferences({
      accountSid: application.accountSid,
      to: "applications",
      sid: application.sid,
    })],
  }),
});

/** Counts a changed flow. Throws `flowChanged` for a change of a version that is not the current one. */
function versioned<T extends { flow?: string | null; flowVersion: number }>(
  before: T,
  after: T,
): T {
  if (after.flowVersion !== before.flowVersion) {
    throw new Fault(
      "flowChanged",
      `the current version is ${before.flowVersion}, not ${after.flowVersion}`,
    );
  }
  if (after.flow === before.flow) return after;
  const former = before.flowVersion || (before.flow ? 1 : 0); // Older flows were not counted.
  return { ...after, flowVersion: former + 1 };
}

const bytesOf = (text: string | null | undefined): number =>
  text ? new TextEncoder().encode(text).length : 0;

/** Draft of an application; optional fields are absent before a first draft. */
interface Drafted {
  flow?: string | null;
  flowDraft?: string | null;
  flowDraftVersion?: number | null;
  flowDraftRevision?: number;
  flowVersion: number;
}

/** Counts a changed draft. Throws `draftChanged` for a change of a revision that is not the current one. */
function revisionOf(before: Drafted | null, after: Drafted): number {
  const { flowDraftRevision: current = 0, flowDraft = null } = before ?? {};
  const { flowDraftRevision: sent = current } = after;
  if (sent !== current) {
    throw new Fault("draftChanged", `the current revision is ${current}, not ${sent}`);
  }
  return (after.flowDraft || null) === flowDraft ? current : current + 1;
}

/**
 * Notes which version a new draft was begun from, and counts its revisions. Throws where flow and draft
 * together are more than a record can hold, and where another draft was saved meanwhile.
 */
function drafted<T extends Drafted>(before: T | null, after: T): T {
  const flowDraftRevision = revisionOf(before, after);
  const bytes = bytesOf(after.flow) + bytesOf(after.flowDraft);
  if (bytes > limits.flowsBytes) {
    throw new Fault(
      "badParameter",
      `FlowDraft and Flow have at most ${limits.flowsBytes} bytes together, and these have ${bytes}`,
    );
  }
  if (!after.flowDraft) {
    return { ...after, flowDraft: null, flowDraftVersion: null, flowDraftRevision };
  }
  const flowDraftVersion = after.flowDraftVersion ?? before?.flowVersion ?? 0;
  if (flowDraftVersion > after.flowVersion) {
    throw new Fault(
      "badParameter",
      `FlowDraftVersion ${flowDraftVersion} is none yet: FlowVersion is ${after.flowVersion}`,
    );
  }
  return { ...after, flowDraftVersion, flowDraftRevision };
}

/** Throws when the flow is none for the kind. */
function fitting<T extends { flow?: string | null; kind: "voice" | "sms" | "ussd" }>(record: T) {
  assertFitsKind(record);
  return { record };
}

export type Application = RecordOf<typeof applications>;
