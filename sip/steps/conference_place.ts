import type { ConferenceStep } from "../../core/protocol/conferences.ts";
import { overReason } from "../base/abort.ts";
import type { ConferencePlace, LiveLeg } from "../contracts/live_leg.ts";

export function createConferencePlace(step: ConferenceStep): ConferencePlace {
  const left = new AbortController();
  return { step, left: left.signal, vacate: () => left.abort(overReason) };
}

/** The leg has no place in a conference any more that somebody could take. */
export function vacate(live: Pick<LiveLeg, "conference">): void {
  live.conference?.vacate();
  live.conference = undefined;
}
