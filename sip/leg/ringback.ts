/**
 * Ringing after the answer. A caller that was answered gets no ringing from its own network. While its target
 * rings it hears the tone of `country`, by default 425 Hz, one second in five (ITU-T E.180). Early media
 * replace the tone.
 */
import { overReason } from "../../core/base/abort.ts";
import { type MediaLeg, ringingTone } from "../media/mod.ts";
import { type RingTone, ringTones } from "../../core/protocol/ring_tones.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";

/** The ringing tone for a caller that was answered, while its target rings. */
export interface Ringback {
  /** The tone, unless what the callee sends is heard already. */
  ring(): void;
  /** Plays the callee's early media in place of the tone. */
  early(media: MediaLeg): void;
  /** Ends both; without an answer, the leg that it was connected to is heard again. */
  stop(isAnswered: boolean): void;
}

/**
 * Of a leg whose audio ends in our media; of any other, nothing is heard, as in a conference. A
 * caller that is not answered yet hears a tone that is asked for by early media (183).
 */
export function createRingback(live: LiveLeg, country?: RingTone): Ringback {
  // Also one that is sent elsewhere from there is not to hear it.
  const isInConference = live.conference !== undefined;
  const ownMedia = () => isInConference ? undefined : live.leg.media;
  let isOver = false;
  let tone: AbortController | undefined;
  let heard: MediaLeg | undefined;
  const play = (media: MediaLeg) => {
    if (tone !== undefined || heard !== undefined || isOver) return;
    tone = new AbortController();
    void media.play(ringingTone(country && ringTones[country]), { loop: 0, signal: tone.signal });
  };
  return {
    ring() {
      const { leg } = live;
      const isEarly = leg.direction === "inbound" && leg.answeredAt === undefined;
      if (isEarly) {
        void leg.early().then((media) => media && play(media)).catch(() => {});
        return;
      }
      const media = ownMedia();
      if (media !== undefined) play(media);
    },
    early(theirs) {
      const media = ownMedia();
      if (isOver || media === undefined) return;
      tone?.abort(overReason);
      heard = theirs;
      media.join(theirs);
    },
    stop(isAnswered) {
      isOver = true;
      tone?.abort(overReason);
      const { media } = live.leg;
      if (isAnswered || heard === undefined || media === undefined) return;
      media.leave(heard);
      const before = live.partner?.leg.media;
      if (before !== undefined) media.join(before);
    },
  };
}
