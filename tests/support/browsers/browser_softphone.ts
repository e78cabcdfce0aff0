import type { Browser } from "playwright-core";
import { openPage, type PageEvent } from "./browser_page.ts";

/** The libraries that real softphones are made of. */
export type SoftphoneKind = "sip.js" | "jssip";

export interface BrowserAccount {
  login: string;
  password: string;
  domain: string;
  wsUrl: string;
  /** Session-Expires of JsSIP, in seconds; the bounds of JsSIP unless given. */
  sessionExpiresS?: number;
}

/** Statistics of the audio of the newest call. */
export interface AudioStats {
  packetsReceived: number;
  packetsSent: number;
  totalAudioEnergy: number;
}

/**
 * A softphone in a browser page, by a library of others. Its events are `registered`,
 * `unregistered`, `registrationFailed`, `disconnected`, `incoming`, `ringing` (JsSIP only),
 * `answered`, `ended`, `held`, `resumed`, `transferred`, `transferFailed` and `text`. Messages on
 * the connection give `METHOD received` and, with the status, `METHOD answered`. An error in the
 * page fails pending waits. Commands in a call are for the newest one.
 */
export interface BrowserSoftphone {
  /** Connects and registers; resolves when the registrar took it. */
  register(): Promise<void>;
  unregister(): Promise<void>;
  /** Calls a user part at the domain; the event `answered` or `ended` has the outcome. */
  call(target: string): Promise<void>;
  /** Sets the reaction to an incoming call; it is answered by default. */
  setAnswerMode(mode: "auto" | "manual" | "decline"): Promise<void>;
  answer(): Promise<void>;
  decline(): Promise<void>;
  hangup(): Promise<void>;
  hold(): Promise<void>;
  resume(): Promise<void>;
  /** Restarts ICE by a re-INVITE; resolves when both have new names, and a way by them. */
  restartIce(): Promise<void>;
  /** Sound before the answer, by a reliable 183 (sip.js only). */
  early(): Promise<void>;
  /** Presses digits as telephone events. */
  pressDigits(digits: string): Promise<void>;
  /** Presses one as an INFO. */
  sendDigit(digit: string): Promise<void>;
  /** Sends a text to a user part at the domain (RFC 3428). */
  message(target: string, text: string): Promise<void>;
  /** Blind transfer: refers the other side to a user part at the domain. */
  transfer(target: string): Promise<void>;
  /** Attended transfer: refers the other side of the first call to that of the newest. */
  transferToNewest(): Promise<void>;
  /** Closes the connection without a word. */
  dropSocket(): Promise<void>;
  events(): PageEvent[];
  waitFor(name: string, timeoutMs?: number): Promise<PageEvent>;
  /** Returns whether a frequency is the loudest in the remote audio just now. */
  heardFrequency(hz: number): Promise<boolean>;
  /** Resolves when it is. */
  awaitTone(hz: number, timeoutMs?: number): Promise<void>;
  /** Resolves when so many more packets came in, with sound in them. */
  awaitAudio(packets: number, timeoutMs?: number): Promise<void>;
  /** Resolves when no sound came in for longer than a talking softphone is silent. */
  awaitSilence(timeoutMs?: number): Promise<void>;
  stats(): Promise<AudioStats>;
  close(): Promise<void>;
}

const WAIT_MS = 60_000;

/** Opens a page with a softphone; it does nothing until `register`. */
export async function openBrowserSoftphone(
  browser: Browser,
  kind: SoftphoneKind,
  account: BrowserAccount,
): Promise<BrowserSoftphone> {
  const page = await openPage(browser);
  await page.run("openPhone", kind, account);
  const act = (...action: unknown[]) => page.run<void>("phone", ...action);
  return {
    async register() {
      await act("register");
      await page.waitFor("registered");
    },
    async unregister() {
      await act("unregister");
      await page.waitFor("unregistered");
    },
    call: (target) => act("call", target),
    setAnswerMode: (mode) => act("setAnswerMode", mode),
    answer: () => act("answer"),
    decline: () => act("decline"),
    hangup: () => act("hangup"),
    hold: () => act("hold"),
    resume: () => act("resume"),
    async restartIce() {
      const names = await page.run<string[]>("iceNames");
      await act("restartIce");
      await page.waitFor("restarted");
      await page.run("awaitOtherNames", names, WAIT_MS);
    },
    early: () => act("early"),
    pressDigits: (digits) => page.run("pressDigits", digits),
    sendDigit: (digit) => act("sendDigit", digit),
    message: (target, text) => act("message", target, text),
    transfer: (target) => act("transfer", target),
    transferToNewest: () => act("transferToNewest"),
    dropSocket: () => page.run("dropSocket"),
    events: page.events,
    waitFor: page.waitFor,
    heardFrequency: (hz) => page.run("heardFrequency", hz),
    awaitTone: (hz, timeoutMs = WAIT_MS) => page.run("awaitTone", hz, timeoutMs),
    awaitAudio: (packets, timeoutMs = WAIT_MS) => page.run("awaitAudio", packets, timeoutMs),
    awaitSilence: (timeoutMs = WAIT_MS) => page.run("awaitSilence", timeoutMs),
    stats: () => page.run("stats"),
    close: page.close,
  };
}
