import { z } from "zod";
import { apiVersion, clearableUrl, flag } from "../fields.ts";
import { clearReferences } from "../jobs/clear_references.ts";
import { limits } from "../limits.ts";
import { type RecordOf, resource } from "../resource.ts";

/** A record that points at the server which serves the call-control markup. */
export const applications = resource({
  type: "Application",
  path: "Applications",
  sidPrefix: "AP",
  fields: {
    friendlyName: z.string().min(1).max(limits.friendlyNameLength),
    apiVersion,
    voiceCallerIdLookup: flag,
    rcmlUrl: clearableUrl,
    kind: z.enum(["voice", "sms", "ussd"]),
  },
  create: {
    required: ["friendlyName"],
    optional: ["apiVersion", "voiceCallerIdLookup", "rcmlUrl", "kind"],
  },
  update: ["friendlyName", "voiceCallerIdLookup", "rcmlUrl", "kind"],
  aliases: { HasVoiceCallerIdLookup: "voiceCallerIdLookup" },
  defaults: {
    apiVersion: limits.apiVersion,
    voiceCallerIdLookup: false,
    rcmlUrl: null,
    kind: "voice",
  },
  filters: { friendlyName: "equals" },
  removable: true,
  removed: (application) => ({
    record: application,
    jobs: [clearReferences({
      accountSid: application.accountSid,
      to: "applications",
      sid: application.sid,
    })],
  }),
});

export type Application = RecordOf<typeof applications>;
