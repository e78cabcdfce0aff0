import type { Login } from "../text/digest_client.ts";
import type { Hop } from "../base/flow.ts";

/** A SIP server at the other end of a dialog. */
export interface Trunk extends Hop {
  /** The account whose Gateway it is; undefined of the operator's. */
  readonly accountSid?: string | undefined;
  /** Addresses and networks that it may send audio from. */
  readonly addresses: readonly string[];
  /** Answers its challenges. */
  readonly login?: Login | undefined;
}
