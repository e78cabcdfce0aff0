/** Kinds of records that are removed after a time that the operator sets. */
export const retentionKinds = [
  "calls",
  "messages",
  "notifications",
  "recordings",
  "deliveries",
  "audit",
] as const;

export type RetentionKind = (typeof retentionKinds)[number];

/** Retention of each kind of record, in ms; Infinity: for ever. */
export type RetentionMs = Record<RetentionKind, number>;
