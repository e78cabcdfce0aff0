import type { GatherStep } from "./gather.ts";

/** What was typed so far in a `gather`. */
export interface KeyInput {
  readonly typed: string;
  /** Whether a key is no input, is one of more to come, or was the last. */
  take(key: string): "ignored" | "more" | "done";
}

export function keyInput({ start, finish, most }: NonNullable<GatherStep["keys"]>): KeyInput {
  let typed = "";
  return {
    get typed() {
      return typed;
    },
    take(key) {
      if (typed === "" && !start.includes(key)) return "ignored";
      if (finish.includes(key)) return "done";
      typed += key;
      return typed.length >= most ? "done" : "more";
    },
  };
}
