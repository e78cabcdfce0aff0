/** A part of the console that the navigation leads to. */
export interface Section {
  /** Below the account; empty for the first page. */
  path: string;
  title: string;
  group: "" | "Activity" | "Faults" | "Build" | "Account";
}

/** The navigation, in its order. A page says by the path of its section where it belongs. */
export const sections: readonly Section[] = [
  { path: "", title: "Overview", group: "" },
  { path: "Calls", title: "Calls", group: "Activity" },
  { path: "SMS/Messages", title: "Texts", group: "Activity" },
  { path: "Conferences", title: "Conferences", group: "Activity" },
  { path: "Recordings", title: "Recordings", group: "Activity" },
  { path: "Transcriptions", title: "Transcriptions", group: "Activity" },
  { path: "Notifications", title: "Error log", group: "Faults" },
  { path: "Webhooks/Deliveries", title: "Deliveries", group: "Faults" },
  { path: "Webhooks/Documents", title: "Markup requests", group: "Faults" },
  { path: "IncomingPhoneNumbers", title: "Numbers", group: "Build" },
  { path: "Clients", title: "Clients", group: "Build" },
  { path: "Applications", title: "Applications", group: "Build" },
  { path: "Webhooks/Tests", title: "Try markup", group: "Build" },
  { path: "Management/Gateways", title: "Gateways", group: "Build" },
  { path: "OutgoingCallerIds", title: "Caller IDs", group: "Build" },
  { path: "Accounts", title: "Accounts", group: "Account" },
  { path: "AuditEntries", title: "Audit log", group: "Account" },
];

export const groups = ["", "Activity", "Faults", "Build", "Account"] as const;
