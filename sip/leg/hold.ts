/**
 * Hold. Where audio is anchored, each side is answered by itself. The held side hears what the holder
 * sends, or silence, since some trunks end a call without packets. A Client gets an offer with `recvonly`,
 * and another one when the hold ends, also when the holder leaves. A carrier gets none, so a hold costs it
 * no re-INVITE.
 */
import type { Leg } from "../contracts/leg.ts";
import { sipLimits } from "../base/limits.ts";
import { parseSdp } from "../media/mod.ts";
import { Refused } from "../base/refused.ts";
import type { Signalling } from "../contracts/signalling.ts";

/**
 * True when an offer holds the call: it wants no audio, or only sends some, or names no address for any
 * (RFC 3264 §8.4). Throws for SDP that the media engine would refuse.
 */
export function isHold(sdp: string): boolean {
  const { direction } = parseSdp(sdp).audio;
  return direction === "sendonly" || direction === "inactive";
}

/** Reports to a leg whether the other side holds it. */
export interface HoldReporter {
  /** Reports the hold to the leg from now on; nothing to a leg that has ended. */
  report(isHeld: boolean): void;
}

/**
 * Reports a hold by offers in the dialog of an anchored leg, to Clients alone: they show it,
 * and a carrier could end a call without audio. An offer that is refused changes nothing.
 */
export function createHoldReporter(leg: Leg, { timers, log }: Signalling): HoldReporter {
  let [wanted, reported, isReporting] = [false, false, false];
  const offer = async (isHeld: boolean): Promise<void> => {
    const { media, dialog } = leg;
    if (media === undefined || dialog === undefined) return;
    const sdp = await media.reoffer(isHeld);
    // An offer at the end of the call would cross the BYE.
    if (leg.signal.aborted) return;
    const { sdp: answer } = await dialog.reinvite(sdp);
    await media.reaccept(answer);
  };
  const report = async () => {
    // The end of a hold may be followed by a hang-up in the same turn.
    await timers.pause(0, leg.signal);
    for (let tries = 1; wanted !== reported && !leg.signal.aborted;) {
      const isHeld = wanted;
      try {
        await offer(isHeld);
        reported = isHeld;
        tries = 1;
      } catch (error) {
        const crossed = error instanceof Refused && error.status === 491;
        if (!crossed || tries++ === sipLimits.holdTries) {
          if (!leg.signal.aborted) {
            log("Cannot pass call hold to a leg", { leg: leg.id, error: String(error) });
          }
          return;
        }
        // Two offers crossed (RFC 3261 §14.1).
        await timers.pause(Math.random() * sipLimits.crossedOfferMs, leg.signal);
      }
    }
  };
  return {
    report(isHeld) {
      wanted = isHeld;
      if (isReporting || leg.dialog?.login === undefined) return;
      isReporting = true;
      void report().finally(() => isReporting = false);
    },
  };
}
