import { steadyNow } from "../../core/base/steady_clock.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { sipLimits } from "../base/limits.ts";

/** Progress of a transfer for its transferor: the subscription that a REFER implies (RFC 3515). */
export interface Referral {
  /** A provisional status of the new call. */
  progress(status: number): void;
  /** The final status, which ends the subscription; resolves when the transferor has it. */
  end(status: number): Promise<void>;
}

const phrases: Readonly<Record<number, string>> = {
  100: "Trying",
  180: "Ringing",
  200: "OK",
  404: "Not Found",
  408: "Request Timeout",
  480: "Temporarily Unavailable",
  481: "Call/Transaction Does Not Exist",
  486: "Busy Here",
  487: "Request Terminated",
  503: "Service Unavailable",
  603: "Decline",
};

/** The body that reports a status (RFC 3420). */
export const sipfrag = (status: number): string =>
  `SIP/2.0 ${status} ${phrases[status] ?? `Status ${status}`}\r\n`;

/** NOTIFY with a sipfrag, in the dialog of the REFER. */
export const notifySipfrag = (
  dialog: Dialog | undefined,
  { content, state, id }: { content: string; state: string; id?: number },
): Promise<number> =>
  dialog?.request("notify", {
    headers: [
      id === undefined ? "Event: refer" : `Event: refer;id=${id}`,
      `Subscription-State: ${state}`,
    ],
    body: { contentType: "message/sipfrag;version=2.0", content },
  }) ?? Promise.resolve(481);

/**
 * The state of the subscription that a NOTIFY reports. sip.js sends `terminated` with each one, even
 * while its call rings; before the final status, `terminated` without a reason is taken as `active`.
 */
export function notifiedState(sipfrag: string, state: string): string {
  const isEarly = /^SIP\/2\.0 1\d\d\b/i.test(sipfrag) && /^\s*terminated\s*$/i.test(state);
  return isEarly ? `active;expires=${sipLimits.referExpiresS}` : state;
}

/**
 * Begins to tell; `id` is the CSeq of the REFER where the dialog saw another one before. One NOTIFY
 * follows another, so that none overtakes.
 */
export function createReferral(dialog: Dialog | undefined, id?: number): Referral {
  let last: Promise<unknown> = Promise.resolve();
  let over = false;
  const until = steadyNow() + sipLimits.referExpiresS * 1000;
  const notify = (status: number, state: string) => {
    const named = id === undefined ? {} : { id };
    last = last.then(() => notifySipfrag(dialog, { content: sipfrag(status), state, ...named }));
    return last;
  };
  return {
    progress(status) {
      if (over) return;
      const seconds = Math.max(Math.round((until - steadyNow()) / 1000), 1);
      void notify(status, `active;expires=${seconds}`);
    },
    async end(status) {
      if (over) return;
      over = true;
      await notify(status, "terminated;reason=noresource");
    },
  };
}

/** Of a transferor that wants to hear nothing (RFC 4488). */
export const silentReferral: Referral = { progress() {}, end: () => Promise.resolve() };
