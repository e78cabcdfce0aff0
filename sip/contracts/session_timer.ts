/**
 * Session timers (RFC 4028). Two phones whose audio passes by the companion can vanish without a BYE. A
 * peer that supports session timers gets one, other peers on a stream are watched by their connection,
 * and a phone on UDP gets a refresh every 15 minutes. A session that the companion refreshes lasts until
 * its end, though the refresh is late; one that the peer refreshes ends a third of its length, at most 32
 * s, before (§10). After a refusal other than 491 the next refresh waits for an eighth of the session.
 */
import type { IncomingRequestMessage, IncomingResponseMessage } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import { endsDialog, Refused } from "../base/refused.ts";
import type { Refusal } from "../base/refusal.ts";
import type { Timers } from "../base/timers.ts";

type Message = IncomingRequestMessage | IncomingResponseMessage;

/** Length of a session without a refresh, and the least that a peer may request, in s. */
export interface SessionBounds {
  expiresS: number;
  minSeS: number;
}

/** Agreement of both sides: the refresher, and the length of a session without a refresh. */
export interface TimerAgreement {
  intervalS: number;
  refresher: "us" | "peer";
}

interface SessionExpires {
  seconds: number;
  refresher: "uac" | "uas" | undefined;
}

function sessionExpiresOf(message: Message): SessionExpires | undefined {
  const [, digits, rest] =
    /^\s*(\d{1,9})\s*(;.*)?$/.exec(message.getHeader("session-expires") ?? "") ??
      [];
  if (digits === undefined) return undefined;
  const refresher = /;\s*refresher\s*=\s*(uac|uas)\b/i.exec(rest ?? "")?.[1]?.toLowerCase();
  return { seconds: Number(digits), refresher: refresher as SessionExpires["refresher"] };
}

const minSeOf = (message: Message): number =>
  Number(/^\s*(\d{1,9})/.exec(message.getHeader("min-se") ?? "")?.[1] ?? 0);

/** True when an option tag is in a header, which may stand several times. */
export const hasOption = (message: Message, header: string, tag: string): boolean =>
  message.getHeaders(header).join(",").split(",").some((one) => one.trim().toLowerCase() === tag);

/** 422 to a request whose session would be over too soon (RFC 4028 §9). */
export function refuseInterval(
  message: IncomingRequestMessage,
  { minSeS }: SessionBounds,
): Refusal | undefined {
  const asked = sessionExpiresOf(message);
  if (asked === undefined || asked.seconds >= minSeS) return undefined;
  return { statusCode: 422, extraHeaders: [`Min-SE: ${minSeS}`] };
}

/**
 * Headers of our 2xx to a request of the peer, and the agreement by it (RFC 4028 §9). A peer that
 * supports session timers gets one in any case, so that its loss is noticed.
 */
export function agreeAsServer(
  message: IncomingRequestMessage,
  { expiresS, minSeS }: SessionBounds,
): { agreement: TimerAgreement | undefined; headers: string[] } {
  const asked = sessionExpiresOf(message);
  const knows = hasOption(message, "supported", "timer") || hasOption(message, "require", "timer");
  if (asked === undefined && !knows) return { agreement: undefined, headers: [] };
  const least = Math.min(Math.max(minSeS, minSeOf(message)), sipLimits.sessionExpiresMaxS);
  const intervalS = Math.max(least, Math.min(asked?.seconds ?? expiresS, expiresS));
  const refresher = knows ? asked?.refresher ?? "uac" : "uas";
  const header = `Session-Expires: ${intervalS};refresher=${refresher}`;
  return {
    agreement: { intervalS, refresher: refresher === "uac" ? "peer" : "us" },
    headers: refresher === "uac" ? [header, "Require: timer"] : [header],
  };
}

/** Agreement by the 2xx of the peer; undefined when it wants no timer (RFC 4028 §7.2). */
export function agreeAsClient(
  message: IncomingResponseMessage,
  { minSeS }: SessionBounds,
): TimerAgreement | undefined {
  const given = sessionExpiresOf(message);
  if (given === undefined) return undefined;
  const refresher = given.refresher === "uas" ? "peer" : "us";
  const intervalS = Math.min(Math.max(given.seconds, minSeS), sipLimits.sessionExpiresMaxS);
  return { intervalS, refresher };
}

