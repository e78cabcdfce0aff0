import type { ConferenceStep } from "../../../core/protocol/conferences.ts";
import { overReason } from "../../../core/base/abort.ts";
import type { ConferencePlace, LiveLeg } from "../../contracts/live_leg.ts";

export function createConferencePlace(step: ConferenceStep): ConferencePlace {
  const left = new AbortController();
  return { step, left: left.signal, vacate: () => left.abort(overReason) };
}

/** Ends the leg's place in its conference, if it has one. */
export function vacate(live: Pick<LiveLeg, "conference">): void {
  live.conference?.vacate();
  live.conference = undefined;
}
