import { sipLimits } from "../base/limits.ts";
import type { Timers } from "../base/timers.ts";

/** Provisional responses to one INVITE whose caller requires them to be reliable (RFC 3262 §3). */
export interface ReliableResponses {
  /** Sends one, after those before it are acknowledged; `write` gets its headers, each time. */
  send(write: (headers: string[]) => void): void;
  /** Takes the RAck of a PRACK; false when it acknowledges nothing that waits. */
  acknowledge(rack: string): boolean;
  /** Calls back when nothing waits for a PRACK, at once if so now. */
  whenIdle(callback: () => void): void;
  stop(): void;
}

export function createReliableResponses(
  { timers, cseq, onSilence }: {
    timers: Timers;
    /** Of the INVITE. */
    cseq: number;
    /** No PRACK came for `reliableGiveUpMs`. */
    onSilence(): void;
  },
): ReliableResponses {
  const waiting: ((headers: string[]) => void)[] = [];
  let rseq = crypto.getRandomValues(new Uint16Array(1))[0] ?? 0;
  let outstanding: (() => void) | undefined;
  let idle = () => {};

  function next(): void {
    const write = waiting.shift();
    if (write === undefined) return idle();
    const headers = ["Require: 100rel", `RSeq: ${++rseq}`];
    let stopResending = () => {};
    const send = (afterMs: number) => {
      write([...headers]);
      stopResending = timers.after(afterMs, () => send(afterMs * 2));
    };
    const stopWaiting = timers.after(sipLimits.reliableGiveUpMs, () => (stop(), onSilence()));
    outstanding = () => (stopResending(), stopWaiting(), outstanding = undefined);
    send(sipLimits.reliableResendMs);
  }

  function stop(): void {
    waiting.length = 0;
    outstanding?.();
    idle = () => {};
  }

  return {
    send(write) {
      waiting.push(write);
      if (outstanding === undefined) next();
    },
    acknowledge(rack) {
      const [, number, sequence] = /^\s*(\d+)\s+(\d+)\s+INVITE\s*$/i.exec(rack) ?? [];
      const fits = Number(number) === rseq && Number(sequence) === cseq;
      if (outstanding === undefined || !fits) return false;
      outstanding();
      // Not before the PRACK has its own response.
      queueMicrotask(() => outstanding ?? next());
      return true;
    },
    whenIdle(callback) {
      if (outstanding === undefined && waiting.length === 0) return callback();
      idle = callback;
    },
    stop,
  };
}
