/** Condition for which the store refuses writes; reads may go on. */
export interface StoreFailure {
  kind: "full" | "readonly" | "io" | "locked" | "unreachable" | "other";
  /** In words for the operator. */
  reason: string;
  /** In ms. */
  since: number;
}
