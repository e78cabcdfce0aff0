import type { RoomStep } from "../../core/protocol/rooms.ts";
import { overReason } from "../base/abort.ts";
import type { LiveLeg, RoomPlace } from "../contracts/live_leg.ts";

export function createRoomPlace(step: RoomStep): RoomPlace {
  const left = new AbortController();
  return { step, left: left.signal, vacate: () => left.abort(overReason) };
}

/** The leg has no place in a room any more that somebody could take. */
export function vacate(live: Pick<LiveLeg, "room">): void {
  live.room?.vacate();
  live.room = undefined;
}
