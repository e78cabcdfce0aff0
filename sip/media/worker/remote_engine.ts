import type { EngineLink } from "./engine_link.ts";
import type { LegOptions, MediaEngine, MediaKind, MediaLeg, MediaRoom } from "../base/port.ts";
import { createRemoteLeg, idOf } from "./remote_leg.ts";

/** An engine at the other end of a link, where `serveEngine` is. */
export function remoteEngine(link: EngineLink): MediaEngine {
  let closed: Promise<void> | undefined;
  const open = async (
    how: { offer: string } | { kind: MediaKind },
    options?: LegOptions,
  ): Promise<MediaLeg> => {
    if (closed !== undefined) throw new Error("Cannot open a leg: the media engine is closed");
    return await createRemoteLeg(link, (leg) => {
      return link.ask({ type: "open", leg, ...how, ...options && { options } });
    });
  };
  return {
    answer: (offer, options) => open({ offer }, options),
    offer: (kind = "webrtc", options) => open({ kind }, options),
    room: () => remoteRoom(link),
    close: () => closed ??= close(link),
  };
}

async function close(link: EngineLink): Promise<void> {
  await link.ask({ type: "close" }).catch(() => {}); // One that is gone has nothing to close.
  link.legs.clear(); // They are not lost, and nobody is called back.
  link.end("Cannot use media: the media engine is closed");
}

function remoteRoom(link: EngineLink): MediaRoom {
  const room = link.next();
  return {
    enter(leg) {
      const seat = link.next();
      link.tell({ type: "enter", seat, room, leg: idOf(link, leg) });
      return {
        setPresent: (present) => link.tell({ type: "seat", seat, present }),
        setMuted: (muted) => link.tell({ type: "seat", seat, muted }),
        leave: () => link.tell({ type: "leaveRoom", seat }),
      };
    },
    announce: (pcm) => link.tell({ type: "announce", room, sound: link.sound(pcm) }),
    record: (write) => link.begin({ type: "recordRoom", room }, write),
  };
}
