/** What events tell of, each with the name of its resource; the names stand in the interface. */
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
