import type { Leg } from "./leg.ts";
import type { LegName } from "../text/leg_names.ts";

/** A call of another companion, which passes through to a device here. */
export interface Relayed {
  /** The leg that it is there. */
  readonly named: LegName | undefined;
  readonly callee: Leg;
}
