import type { IncomingRequestMessage } from "../base/sip_js.ts";
import { mintCallSid } from "../base/call_sid.ts";
import type { InboundLeg, OutboundLeg } from "../contracts/leg.ts";
import { sipLimits } from "../base/limits.ts";
import { mediaKindOf } from "../leg/media_kind.ts";
import type { MediaEngine, MediaKind } from "../media/mod.ts";
import { createOutboundLeg } from "../leg/outbound_leg.ts";
import type { OutboundCall } from "../leg/outbound_state.ts";
import { joinEarly } from "../leg/ring_all.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { passedHeaders } from "../text/passed_headers.ts";
import { userOf } from "../text/uri.ts";

/** Media that a companion offers another: its devices may be of either kind. */
const offered: MediaKind = "webrtc";

/** A call of another companion, to the devices of a Client here. */
export interface RelayedCall {
  caller: InboundLeg;
  message: IncomingRequestMessage;
  login: string;
  /** The call of a device here whose place it takes. */
  replaces?: string | undefined;
  media: MediaEngine;
}

/**
 * Calls the devices, as one leg for each kind of media that they have: browsers get the offer as it
 * came, whose media then pass by us; all others get one of plain RTP, whose media end here.
 */
export function ringDevices(signalling: Signalling, call: RelayedCall): OutboundLeg[] {
  const { caller, login, media } = call;
  const kinds = signalling.location.devices(login).map(([binding]) => mediaKindOf(binding));
  const isMixed = new Set(kinds).size > 1;
  const passing = (): OutboundLeg =>
    ring(signalling, call, {
      only: offered,
      media: { offer: caller.offer },
      onRinging() {},
      // Several devices would each answer the one offer with SDP of their own.
      onProgress: (status, { sdp }) => caller.progress(status, isMixed ? "" : sdp),
    });
  const anchored = (): OutboundLeg =>
    ring(signalling, call, {
      only: "rtp",
      media: { engine: media },
      onRinging: () => caller.ring(),
      ...!isMixed && { onEarlyMedia: (early) => void joinEarly(caller, early) },
    });
  // Without any device, the one that passes is refused.
  const legs = kinds.length === 0 || kinds.includes(offered) ? [passing()] : [];
  return kinds.includes("rtp") ? [...legs, anchored()] : legs;
}

function ring(
  signalling: Signalling,
  { caller, message, login, replaces }: RelayedCall,
  way: Pick<OutboundCall, "only" | "media" | "onRinging" | "onProgress" | "onEarlyMedia">,
): OutboundLeg {
  const invitation = {
    leg: mintCallSid(),
    accountSid: "",
    from: userOf(message.from.uri),
    to: `client:${login}`,
    // Without peers: the call goes no further from here.
    target: { kind: "client", login } as const,
    headers: passedHeaders(message),
  };
  return createOutboundLeg(signalling, {
    invitation,
    headers: [
      ...message.getHeaders("referred-by").map((value) => `Referred-By: ${value}`),
      ...replaces === undefined ? [] : [`Replaces: ${replaces}`],
    ],
    demands: caller.demands,
    isChild: false,
    timeoutMs: sipLimits.peerRingMs,
    maxForwards: caller.maxForwards - 1,
    onInviting() {},
    ...way,
  });
}

/** The first leg to be answered; undefined when all have ended before. */
export async function firstAnswer(legs: OutboundLeg[]): Promise<OutboundLeg | undefined> {
  const answers = legs.map((leg) =>
    leg.whenAnswered.then((answered) => answered ? leg : Promise.reject(new Error("not answered")))
  );
  return await Promise.any(answers).catch(() => undefined);
}
