import type { Session, URI } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import type { Dialog } from "./dialog.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { TimerAgreement } from "./session_timer.ts";
import type { Trunk } from "./trunk.ts";

export interface ForkEvents {
  /** 100: a server has received the request. */
  onTrying?(): void;
  /** A callee rings, by a dialog of its own; the result takes what it says before it answers. */
  onEarly?(early: EarlyCallee): Dialog;
  onProgress(status: number, sdp: string): void;
  /** The first 2xx of the fork. */
  onAnswer(answer: Answer): void;
  onRefused(refusal: ForkRefusal): void;
}

/** A final response that says no, or none any more. */
export interface ForkRefusal {
  status: number;
  /** Its X- and User-to-User headers. */
  headers: Record<string, string>;
  /** 0 where nothing is said of when to try again. */
  retryAfterS: number;
  /** Its reason phrase, and what its Reason header says (RFC 3326); absent where none came. */
  words?: string;
  /** Text of its Warning (RFC 3261 §20.43). */
  warning?: string | undefined;
  /** No response came: this side gave the request up (RFC 3261 §8.1.3.1). */
  isUnanswered?: boolean;
}

/** A callee before it answers (RFC 3261 §12.1). */
export interface EarlyCallee {
  session: Session;
  knowsUpdate: boolean;
  /** Its SDP, where that came in a reliable response and so is its answer (RFC 3262 §5). */
  answer(): string | undefined;
  /** Our media have followed a later offer of the callee, and this is our answer. */
  onOffered(offer: string, answer: string): void;
}

/** A 2xx, already acknowledged. */
export interface Answer {
  session: Session;
  /** The answer of the callee to our offer. */
  sdp: string;
  /** The last offer of the callee that our media have followed since (RFC 3311), and our answer. */
  later(): { offer: string; answer: string } | undefined;
  /** Its X- and User-to-User headers. */
  headers: Record<string, string>;
  knowsUpdate: boolean;
  /** The session timer that the device agreed to. */
  agreement: TimerAgreement | undefined;
}

/** The INVITE to one device of the Client called (RFC 3261 §13.2). */
export interface Fork {
  readonly media: MediaLeg | undefined;
  /** The SDP that the device is offered. */
  readonly offer: string;
  /** Flow of the device's last message. */
  readonly flow: Flow;
  /** The trunk that it goes by. */
  readonly trunk: Trunk | undefined;
  /** Refused, answered or given up. */
  readonly over: boolean;
  send(events: ForkEvents): void;
  /** CANCEL; what the device still says is left to the events. */
  cancel(reason?: string): void;
  /** The call that it led to is over: nothing of it is kept for what the device may repeat. */
  forget(): void;
}

/** A way to a device or trunk, with the SDP to offer: of our media, or the caller's. */
export interface Device {
  flow: Flow;
  /** The Request-URI. */
  uri: URI;
  /** Proxies on the way, as Route values. */
  routeSet: readonly string[];
  trunk?: Trunk;
  offer: string;
  media: MediaLeg | undefined;
  /** Header lines that hold for the INVITE with this CSeq alone. */
  proof?(cseq: number): string[];
}
