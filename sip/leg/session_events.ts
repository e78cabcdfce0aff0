import type {
  IncomingAckRequest,
  IncomingByeRequest,
  IncomingInfoRequest,
  IncomingInviteRequest,
  IncomingNotifyRequest,
  IncomingPrackRequest,
  IncomingReferRequest,
  SessionDelegate,
} from "../base/sip_js.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { answerInfo } from "./in_dialog.ts";
import { answerReinvite } from "./offer.ts";
import type { Refusal } from "../base/refusal.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { warning } from "../base/warning.ts";

/** A PRACK may offer (RFC 3262 §5), but the session is agreed by INVITE and its answer here. */
const offerInPrack = (domain: string): Refusal => ({
  statusCode: 488,
  extraHeaders: [warning(domain, "Cannot take an offer in a PRACK: offer it in a re-INVITE")],
});

/** A dialog with a handler of the ACK to our 2xx. */
export interface Acknowledged extends Dialog {
  /** It came, with this body. */
  onAck(body: string): void;
  /** It did not come in time. */
  onSilence(): void;
}

/**
 * Hears what the library has to say of a session. A class, since a literal would make each dialog a
 * closure for each thing that may come, of which few do.
 */
export class SessionEvents implements SessionDelegate {
  readonly #signalling: Signalling;
  readonly #dialog: Acknowledged;

  constructor(signalling: Signalling, dialog: Acknowledged) {
    this.#signalling = signalling;
    this.#dialog = dialog;
  }
  onAck({ message }: IncomingAckRequest) {
    this.#guarded((dialog) => dialog.onAck(message.body));
  }
  onAckTimeout() {
    this.#guarded((dialog) => dialog.onSilence());
  }
  onBye(request: IncomingByeRequest) {
    this.#guarded((dialog) => {
      request.accept();
      dialog.abandon();
      dialog.events.onBye(request.message.getHeader("reason"));
    });
  }
  onInvite(request: IncomingInviteRequest) {
    this.#guarded((dialog) => void answerReinvite(this.#signalling, dialog, request));
  }
  onInfo(request: IncomingInfoRequest) {
    this.#guarded((dialog) => void answerInfo(this.#signalling, dialog, request));
  }
  onRefer(request: IncomingReferRequest) {
    this.#guarded((dialog) => dialog.events.onRefer(request));
  }
  onNotify(request: IncomingNotifyRequest) {
    this.#guarded((dialog) => {
      const { message } = request;
      const state = message.getHeader("subscription-state") ?? "";
      if (dialog.events.onNotify(message.body, state)) request.accept();
      else request.reject({ statusCode: 481 });
    });
  }
  onPrack(request: IncomingPrackRequest) {
    this.#guarded((dialog) => {
      const rack = request.message.getHeader("rack") ?? "";
      const isOffer = request.message.body !== "";
      if (!dialog.events.onPrack?.(rack)) request.reject({ statusCode: 481 });
      else if (isOffer) request.reject(offerInPrack(this.#signalling.domain));
      else request.accept();
    });
  }
  #guarded(callback: (dialog: Acknowledged) => void) {
    guard(this.#signalling.log, callback)(this.#dialog);
  }
}
