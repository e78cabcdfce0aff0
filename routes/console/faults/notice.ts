/** Something that somebody should look at. */
export interface Notice {
  look: "bad" | "wait";
  text: string;
  /** Below the account. */
  path: string;
}