/** Headers of our INVITE; `atLeastS` is the interval that a 422 demanded. */
export function askInterval({ expiresS }: SessionBounds, atLeastS = 0): string[] {
  const header = `Session-Expires: ${Math.max(expiresS, atLeastS)}`;
  return atLeastS === 0 ? [header] : [header, `Min-SE: ${atLeastS}`];
}

/**
 * The length of a session, in seconds, with a peer on UDP that is no carrier and knows no session
 * timer. None for a dialog without SDP, since a refresh has an offer.
 */
export function unagreedS(
  { flow, trunk, localSdp }: { flow: Flow; trunk?: unknown; localSdp: string },
  { expiresS }: SessionBounds,
): number | undefined {
  const isWatched = flow.transport.protocol !== "UDP" || trunk !== undefined;
  return isWatched || localSdp === "" ? undefined : expiresS;
}

/** The interval that a 422 demands; undefined when it is none that can be met (RFC 4028 §7.3). */
export function demandedInterval(message: IncomingResponseMessage): number | undefined {
  const seconds = minSeOf(message);
  const isMeant = message.statusCode === 422 && seconds > 0;
  return isMeant && seconds <= sipLimits.sessionExpiresMaxS ? seconds : undefined;
}

/** Why a request in a dialog was refused, as an error. */
export const refusedBy = (what: string, message: IncomingResponseMessage): Refused =>
  new Refused(what, message.statusCode ?? 500, demandedInterval(message) ?? 0);

/** Keeps one session alive, or ends it (RFC 4028 §10). */
export interface SessionTimer {
  /**
   * Begins anew with what was agreed last; without an agreement nothing but silence ends the
   * session.
   */
  restart(agreement: TimerAgreement | undefined): void;
  stop(): void;
}

export interface SessionTimerOptions {
  timers: Timers;
  /** Refreshes the session for an interval in s; rejects with `Refused`. */
  refresh(intervalS: number): Promise<void>;
  /** No refresh came, or none could be had. */
  expired(): void;
  /**
   * The interval without an agreement, in seconds; undefined where another mechanism detects that the
   * peer is gone.
   */
  unagreedS(): number | undefined;
}

export function createSessionTimer(
  { timers, refresh, expired, unagreedS }: SessionTimerOptions,
): SessionTimer {
  let running: (() => void)[] = [];
  const stop = () => {
    for (const stopOne of running) stopOne();
    running = [];
  };
  const after = (seconds: number, callback: () => void) =>
    running.push(timers.after(seconds * 1000, callback));

  async function attempt(intervalS: number): Promise<void> {
    const before = running;
    try {
      await refresh(intervalS);
    } catch (error) {
      if (before !== running || running.length === 0) return; // Begun anew meanwhile, or over.
      if (endsDialog(error)) return stop(), expired();
      const demanded = error instanceof Refused ? error.minSeS : 0;
      const again = demanded > intervalS ? 0 : retryS(error, intervalS);
      after(again, () => void attempt(Math.max(intervalS, demanded)));
    }
  }

  return {
    restart(agreement) {
      stop();
      if (agreement === undefined) {
        // Whatever a peer says to a refresh that it does not know, it is there.
        const seconds = unagreedS();
        if (seconds !== undefined) after(seconds / 2, () => void attempt(seconds));
        return;
      }
      const { intervalS, refresher } = agreement;
      // BYE goes out while a peer that does not refresh still knows the session. A refresh of ours may
      // come as late as the session lasts: its request times out by itself (§10).
      const margin = refresher === "peer" ? Math.min(32, intervalS / 3) : 0;
      after(intervalS - margin, () => (stop(), expired()));
      if (refresher === "us") after(intervalS / 2, () => void attempt(intervalS));
    },
    stop,
  };
}

/**
 * Time until a refused refresh is tried again: an eighth of the session (§10), but a random time after
 * 491, which is a crossing of requests (RFC 3261 §14.1).
 */
const retryS = (error: unknown, intervalS: number): number =>
  error instanceof Refused && error.status === 491
    ? Math.min(2.1 + Math.random() * 1.9, intervalS / 8)
    : intervalS / 8;
