import type { LegEvent } from "../../core/protocol/events.ts";
import type { Script } from "../../core/protocol/script.ts";

/** The caller that waits for the script of a report; `signal` aborts when it waits no longer. */
export interface ScriptWaiter {
  signal: AbortSignal;
  /** The service has not answered for `serviceGraceMs`; the report goes on being sent. */
  onUnreachable?(): void;
}

/** The reports of one leg: sent one after another, each until the service has it. */
export interface ReportQueue {
  /**
   * Resolves with the next script: empty when none was asked for, the leg waits no longer, or there
   * is none.
   */
  send(event: LegEvent, waiter?: ScriptWaiter): Promise<Script>;
  /** Delays later reports until `work` is done, which never rejects. */
  wait(work: Promise<void>): void;
  /** Resolves when everything queued so far is delivered or given up. */
  drained(): Promise<void>;
}
