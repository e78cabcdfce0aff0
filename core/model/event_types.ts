/** Types of events of the event stream, each with its resource. These names are on the wire. */
export const eventTypes = {
  call: "calls",
  message: "messages",
  email: "emails",
  notification: "notifications",
  delivery: "deliveries",
  document: "documentRequests",
  recording: "recordings",
  transcription: "transcriptions",
  stream: "streams",
  conference: "conferences",
  participant: "participants",
  queue: "queues",
  geolocation: "geolocations",
  audit: "auditEntries",
} as const;

export type EventType = keyof typeof eventTypes;
