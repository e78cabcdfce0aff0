/** A finding that needs attention. */
export interface Notice {
  look: "bad" | "wait";
  text: string;
  /** Below the account. */
  path: string;
}
