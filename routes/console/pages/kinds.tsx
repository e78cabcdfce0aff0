import { emailRecords } from "../../../core/resources/emails.ts";
import { resources } from "../../../core/resources/mod.ts";
import type { AnyResource } from "../../../core/model/resource.ts";
import type { Child } from "hono/jsx";
import type { Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { seconds, Sid, Status, Time } from "../frame/parts.tsx";
import type { Column } from "../frame/table.tsx";

/** How a resource is listed and shown. */
export interface Kind {
  definition: AnyResource;
  /** The title of its list, and what one record is called. */
  title: string;
  one: string;
  /** What the list says while it is empty. */
  empty: string;
  /** `below` is the path of the account's pages. */
  columns(below: string): Column[];
  /** The schemas of its forms, where it has some. */
  create?: string;
  update?: string;
  removable?: boolean;
  /** What stands above its list; `to` is the address of the list. */
  beside?(c: Page, to: string, now: number): Child;
  /** What values of a field are called, by the name of the field. */
  words?: Record<string, Record<string, string>>;
  /** What leads on from its list, below its path. */
  more?: { path: string; label: string }[];
}

const text = (title: string, field: string, isNumber = false): Column => ({
  title,
  isNumber,
  cell: (row) => <span class="cut">{shown(row[field])}</span>,
});
const shown = (value: unknown): string =>
  value === null || value === undefined || value === "" ? "–" : String(value);
const time = (title: string, field: string): Column => ({
  title,
  cell: (row) => <Time at={row[field]} />,
});
const status = (field = "status"): Column => ({
  title: "Status",
  cell: (row) => <Status value={row[field]} />,
});
const call = (below: string): Column => ({
  title: "Call",
  cell: (row) => (
    <Sid sid={row.call_sid} below={below} {...row.call_sid ? { label: "Timeline" } : {}} />
  ),
});

/** The column that leads to the page of a record. */
const link = (title: string, path: string, below: string, label: (row: Row) => string): Column => ({
  title,
  cell: (row) => <a href={`${below}/${path}/${row.sid}`} class="cut">{label(row)}</a>,
});

const named = (field: string, other = "sid") => (row: Row) => String(row[field] ?? row[other]);

const { clients, applications, gateways, recordings, transcriptions, conferences, messages } =
  resources;
const { geolocations } = resources;
const { documentRequests, outgoingCallerIds, incomingPhoneNumbers, auditEntries, notifications } =
  resources;

/** The resources whose pages are all alike. */
export const kinds: readonly Kind[] = [
  {
    definition: messages,
    title: "Texts",
    one: "text",
    empty: "No text has been sent or received.",
    columns: (below) => [
      link("Sent", messages.path, below, ({ date_created }) => String(date_created).slice(5, 22)),
      text("From", "from"),
      text("To", "to"),
      text("Text", "body"),
      text("Direction", "direction"),
      status(),
    ],
    create: "SMSMessageCreate",
  },
  {
    definition: emailRecords,
    title: "E-mails",
    one: "e-mail",
    empty: "No e-mail has been sent.",
    columns: (below) => [
      link("Subject", emailRecords.path, below, named("subject")),
      text("From", "from"),
      text("To", "to"),
      time("Sent", "date_sent"),
      status(),
      text("Cause", "cause"),
    ],
  },
  {
    definition: geolocations,
    title: "Look-ups",
    one: "look-up",
    empty: "No device has been located.",
    columns: (below) => [
      link("Device", geolocations.path, below, named("device_identifier")),
      text("Type", "geolocation_type"),
      time("Made", "date_created"),
      status("response_status"),
      text("Cause", "cause"),
    ],
  },
  {
    definition: conferences,
    title: "Conferences",
    one: "conference",
    empty: "No conference has begun.",
    columns: (below) => [
      link("Name", conferences.path, below, named("friendly_name")),
      time("Began", "date_created"),
      status(),
    ],
  },
  {
    definition: recordings,
    title: "Recordings",
    one: "recording",
    empty: "Nothing has been recorded.",
    columns: (below) => [
      link(
        "Recorded",
        recordings.path,
        below,
        ({ date_created }) => String(date_created).slice(5, 22),
      ),
      { title: "Length", isNumber: true, cell: (row) => seconds(row.duration) },
      status(),
      call(below),
    ],
    removable: true,
  },
  {
    definition: transcriptions,
    title: "Transcriptions",
    one: "transcription",
    empty: "No recording has been transcribed.",
    columns: (below) => [
      link("Text", transcriptions.path, below, named("transcription_text")),
      status(),
      {
        title: "Recording",
        cell: (row) => <Sid sid={row.recording_sid} below={below} label="Recording" />,
      },
      time("Made", "date_created"),
    ],
    removable: true,
  },
  {
    definition: clients,
    title: "Clients",
    one: "Client",
    empty: "There is no Client. A Client is a login for a softphone or a desk phone.",
    columns: (below) => [
      link("Login", clients.path, below, named("login")),
      text("Name", "friendly_name"),
      { title: "May call", cell: (row) => row.status === "1" ? "yes" : "no" },
      text("Voice URL", "voice_url"),
    ],
    words: { status: { "1": "yes: it may register and call", "0": "no: it is turned off" } },
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
    columns: (below) => [
      link("Name", applications.path, below, named("friendly_name")),
      text("For", "kind"),
      {
        title: "By",
        cell: (row) => row.flow ? "flow" : <span class="cut">{shown(row.rcml_url)}</span>,
      },
      time("Changed", "date_updated"),
    ],
    create: "ApplicationCreate",
    update: "ApplicationUpdate",
    removable: true,
  },
  {
    definition: gateways,
    title: "Gateways",
    one: "Gateway",
    empty: "There is no Gateway. A Gateway is a SIP trunk of a carrier.",
    columns: (below) => [
      link("Name", gateways.path, below, named("friendly_name", "user_name")),
      text("Proxy", "proxy"),
      status(),
      text("Cause", "reason"),
    ],
    create: "GatewayCreate",
    update: "GatewayUpdate",
    removable: true,
  },
  {
    definition: incomingPhoneNumbers,
    title: "Numbers",
    one: "number",
    empty: "The account has no number. Buy one, or bring one of your carrier.",
    columns: (below) => [
      link("Number", incomingPhoneNumbers.path, below, named("phone_number")),
      text("Name", "friendly_name"),
      text("Voice URL", "voice_url"),
      text("Application", "voice_application_name"),
    ],
    more: [{ path: "buy", label: "Buy a number" }],
    create: "IncomingPhoneNumberCreate",
    update: "IncomingPhoneNumberUpdate",
    removable: true,
  },
  {
    definition: outgoingCallerIds,
    title: "Caller IDs",
    one: "caller ID",
    empty: "There is no caller ID beyond the account's own numbers.",
    columns: (below) => [
      link("Number", outgoingCallerIds.path, below, named("phone_number")),
      text("Name", "friendly_name"),
    ],
    create: "OutgoingCallerIdCreate",
    update: "OutgoingCallerIdUpdate",
    removable: true,
  },
  {
    definition: documentRequests,
    title: "Markup requests",
    one: "markup request",
    empty: "No markup has been requested.",
    columns: (below) => [
      link(
        "When",
        documentRequests.path,
        below,
        ({ start_time }) => String(start_time).slice(0, 19),
      ),
      text("URL", "url"),
      text("HTTP", "status", true),
      text("ms", "duration", true),
      {
        title: "Verbs or error",
        cell: (row) => <span class="cut">{shown(row.error ?? row.verbs)}</span>,
      },
      call(below),
    ],
  },
  {
    definition: auditEntries,
    title: "Audit log",
    one: "entry",
    empty: "Nobody has signed in or changed anything here.",
    columns: (below) => [
      time("When", "date_created"),
      text("Who", "actor_email"),
      link("What", auditEntries.path, below, named("action")),
      text("Target", "target"),
      text("Status", "status", true),
      text("From", "from"),
    ],
  },
  {
    definition: notifications,
    title: "Notifications",
    one: "Notification",
    empty: "Nothing went wrong.",
    columns: (below) => [
      time("When", "message_date"),
      text("Code", "error_code", true),
      link("What", notifications.path, below, named("message_text")),
      call(below),
    ],
  },
];
