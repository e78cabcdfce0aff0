import type { Session } from "../base/sip_js.ts";
import type { Flow, Hop } from "../base/flow.ts";
import type { DialogEvents } from "./dialog_events.ts";
import type { Content } from "../base/info.ts";
import type { OfferAnswer } from "./dialog_events.ts";
import type { SessionTimer } from "./session_timer.ts";
import type { Trunk } from "./trunk.ts";

export interface DialogPeer {
  /** Client at the other end; undefined for any other peer. */
  readonly login: string | undefined;
  /** The trunk at the other end. */
  readonly trunk?: Trunk | undefined;
  /** The leg of the dialog; empty for one that is to end at once. */
  readonly leg: string;
  /** Flow of requests; changes when the softphone comes by a new connection. */
  flow: Flow;
  /** True when the call demands TLS at every hop (RFC 3261 §12.1). */
  readonly isSecure: boolean;
  /** True when the peer supports UPDATE (RFC 3311). */
  readonly knowsUpdate: boolean;
  readonly events: DialogEvents;
}

/** One dialog with a softphone (RFC 3261 §12). Commands never throw once it is over. */
export interface Dialog extends DialogPeer {
  readonly session: Session;
  readonly timer: SessionTimer;
  /** The trunk, or the proxy that the Client is behind. */
  readonly hop: Hop | undefined;
  /** SDP that the companion sent last; empty before. */
  localSdp: string;
  /** Time of the peer's last request or response in the dialog, in ms of the awake clock. */
  heardAt: number;
  /** Takes the answer to the offer of our last 2xx out of its ACK. */
  settle: OfferAnswer["settle"];
  /** Resolves when the ACK to the 2xx went out, or came. */
  confirmed(): Promise<void>;
  /** Says BYE, once the peer has our ACK or we have its; resolves when it is answered. */
  bye(words?: LastWords): Promise<void>;
  /** Sends an offer, or a re-INVITE without one; rejects with `Refused`, also when it is cancelled. */
  reinvite(sdp: string | undefined, signal?: AbortSignal): Promise<OfferAnswer>;
  /** Sends INFO, REFER or NOTIFY; resolves with the final status, whatever it is. */
  request(method: "info" | "refer" | "notify", message: InDialogMessage): Promise<number>;
  /**
   * Asks the peer whether it still has the dialog. Resolves with the status of its response, 408 where
   * it sends nothing at all. Any status but 408 and 481 shows that it is there.
   */
  probe(): Promise<number>;
  /** The INVITE was refused after all: an early dialog ends with it (§12.3). */
  abandon(): void;
}

/** Body and headers of a BYE. */
export interface LastWords {
  content?: Content | undefined;
  /** Value of Reason (RFC 3326). */
  reason?: string | undefined;
}

export interface InDialogMessage {
  headers?: string[];
  body?: Content;
}
