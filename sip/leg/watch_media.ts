import { sipLimits } from "../base/limits.ts";
import type { Dialog } from "../contracts/dialog.ts";
import type { MediaLeg } from "../media/base/port.ts";

/**
 * Decides when a leg has lost its audio. Silence is no death: a muted phone may stop its packets, and
 * has no comfort noise to send. So a peer that sends neither RTP nor RTCP is asked by OPTIONS in its
 * dialog, about twice a minute. Asterisk never ends a call for want of RTP unless it is told to
 * (`rtp_timeout` is 0), and FreeSWITCH after 5 minutes, mute phones included; a question costs one small
 * message and tells a mute phone from one whose power failed.
 */

export interface WatchedLeg {
  /** The dialog with the peer; undefined where there is none any more. */
  dialog(): Pick<Dialog, "probe"> | undefined;
  /** The longest silence of a peer that answers, in ms; 0: any. */
  rtpTimeoutMs: number;
  /** Called once, with the reason in words for the customer. */
  onLost(why: string): void;
}

/**
 * Watches the media of an answered leg until they are closed. A peer that answers 481 (RFC 3261
 * §12.2.1.2) or nothing, and still sends no audio after that, is lost.
 */
export function watchMedia(
  media: Pick<MediaLeg, "lost" | "onQuiet">,
  { dialog, rtpTimeoutMs, onLost }: WatchedLeg,
): void {
  void media.lost.then(onLost);
  let lastMs = 0;
  /** The question of this silence: at which length of it, and the answer once it came. */
  let question: { askedMs: number; status?: number } | undefined;
  const stop = media.onQuiet((ms) => {
    const lose = (why: string) => {
      stop();
      onLost(`No audio (RTP or RTCP) came for ${Math.round(ms / 1_000)} s${why}`);
    };
    // A new silence: the peer has spoken since the last report.
    if (ms < lastMs) question = undefined;
    lastMs = ms;
    if (rtpTimeoutMs > 0 && ms >= rtpTimeoutMs) {
      return lose(`: RTP_TIMEOUT_S is ${rtpTimeoutMs / 1_000}`);
    }
    const why = question?.status === undefined ? undefined : denials[question.status];
    if (why !== undefined) return lose(`, and the phone ${why}`);
    const isDue = question === undefined ||
      question.status !== undefined && ms - question.askedMs >= sipLimits.probeMs;
    if (!isDue) return;
    const asking: typeof question = { askedMs: ms };
    question = asking;
    void (dialog()?.probe() ?? Promise.resolve(481)).then((status) => asking.status = status);
  });
}

/** The statuses that end a dialog (RFC 3261 §12.2.1.2). */
const denials: Readonly<Record<number, string>> = {
  408: "does not answer OPTIONS",
  481: "does not know the call any more",
};
