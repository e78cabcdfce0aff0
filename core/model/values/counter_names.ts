/** Counts of one instance since its start, by the names of the Supervisor metrics. */
export type Counters = Record<(typeof counterNames)[number], number>;

export const counterNames = [
  "TotalCallsSinceUptime",
  "IncomingCallsSinceUptime",
  "OutgoingCallsSinceUptime",
  "CompletedCalls",
  "NoAnswerCalls",
  "BusyCalls",
  "FailedCalls",
  "CanceledCalls",
  "NotFoundCalls",
  "TextMessageInboundToApp",
  "TextMessageInboundToClient",
  "TextMessageInboundToProxyOut",
  "TextMessageOutbound",
  "TextMessageNotFound",
] as const;
