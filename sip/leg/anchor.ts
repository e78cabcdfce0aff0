import { knownSources } from "./known_sources.ts";
import type { Leg } from "../contracts/leg.ts";
import { sipLimits } from "../base/limits.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { Calls } from "../contracts/calls.ts";
import { Refused } from "../base/refused.ts";

/**
 * Takes the media of a call between two plain phones, which passed by us, through media of ours, by a
 * re-INVITE to each (RFC 3261 §14.1). Resolves with whether both took it; else the call goes on as it
 * was. Browsers are left alone: they accept media of another peer only in a new call.
 */
export async function anchor(calls: Calls, one: Leg, other: Leg): Promise<boolean> {
  if (!mayAnchor(one, other)) return false;
  const { log } = calls.signalling;
  const before = other.dialog?.localSdp ?? "";
  let [ours, theirs]: (MediaLeg | undefined)[] = [];
  try {
    theirs = await offerOurs(calls, other);
    ours = await offerOurs(calls, one);
  } catch (error) {
    log("Cannot anchor the media of a call", { leg: one.id, error: String(error) });
    if (theirs !== undefined && !other.signal.aborted) {
      await other.dialog?.reinvite(before).catch(() => {});
    }
    theirs?.close();
    return false;
  }
  one.counterpart = other.counterpart = undefined;
  one.anchor(ours);
  other.anchor(theirs);
  ours.join(theirs);
  return !one.signal.aborted && !other.signal.aborted;
}

/**
 * Gives a callee media of ours by a re-INVITE, before the caller whose SDP passed to it is answered.
 * Resolves with whether it took them; else it goes on as it was.
 */
export async function anchorCallee(calls: Calls, callee: Leg): Promise<boolean> {
  try {
    callee.anchor(await offerOurs(calls, callee));
    return true;
  } catch (error) {
    calls.signalling.log("Cannot anchor the media of a call", {
      leg: callee.id,
      error: String(error),
    });
    return false;
  }
}

/** True for a call between two plain phones whose media pass by the companion. */
export const mayAnchor = (one: Leg, other: Leg): boolean => isPlain(one) && isPlain(other);

/** True when the SDP of plain RTP that passes to it is of another leg. */
const isPlain = ({ counterpart, dialog }: Leg): boolean =>
  counterpart !== undefined && /^m=audio \d+ RTP\/AVPF? /m.test(dialog?.localSdp ?? "");

/** Media of ours that the phone has taken; rejects where it does not. */
async function offerOurs({ media: engine, signalling }: Calls, leg: Leg): Promise<MediaLeg> {
  // mayAnchor() has found a dialog, which stays while the leg lives.
  const dialog = leg.dialog!;
  const { flow, trunk } = dialog;
  const media = await engine.offer("rtp", {
    accountSid: leg.accountSid,
    sources: knownSources([flow], trunk),
  });
  try {
    for (let tries = 1;; tries++) {
      try {
        const { sdp } = await dialog.reinvite(media.localSdp);
        await media.accept(sdp);
        return media;
      } catch (error) {
        const crossed = error instanceof Refused && error.status === 491;
        if (!crossed || tries === sipLimits.holdTries || leg.signal.aborted) throw error;
        // Two offers crossed (RFC 3261 §14.1).
        await signalling.timers.pause(Math.random() * sipLimits.crossedOfferMs, leg.signal);
      }
    }
  } catch (error) {
    media.close();
    throw error;
  }
}
