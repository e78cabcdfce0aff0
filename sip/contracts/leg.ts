import type { ServiceCause } from "../../core/protocol/disconnection.ts";
import type { Target } from "../../core/protocol/script.ts";
import { overReason } from "../../core/base/abort.ts";
import type { Dialog } from "./dialog.ts";
import type { DialogEvents } from "./dialog_events.ts";
import type { Content, TakeContent } from "../base/info.ts";
import type { Flow } from "../base/flow.ts";
import type { MediaKind, MediaLeg } from "../media/mod.ts";
import type { CallerDemands } from "./caller.ts";
import type { Ending } from "./outcome.ts";

/**
 * One call between the companion and a softphone, as call control sees it. Only the leg files and
 * `dialog.ts` know the SIP library. Once a leg has ended, its commands do nothing and do not throw.
 */
export interface Leg {
  /** The Sid of its Call. */
  readonly id: string;
  readonly accountSid: string;
  readonly sipCallId: string;
  /** True when it is answered, false when it ended before. */
  readonly whenAnswered: Promise<boolean>;
  /** Time of the answer, in ms of the steady clock; undefined before. */
  readonly answeredAt: number | undefined;
  /** Our end of the audio, when the leg is anchored and answered. */
  readonly media: MediaLeg | undefined;
  /** Takes media of ours that its softphone has agreed to, in place of SDP that passed by. */
  anchor(media: MediaLeg): void;
  /** Resolves once, when the leg is over. */
  readonly ended: Promise<Ending>;
  /** Aborts when the leg is over. */
  readonly signal: AbortSignal;
  /** Resolves when nothing is left to say to the softphone either. */
  readonly released: Promise<void>;
  /** The dialog with the softphone, once there is one. */
  readonly dialog: Dialog | undefined;
  /** The leg to which offers and INFO in the dialog pass; our own media take them unless set. */
  counterpart: Leg | undefined;
  /** Handler of a hold by its softphone, where media of the companion answer it. */
  set onHold(onHold: ((isHolding: boolean) => void) | undefined);
  /** Handler of an address whose audio was dropped, as it is not among those of signalling. */
  set onUnknownSource(onUnknownSource: ((address: string) => void) | undefined);
  /** Handler of a REFER of the softphone; 403 unless set. */
  set onRefer(onRefer: DialogEvents["onRefer"] | undefined);
  /** A USSD dialogue: it has no media. */
  readonly isUssd: boolean;
  /**
   * First handler of the bodies of INFO. Returns the status of the response, undefined for a body of
   * another kind. The texts of a USSD dialogue are refused with 403 unless it is set.
   */
  set onContent(onContent: TakeContent | undefined);
  /** Handler of the NOTIFYs of a REFER that was sent to the softphone. */
  set onNotify(onNotify: DialogEvents["onNotify"] | undefined);
  /**
   * BYE, with the last words of a USSD dialogue; before that, `status` to a caller, 487 unless given,
   * with whole header lines, and CANCEL to a callee. The cause is `hangup` unless given.
   */
  hangup(
    options?: { status?: number; cause?: ServiceCause; headers?: string[]; content?: Content },
  ): void;
}

/** A call that a softphone placed. */
export interface InboundLeg extends Leg {
  readonly direction: "inbound";
  /** The Client that calls, else the user part of the caller's address. */
  readonly callerUser: string;
  /** The caller's SDP; empty when it wants ours. */
  readonly offer: string;
  /** Flow of the INVITE. */
  readonly flow: Flow;
  /** Kind of the caller's media. */
  readonly mediaKind: MediaKind;
  readonly demands: CallerDemands;
  readonly maxForwards: number;
  /** 180, unless it rang already. */
  ring(): void;
  /** A provisional response of the other side, with its early SDP. */
  progress(status: number, sdp: string): void;
  /** 183 with media of our own, for sound before the answer; undefined when that cannot be. */
  early(): Promise<MediaLeg | undefined>;
  /** 200 with media of our own; rejects with `NoCommonCodec` after refusing the call. */
  answer(headers?: string[]): Promise<void>;
  /** 200 with the other side's SDP, and whole header lines. */
  answerWith(sdp: string, headers?: string[]): void;
  /** 200 to a USSD dialogue; nothing when it was answered. */
  acceptUssd(): void;
}

/** A call that the companion places. */
export interface OutboundLeg extends Leg {
  readonly direction: "outbound";
  readonly target: Target;
  /** Time of the INVITE that a trunk answered, in ms of the steady clock; undefined for other callees. */
  readonly invitedAt: number | undefined;
  /** The SDP of the device that answered; empty before. */
  readonly remoteSdp: string;
  /** The X- and User-to-User headers of the final response; of several devices, the last one's. */
  readonly responseHeaders: Record<string, string>;
}

/** The end of a leg: announced once, to all that wait for it. */
export interface LegEnd {
  readonly ended: Promise<Ending>;
  readonly signal: AbortSignal;
  /** False when the leg had ended already. */
  end(ending: Ending): boolean;
}

export function createLegEnd(): LegEnd {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const over = new AbortController();
  return {
    ended: promise,
    signal: over.signal,
    end(ending) {
      if (over.signal.aborted) return false;
      resolve(ending);
      over.abort(overReason);
      return true;
    },
  };
}
