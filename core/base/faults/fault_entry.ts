/** Why the service refuses; `routes/` maps each kind to one HTTP status. */
export type FaultKind =
  | "invalid"
  | "unauthenticated"
  | "denied"
  | "missing"
  | "unacceptable"
  | "unsupported"
  | "conflict"
  | "tooLarge"
  | "unsupportedMedia"
  | "unsatisfiable"
  | "throttled"
  | "unavailable"
  | "notImplemented"
  | "internal";

/** One way to refuse or to fail. */
export interface FaultEntry {
  kind: FaultKind;
  /** Stable, public: the error body's `code`, a Notification's ErrorCode, `/errors/{code}`. */
  code: number;
  message: string;
  /** Advice for the caller, shown on the page behind `more_info`. */
  advice: string;
}
