import { z } from "zod";
import type { RetentionMs } from "../../model/values/retention.ts";
import type { Variable } from "./variable.ts";

const days = z.coerce.number("must be a number of days").int().min(0).max(36_500);

/** The variables of retention. */
export const retentionVariables = {
  KEEP_CALLS_DAYS: {
    group: "retention",
    schema: days,
    fallback: "0",
    help: "Days for which ended calls and conferences are kept. 0: for ever.",
  },
  KEEP_MESSAGES_DAYS: {
    group: "retention",
    schema: days,
    fallback: "0",
    help: "Days for which messages, e-mails and location look-ups are kept. 0: for ever.",
  },
  KEEP_NOTIFICATIONS_DAYS: {
    group: "retention",
    schema: days,
    fallback: "0",
    help: "Days for which Notifications are kept. 0: for ever.",
  },
  KEEP_RECORDINGS_DAYS: {
    group: "retention",
    schema: days,
    fallback: "0",
    help: "Days for which recordings with their audio, and transcriptions, are kept. 0: for ever.",
  },
  WEBHOOK_KEEP_DAYS: {
    group: "retention",
    schema: days,
    fallback: "30",
    help: "The former name of KEEP_DELIVERIES_DAYS, which has its value unless set.",
  },
  KEEP_DELIVERIES_DAYS: {
    group: "retention",
    schema: days,
    fallback: ({ WEBHOOK_KEEP_DAYS }) => String(WEBHOOK_KEEP_DAYS),
    help:
      "Days for which Webhooks/Deliveries and Webhooks/Documents are kept. Default: WEBHOOK_KEEP_DAYS. 0: for ever.",
  },
  KEEP_AUDIT_DAYS: {
    group: "console",
    schema: days,
    fallback: "365",
    help: "Days for which the audit log of the console is kept. 0: for ever.",
  },
  SIP_TRACE_HOURS: {
    group: "retention",
    sets: { sipTraceMs: (hours: number) => hours * 3_600_000 },
    schema: z.coerce.number("must be a number of hours").int().min(0).max(720),
    fallback: "24",
    help: "Hours for which the SIP trace of a call that failed is kept. 0: none is made.",
  },
  RECORDING_LINK_HOURS: {
    group: "retention",
    sets: { recordingLinkMs: (hours: number) => hours * 3_600_000 },
    schema: z.coerce.number("must be a number of hours").int().min(1).max(87_600),
    fallback: "24",
    help: "Hours for which a link to the audio of a recording works, rounded up to a whole hour.",
  },
} satisfies Record<string, Variable>;

type Values = { [K in keyof typeof retentionVariables]: number };

const msOf = (days: number): number => days === 0 ? Infinity : days * 86_400_000;

/** Retention of each kind of record, in ms. */
export const retentionOf = (config: Values): RetentionMs => ({
  calls: msOf(config.KEEP_CALLS_DAYS),
  messages: msOf(config.KEEP_MESSAGES_DAYS),
  notifications: msOf(config.KEEP_NOTIFICATIONS_DAYS),
  recordings: msOf(config.KEEP_RECORDINGS_DAYS),
  deliveries: msOf(config.KEEP_DELIVERIES_DAYS),
  audit: msOf(config.KEEP_AUDIT_DAYS),
});
