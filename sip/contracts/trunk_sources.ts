import type { NumberQuery } from "../../core/protocol/trunks.ts";
import type { Flow } from "../base/flow.ts";
import type { Origin } from "../text/origin.ts";
import type { Trunk } from "./trunk.ts";

/** By which trunk a call comes. */
export interface TrunkSource {
  /** Null of an allowed source. */
  gateway: NumberQuery["gateway"];
  /** The user part of our Contact at a Gateway's registrar: no number that a caller dialled. */
  contactUser?: string;
  trunk: Trunk;
}

/** The sources that calls for numbers are accepted from. */
export interface TrunkSources {
  /** True when a flow is that of a trunk. */
  knows(flow: Flow): boolean;
  /** The trunk that an INVITE comes by; undefined where it proves none. */
  of(origin: Origin): TrunkSource | undefined;
}

export const noSources: TrunkSources = { knows: () => false, of: () => undefined };
