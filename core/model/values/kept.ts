/** Kinds of records that are removed after a time that the operator sets. */
export const keptKinds = [
  "calls",
  "messages",
  "notifications",
  "recordings",
  "deliveries",
  "audit",
] as const;

export type KeptKind = (typeof keptKinds)[number];

/** Retention of each kind of record, in ms; Infinity: for ever. */
export type KeptMs = Record<KeptKind, number>;
