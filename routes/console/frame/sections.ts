/** A part of the console that the navigation leads to. */
export interface Section {
  /** Below the account; empty for the first page. */
  path: string;
  title: string;
  group: typeof groups[number];
}

/** The last one is for the root account alone. */
export const groups = ["", "Activity", "Faults", "Build", "Account", "Service"] as const;

/** The navigation, in its order. A page says by the path of its section where it belongs. */
export const sections: readonly Section[] = [
  { path: "", title: "Overview", group: "" },
  { path: "live", title: "Live", group: "Activity" },
  { path: "tail", title: "Tail", group: "Activity" },
  { path: "Calls", title: "Calls", group: "Activity" },
  { path: "SMS/Messages", title: "Messages", group: "Activity" },
  { path: "Email/Messages", title: "E-mails", group: "Activity" },
  { path: "Geolocation", title: "Location", group: "Activity" },
  { path: "Conferences", title: "Conferences", group: "Activity" },
  { path: "Recordings", title: "Recordings", group: "Activity" },
  { path: "Transcriptions", title: "Transcriptions", group: "Activity" },
  { path: "Notifications", title: "Error log", group: "Faults" },
  { path: "Webhooks/Deliveries", title: "Deliveries", group: "Faults" },
  { path: "Webhooks/Documents", title: "Markup requests", group: "Faults" },
  { path: "IncomingPhoneNumbers", title: "Numbers", group: "Build" },
  { path: "Clients", title: "Clients", group: "Build" },
  { path: "Applications", title: "Applications", group: "Build" },
  { path: "Flows", title: "Designer", group: "Build" },
  { path: "Webhooks/Tests", title: "Try markup", group: "Build" },
  { path: "Management/Gateways", title: "Gateways", group: "Build" },
  { path: "OutgoingCallerIds", title: "Caller IDs", group: "Build" },
  { path: "Usage/Records", title: "Usage", group: "Account" },
  { path: "Accounts", title: "Accounts", group: "Account" },
  { path: "Keys", title: "API keys", group: "Account" },
  { path: "AuditEntries", title: "Audit log", group: "Account" },
  { path: "Supervisor", title: "Health", group: "Service" },
  { path: "Supervisor/jobs", title: "Jobs", group: "Service" },
  { path: "Supervisor/configuration", title: "Configuration", group: "Service" },
];
