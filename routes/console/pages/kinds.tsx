import { emailRecords } from "../../../core/model/resources/emails.ts";
import { resources } from "../../../core/model/resources/mod.ts";
import type { AnyResource } from "../../../core/model/resource.ts";
import type { Child } from "hono/jsx";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { seconds } from "../frame/parts.tsx";
import type { Column } from "../frame/table.tsx";
import {
  columnsBy,
  leading,
  link,
  named,
  shown,
  status,
  text,
  time,
  timeLink,
  url,
} from "./kind_columns.tsx";
import { directionOf } from "./call_columns.tsx";
import { registeredOf, withBindings } from "../build/registered.tsx";

/** List and page of a resource. */
export interface Kind {
  definition: AnyResource;
  /** The title of its list, and the name of one record. */
  title: string;
  one: string;
  /** Text of the empty list. */
  empty: string;
  /** `below` is the path of the account's pages. */
  columns(below: string): Column[];
  /** Data of the columns besides the records of a page of the list. */
  enrich?(c: Page, rows: Row[]): Promise<Row[]>;
  /** The heading of one record; its name, Login or number unless given. */
  heading?(row: Row): string;
  /** Fields that the page of a record does not list: a part of its own shows them. */
  unlisted?: readonly string[];
  /** Parameters that its forms do not ask for: another page sets them. */
  unasked?: readonly string[];
  /** Parameters that the form for a new record has first, besides the required ones. */
  asked?: readonly string[];
  /** The schemas of its forms, where it has some. */
  create?: string;
  update?: string;
  removable?: boolean;
  /** Content above the list; `to` is the address of the list. */
  beside?(c: Page, to: string): Child;
  /** Labels of a field's values, by the name of the field, in the order of a choice. */
  words?: Readonly<Record<string, readonly (readonly [value: string, title: string])[]>>;
  /** Presentation of a field's values, by the name of the field. */
  shown?: Readonly<Record<string, (value: unknown) => string>>;
  /** Links from its list, below its path; the first is the main action. */
  more?: { path: string; label: string }[];
}

/** Kinds of an application. */
const handled = [["voice", "calls"], ["sms", "messages"], ["ussd", "USSD dialogues"]] as const;

const wordOf = (words: readonly (readonly [string, string])[], value: unknown): string =>
  words.find(([one]) => one === value)?.[1] ?? String(value);

const milliseconds = (value: unknown): string => `${Number(value).toLocaleString("en")} ms`;

/** Form-encoded parameters, one a line. */
const parametersOf = (value: unknown): string =>
  [...new URLSearchParams(String(value))].map((pair) => pair.join(": ")).join("\n");

/** The parties of a text. */
const parties = (row: Row): string => `${row.from} → ${row.to}`;

const call = leading("Call", "call_sid", "Timeline");

const { clients, applications, gateways, recordings, transcriptions, conferences, messages } =
  resources;
const { geolocations } = resources;
const { documentRequests, outgoingCallerIds, incomingPhoneNumbers, auditEntries, notifications } =
  resources;

