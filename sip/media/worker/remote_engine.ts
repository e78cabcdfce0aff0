import type { EngineLink } from "./engine_link.ts";
import type {
  LegOptions,
  MediaConference,
  MediaEngine,
  MediaKind,
  MediaLeg,
  MediaParticipant,
} from "../base/port.ts";
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
      return link.request({ type: "open", leg, ...how, ...options && { options } });
    });
  };
  return {
    answer: (offer, options) => open({ offer }, options),
    offer: (kind = "webrtc", options) => open({ kind }, options),
    conference: () => remoteConference(link),
    close: () => closed ??= close(link),
  };
}

async function close(link: EngineLink): Promise<void> {
  await link.request({ type: "close" }).catch(() => {}); // One that is gone has nothing to close.
  link.legs.clear(); // They are not lost, so no callback is called.
  link.end("Cannot use media: the media engine is closed");
}

function remoteConference(link: EngineLink): MediaConference {
  const conference = link.next();
  const ids = new WeakMap<MediaParticipant, number>();
  return {
    enter(leg) {
      const participant = link.next();
      link.post({ type: "enter", participant, conference, leg: idOf(link, leg) });
      const handle: MediaParticipant = {
        setPresent: (present) => link.post({ type: "participant", participant, present }),
        setMuted: (muted) => link.post({ type: "participant", participant, muted }),
        setCoached: (other) =>
          link.post({ type: "coach", participant, coached: other && ids.get(other) }),
        leave: () => link.post({ type: "leaveConference", participant }),
      };
      ids.set(handle, participant);
      return handle;
    },
    announce: (pcm) => link.post({ type: "announce", conference, sound: link.sound(pcm) }),
    record: (write) => link.begin({ type: "recordConference", conference }, write),
    monitor(listener) {
      const leg = idOf(link, listener);
      const stop = link.begin({ type: "monitorConference", conference, leg });
      return () => void stop();
    },
  };
}
