import type { RoomStep } from "../../core/bridge_rooms.ts";
import { overReason } from "../abort.ts";
import type { LiveLeg } from "./live_leg.ts";

/** A leg's place in a room; of a leg that ended there, the one that it had. */
export interface RoomPlace {
  readonly step: RoomStep;
  /** Aborts when the leg is taken out of the room, or the room ends; not when the leg does. */
  readonly left: AbortSignal;
  vacate(): void;
}

export function createRoomPlace(step: RoomStep): RoomPlace {
  const left = new AbortController();
  return { step, left: left.signal, vacate: () => left.abort(overReason) };
}

/** The leg has no place in a room any more that somebody could take. */
export function vacate(live: Pick<LiveLeg, "room">): void {
  live.room?.vacate();
  live.room = undefined;
}
