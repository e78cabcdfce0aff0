import { mediaLimits } from "../base/limits.ts";
import type { Clock } from "../base/ticker.ts";

/** True where a peer still wants what we send (RFC 7675 §5.1). */
export interface Consent {
  /** True where an answer is to the last question. */
  isAbout(transaction: string): boolean;
  /** The peer said yes. */
  renew(): void;
  close(): void;
}

interface Options {
  clock: Clock;
  /** Asks the peer; returns the transaction. */
  check(): string;
  onLost(): void;
}

/** Asks every 5 s or so, from a moment on at which the peer consented. */
export function watchConsent({ clock, check: ask, onLost }: Options): Consent {
  let consentedAt = clock.now();
  let asked: string | undefined;
  let cancel = () => {};
  const { iceConsentMs, iceAskMs } = mediaLimits;

  const wait = () => {
    const askMs = iceAskMs * (0.8 + 0.4 * Math.random());
    const leftMs = consentedAt + iceConsentMs - clock.now();
    cancel = clock.after(Math.max(0, Math.min(askMs, leftMs)), run);
  };
  const run = () => {
    if (clock.now() - consentedAt >= iceConsentMs) return onLost();
    asked = ask();
    wait();
  };
  wait();
  return {
    isAbout: (transaction) => transaction === asked,
    renew() {
      consentedAt = clock.now();
    },
    close: () => cancel(),
  };
}
