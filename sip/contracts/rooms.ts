import type { RoomOrder, RoomStep } from "../../core/protocol/rooms.ts";
import type { MediaEngine, MediaLeg, MediaRoom, Seat } from "../media/base/port.ts";
import { enterBeep, exitBeep } from "../media/audio/room_sounds.ts";

/** The rooms of this companion, one for each Conference that has a leg here. */
export interface Rooms {
  /** Lets a leg in; undefined when the room is full. */
  enter(newcomer: Newcomer): Guest | undefined;
  /** Does what the service says; false when the room, or the leg in it, is not here. */
  order(order: RoomOrder): boolean;
}

/** A leg that comes to a room. */
export interface Newcomer {
  leg: string;
  media: MediaLeg;
  step: RoomStep;
  /** Plays what the leg hears while it waits, until the signal aborts; `isHeld` by the service. */
  wait(signal: AbortSignal, isHeld: boolean): void;
  /** Records the room from now on; absent when that is not wanted. */
  record?(room: MediaRoom): void;
}

/** A leg in a room. */
export interface Guest {
  /** It came muted: as its step says, or because its call is. */
  readonly muted: boolean;
  /** Resolves when it was removed, or the room ended. */
  readonly over: Promise<void>;
  leave(): void;
}

/** What a room knows of a leg in it. */
interface Place extends Newcomer {
  seat: Seat;
  held: boolean;
  /** While it waits; `isHeld` when that is what for. */
  waiting: { over: AbortController; isHeld: boolean } | undefined;
  end(): void;
}

interface OpenRoom {
  sound: MediaRoom;
  places: Map<string, Place>;
  /** Somebody came who starts it. */
  begun: boolean;
  /** Who has it recorded. */
  recorder: Place | undefined;
}

/** Rooms whose sound the engine mixes. */
export function createRooms(engine: Pick<MediaEngine, "room">): Rooms {
  const rooms = new Map<string, OpenRoom>();

  const leave = (sid: string, room: OpenRoom, place: Place) => {
    if (!room.places.delete(place.leg)) return;
    place.waiting?.over.abort();
    place.seat.leave();
    if (room.places.size === 0) return void rooms.delete(sid);
    if (place.step.endOnExit) return endAll(room);
    arrange(room);
    if (place.step.beepOnExit && isOpen(room)) room.sound.announce(exitBeep);
  };

  return {
    enter(newcomer) {
      const { leg, media, step } = newcomer;
      const { conferenceSid: sid } = step;
      const room = rooms.get(sid) ?? opened(engine.room());
      if (room.places.size >= step.most) return undefined;
      rooms.set(sid, room);
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const seat = room.sound.enter(media);
      const muted = step.muted || media.isMuted;
      seat.setMuted(muted);
      const place: Place = { ...newcomer, seat, held: false, waiting: undefined, end };
      room.places.set(leg, place);
      room.begun ||= step.startOnEnter;
      arrange(room);
      if (step.beepOnEnter && isOpen(room)) room.sound.announce(enterBeep);
      return { muted, over, leave: () => leave(sid, room, place) };
    },
    order({ conferenceSid, order }) {
      const room = rooms.get(conferenceSid);
      if (room === undefined) return false;
      if (order.type === "end") {
        endAll(room);
        return true;
      }
      const place = room.places.get(order.leg);
      if (place === undefined) return false;
      if (order.type === "remove") place.end();
      else change(room, place, order);
      return true;
    },
  };
}

const endAll = (room: OpenRoom): void => room.places.forEach((place) => place.end());

function change(
  room: OpenRoom,
  place: Place,
  { muted, held }: { muted?: boolean | undefined; held?: boolean | undefined },
): void {
  if (muted !== undefined) place.seat.setMuted(muted);
  if (muted === false) place.media.setMuted(false); // Its call may be muted by itself.
  if (held !== undefined) place.held = held;
  arrange(room);
}

const opened = (sound: MediaRoom): OpenRoom => ({
  sound,
  places: new Map(),
  begun: false,
  recorder: undefined,
});

/** Whether those in it hear each other; who waits would hear beeps only when that is over. */
const isOpen = ({ places, begun }: OpenRoom): boolean => begun && places.size > 1;

/** Has the first who wants that record the room. */
function haveRecorded(room: OpenRoom): void {
  if (room.recorder !== undefined && room.places.has(room.recorder.leg)) return;
  room.recorder = room.places.values().find(({ record }) => record !== undefined);
  room.recorder?.record?.(room.sound);
}

/** Has everybody wait or talk: who is held waits, and all do while one is alone or nobody began. */
function arrange(room: OpenRoom): void {
  const { places } = room;
  haveRecorded(room);
  for (const place of places.values()) {
    const { held: isHeld, waiting, seat } = place;
    if (!isOpen(room) || isHeld) {
      if (waiting?.isHeld === isHeld) continue;
      waiting?.over.abort();
      seat.setPresent(false);
      place.waiting = { over: new AbortController(), isHeld };
      place.wait(place.waiting.over.signal, isHeld);
    } else {
      waiting?.over.abort();
      place.waiting = undefined;
      seat.setPresent(true);
    }
  }
}