/** The resources whose pages are all alike. */
export const kinds: readonly Kind[] = [
  {
    definition: messages,
    title: "Messages",
    one: "message",
    empty: "No message has been sent or received.",
    columns: columnsBy(messages.path, [
      timeLink("Created", "date_created"),
      text("From", "from"),
      text("To", "to"),
      text("Text", "body", { isWide: true }),
      { title: "Direction", cell: (row) => directionOf(row) },
      status(),
    ]),
    heading: parties,
    create: "SMSMessageCreate",
  },
  {
    definition: emailRecords,
    title: "E-mails",
    one: "e-mail",
    empty: "No e-mail has been sent. Markup sends one by Email, a program by POST Email/Messages.",
    columns: columnsBy(emailRecords.path, [
      link("Subject", named("subject"), { isWide: true }),
      text("From", "from"),
      text("To", "to"),
      time("Created", "date_sent"),
      status(),
      text("Cause", "cause"),
    ]),
    heading: named("subject"),
  },
  {
    definition: geolocations,
    title: "Location",
    one: "location",
    empty: "No device has been located. POST Geolocation/Immediate locates one.",
    columns: columnsBy(geolocations.path, [
      link("Device", named("device_identifier")),
      text("Type", "geolocation_type"),
      time("Created", "date_created"),
      status("response_status"),
      text("Cause", "cause"),
    ]),
    heading: named("device_identifier"),
  },
  {
    definition: conferences,
    title: "Conferences",
    one: "conference",
    empty: "No conference has begun. Markup begins one by Dial with Conference.",
    columns: columnsBy(conferences.path, [
      link("Name", named("friendly_name")),
      time("Created", "date_created"),
      status(),
    ]),
  },
  {
    definition: recordings,
    title: "Recordings",
    one: "recording",
    empty: "Nothing has been recorded. Markup records by Record, or by Dial with record.",
    columns: columnsBy(recordings.path, [
      timeLink("Recorded", "date_created"),
      { title: "Duration", isNumber: true, cell: (row) => seconds(row.duration) },
      status(),
      call,
    ]),
    heading: ({ duration }) => `Recording of ${seconds(duration)}`,
    unlisted: ["fileUri"],
    shown: { duration: seconds },
    removable: true,
  },
  {
    definition: transcriptions,
    title: "Transcriptions",
    one: "transcription",
    empty: "No recording has been transcribed. Record with transcribe orders a transcription.",
    columns: columnsBy(transcriptions.path, [
      link("Text", named("transcription_text", "status"), { isWide: true }),
      status(),
      leading("Recording", "recording_sid", "Recording"),
      time("Created", "date_created"),
    ]),
    heading: () => "Transcription",
    shown: { duration: seconds },
    removable: true,
  },
  {
    definition: clients,
    title: "Clients",
    one: "Client",
    empty: "There is no Client. A Client is a login for a softphone or a desk phone.",
    columns: columnsBy(clients.path, [
      link("Login", named("login")),
      text("Name", "friendly_name"),
      { title: "Registered now", isWide: true, cell: registeredOf },
      url("Voice URL", "voice_url"),
    ]),
    enrich: withBindings,
    words: {
      status: [["1", "on: it may register and call"], ["0", "off: it may do neither"]],
    },
    create: "ClientCreate",
    update: "ClientUpdate",
    removable: true,
  },
  {
    definition: applications,
    title: "Applications",
    one: "application",
    empty:
      "There is no application. It says what happens in a call: by markup at a URL, or by a flow.",
    columns: columnsBy(applications.path, [
      link("Name", named("friendly_name")),
      { title: "For", cell: ({ kind }) => wordOf(handled, kind) },
      { title: "Markup", isWide: true, cell: (row) => row.flow ? "flow" : shown(row.rcml_url) },
      time("Changed", "date_updated"),
    ]),
    words: { kind: handled },
    unasked: ["Flow", "FlowVersion"],
    create: "ApplicationCreate",
    update: "ApplicationUpdate",
    removable: true,
  },
  {
    definition: gateways,
    title: "Gateways",
    one: "Gateway",
    empty: "There is no Gateway. A Gateway is a SIP trunk of a carrier.",
    columns: columnsBy(gateways.path, [
      link("Name", named("friendly_name", "user_name")),
      text("Proxy", "proxy"),
      status(),
      text("Cause", "reason"),
    ]),
    unlisted: ["status", "reason"],
    create: "GatewayCreate",
    update: "GatewayUpdate",
    removable: true,
  },
  {
    definition: incomingPhoneNumbers,
    title: "Numbers",
    one: "number",
    empty: "The account has no number. Buy one, or bring one of your carrier.",
    columns: columnsBy(incomingPhoneNumbers.path, [
      link("Number", named("phone_number")),
      text("Name", "friendly_name"),
      url("Voice URL", "voice_url"),
      text("Application", "voice_application_name"),
    ]),
    more: [
      { path: "buy", label: "Buy a number" },
      { path: "new", label: "Bring your own number" },
    ],
    create: "IncomingPhoneNumberCreate",
    update: "IncomingPhoneNumberUpdate",
    removable: true,
  },
  {
    definition: outgoingCallerIds,
    title: "Caller IDs",
    one: "caller ID",
    empty: "There is no caller ID beyond the account's own numbers.",
    columns: columnsBy(outgoingCallerIds.path, [
      link("Number", named("phone_number")),
      text("Name", "friendly_name"),
    ]),
    more: [
      { path: "validate", label: "Validate a number" },
      { path: "new", label: "Add without a call" },
    ],
    create: "OutgoingCallerIdCreate",
    update: "OutgoingCallerIdUpdate",
    removable: true,
  },
  {
    definition: documentRequests,
    title: "Markup requests",
    one: "markup request",
    empty: "No markup has been requested. Each call of a number with a URL requests some.",
    columns: columnsBy(documentRequests.path, [
      timeLink("When", "start_time"),
      url("URL", "url"),
      text("HTTP", "status", { isNumber: true }),
      text("ms", "duration", { isNumber: true }),
      { title: "Verbs or error", cell: (row) => shown(row.error ?? row.verbs) },
      call,
    ]),
    heading: ({ url }) => String(url),
    unlisted: ["url", "requestVariables", "responseHeaders", "responseBody"],
    shown: { duration: milliseconds },
  },
  {
    definition: auditEntries,
    title: "Audit log",
    one: "entry",
    empty: "Nobody has signed in or changed anything here.",
    columns: columnsBy(auditEntries.path, [
      time("When", "date_created"),
      text("Who", "actor_email"),
      link("What", named("action")),
      text("Target", "target"),
      text("Status", "status", { isNumber: true }),
      text("From", "from"),
    ]),
    heading: ({ action, target }) => [action, target].filter(Boolean).join(" "),
    shown: { parameters: parametersOf },
  },
  {
    definition: notifications,
    title: "Notifications",
    one: "Notification",
    empty: "Nothing went wrong.",
    columns: columnsBy(notifications.path, [
      time("When", "message_date"),
      text("Code", "error_code", { isNumber: true }),
      link("What", named("message_text"), { isWide: true }),
      call,
    ]),
    heading: ({ error_code, log }) => `${log === 0 ? "Error" : "Warning"} ${error_code}`,
    unlisted: ["log", "moreInfo", "requestVariables", "responseHeaders", "responseBody"],
  },
];
