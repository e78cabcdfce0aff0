import { dialogEnd } from "./dialog_end.ts";
import { sipLimits } from "../base/limits.ts";
import type { Dialog } from "../contracts/dialog.ts";
import type { MediaLeg } from "../media/mod.ts";

/**
 * Detection of a leg that has lost its audio. Silence alone ends no call: a muted phone may stop its
 * packets, and has no comfort noise to send. So the companion probes a peer that sends neither RTP nor
 * RTCP, about twice a minute. Any message of the peer in the dialog counts as its answer. Asterisk
 * never ends a call for missing RTP by default (`rtp_timeout` is 0), and FreeSWITCH after 5 minutes,
 * mute phones included. A probe costs one small message, and distinguishes a mute phone from one that
 * lost its power.
 */

export interface WatchedLeg {
  /** Dialog with the peer; undefined once it is over. */
  dialog(): Pick<Dialog, "probe"> | undefined;
  /** Longest silence of a peer that answers by SIP, in ms; 0: no limit. */
  rtpTimeoutMs: number;
  /** Called once, with the reason as a text for the customer. */
  onLost(why: string): void;
}

/**
 * Watches the media of an answered leg until they are closed. A peer is lost whose probe ends with 481
 * (RFC 3261 §12.2.1.2) or without a message, and that sends no audio before the next report.
 */
export function watchMedia(
  media: Pick<MediaLeg, "lost" | "onQuiet">,
  { dialog, rtpTimeoutMs, onLost }: WatchedLeg,
): void {
  void media.lost.then(onLost);
  let lastMs = 0;
  /** Last probe of this silence: length of the silence at its start, status once it has ended. */
  let probe: { sentMs: number; status?: number } | undefined;
  const stop = media.onQuiet((ms) => {
    const lose = (why: string) => {
      stop();
      onLost(`No audio (RTP or RTCP) came for ${Math.round(ms / 1_000)} s${why}`);
    };
    // A new silence: audio has come since the last report.
    if (ms < lastMs) probe = undefined;
    lastMs = ms;
    if (rtpTimeoutMs > 0 && ms >= rtpTimeoutMs) {
      return lose(`: RTP_TIMEOUT_S is ${rtpTimeoutMs / 1_000}`);
    }
    const why = probe?.status === undefined ? undefined : dialogEnd(probe.status);
    if (why !== undefined) return lose(`, and the phone ${why}`);
    const isDue = probe === undefined ||
      probe.status !== undefined && ms - probe.sentMs >= sipLimits.probeMs;
    if (!isDue) return;
    const sent: typeof probe = { sentMs: ms };
    probe = sent;
    void (dialog()?.probe() ?? Promise.resolve(481)).then(
      (status) => sent.status = status,
      () => sent.status = 408, // It could not be sent.
    );
  });
}
