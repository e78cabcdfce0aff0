import type { Level, LevelsRequest } from "../../core/protocol/leg_tasks.ts";
import type { Calls } from "../contracts/calls.ts";
import { levelOf, type MediaLeg, type Pcm, silentLevel } from "../media/mod.ts";
import { sipLimits } from "../base/limits.ts";

/** Audio levels of the peers of legs. */
export interface Levels {
  /**
   * The levels of those of the legs that the account has here, with audio of ours. A leg is measured
   * from the first request on until none has asked for it for `sipLimits.levelLeaseMs`.
   */
  read(request: LevelsRequest): Level[];
}

interface Meter {
  media: MediaLeg;
  /** Of the latest frames, each at the place of its number. */
  latest: Int8Array;
  stop(): void;
  /** Ends the measuring unless it is renewed. */
  stopLease(): void;
}

/** Frames that a level is the loudest of: 0.3 s. */
const frames = 15;

/** Measures legs while their levels are requested; costs nothing otherwise. */
export function createLevels({ find, signalling: { timers } }: Calls): Levels {
  const meters = new Map<string, Meter>();
  const end = (leg: string) => {
    const meter = meters.get(leg);
    meters.delete(leg);
    meter?.stopLease();
    meter?.stop();
  };

  /** The meter of a leg for one lease more; undefined without audio of ours, or where there are too many. */
  function renewed(leg: string, media: MediaLeg | undefined, over: AbortSignal) {
    const known = meters.get(leg);
    if (known !== undefined && known.media !== media) end(leg);
    if (media === undefined || over.aborted) return undefined;
    const meter = meters.get(leg) ?? begun(media);
    if (!meters.has(leg)) {
      if (meters.size >= sipLimits.levelMeters) return void meter.stop();
      meters.set(leg, meter);
      over.addEventListener("abort", () => end(leg), { once: true });
    }
    meter.stopLease();
    meter.stopLease = timers.after(sipLimits.levelLeaseMs, () => end(leg));
    return meter;
  }

  return {
    read: ({ accountSid, legs }) =>
      legs.flatMap((leg) => {
        const live = find(leg)?.leg;
        if (live?.accountSid !== accountSid) return [];
        const meter = renewed(leg, live.media, live.signal);
        return meter === undefined ? [] : [{ leg, level: Math.max(...meter.latest) }];
      }),
  };
}

function begun(media: MediaLeg): Meter {
  const latest = new Int8Array(frames).fill(silentLevel);
  let at = 0;
  const stop = media.listen((frame: Pcm) => {
    latest[at] = levelOf(frame);
    at = (at + 1) % frames;
  });
  return { media, latest, stop, stopLease() {} };
}
