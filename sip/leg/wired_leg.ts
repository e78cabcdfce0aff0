import type { Wiring } from "./in_dialog.ts";
import type { Leg } from "../contracts/leg.ts";

type Wired = Pick<
  Leg,
  "counterpart" | "onHold" | "onUnknownSource" | "onRefer" | "onNotify" | "onContent"
>;

/**
 * The handlers that a leg calls for requests in its dialog. Legs are classes, since getters of an
 * object literal would give each leg a hidden class of its own, which keeps all of the call until
 * the next complete run of the garbage collector.
 */
export class WiredLeg implements Wired {
  readonly #wiring: Wiring;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
  }
  get counterpart() {
    return this.#wiring.counterpart;
  }
  set counterpart(counterpart: Leg["counterpart"]) {
    this.#wiring.counterpart = counterpart;
  }
  set onHold(onHold: Leg["onHold"]) {
    this.#wiring.onHold = onHold;
  }
  set onUnknownSource(onUnknownSource: Leg["onUnknownSource"]) {
    this.#wiring.onUnknownSource = onUnknownSource;
  }
  set onRefer(onRefer: Leg["onRefer"]) {
    this.#wiring.onRefer = onRefer;
  }
  set onNotify(onNotify: Leg["onNotify"]) {
    this.#wiring.onNotify = onNotify;
  }
  set onContent(onContent: Leg["onContent"]) {
    this.#wiring.onContent = onContent;
  }
}
