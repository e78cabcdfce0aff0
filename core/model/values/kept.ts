/** The kinds of records that are removed once they are older than the operator keeps them. */
export const keptKinds = [
  "calls",
  "messages",
  "notifications",
  "recordings",
  "deliveries",
  "audit",
] as const;

export type KeptKind = (typeof keptKinds)[number];

/** How long each kind is kept, in ms; Infinity: for ever. */
export type KeptMs = Record<KeptKind, number>;
