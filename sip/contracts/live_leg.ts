import type { Action } from "../../core/protocol/action.ts";
import type { ConferenceStep } from "../../core/protocol/conferences.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import type { RecordLegStep, TranscribeLegStep } from "../../core/protocol/leg_tasks.ts";
import type { StreamOrder } from "../../core/protocol/streams.ts";
import type { ServiceCause } from "../../core/protocol/disconnection.ts";
import type { Invitation, Script } from "../../core/protocol/script.ts";
import type { InboundLeg, OutboundLeg } from "./leg.ts";
import type { ScriptWaiter } from "../base/report_queue.ts";

/** A leg with what is done to it: its script, and its reports to the service. */
export interface LiveLeg<L extends InboundLeg | OutboundLeg = InboundLeg | OutboundLeg> {
  readonly leg: L;
  /** The status of the last dial without an answer: the final response to an unanswered caller. */
  lastFailure: number | undefined;
  /** Words about it, for a Warning. */
  lastWords: string | undefined;
  /** The connected leg, if any. */
  partner: LiveLeg | undefined;
  /** The document that decides when it transfers that one, or is transferred by it. */
  referMarkup: Action | undefined;
  /** Its place in a conference, as the service put it there; of a leg that has ended, the last one. */
  conference: ConferencePlace | undefined;
  /** The other end is a leg of another companion, which has the call and its records. */
  readonly isOfPeer: boolean;
  /** Its audio streams. */
  readonly streams: LegStreams;
  /** Its recordings and transcriptions beside the script. */
  readonly tasks: LegTasks;
  /** True while a transfer by its softphone is under way. */
  referring: boolean;
  /** Hangs the leg up after so many ms, in place of when that was to be before. */
  endAfter(ms: number, cause: ServiceCause): void;
  /** Reports an event to the service, in order, without waiting. */
  report(event: LegEvent): void;
  /** Reports an event and resolves with the next script, empty for none. */
  requestScript(event: LegEvent, waiter: ScriptWaiter): Promise<Script>;
  /** Takes the leg over from its holder: a script, or the dial of another leg. */
  acquire(): AbortSignal;
  /** Performs a script in place of what the leg was doing. */
  run(script: (signal: AbortSignal) => Script | Promise<Script>): void;
  /** The same with something that is no script; a failure hangs up. */
  take(work: (signal: AbortSignal) => Promise<void>): void;
  /**
   * Does what comes between the answer of a leg that a dial placed and the join with who dialled;
   * resolves with whether to join them. A leg that is not joined has ended, or was taken away.
   */
  prepare(invitation: Invitation, held: AbortSignal): Promise<boolean>;
  /** Hangs up by the service; `status` is the final response to an unanswered caller. */
  dismiss(options: { status?: number; cause: ServiceCause }): void;
  isDismissed: boolean;
  /** Resolves when nothing is performed on it; after `acquire`, what was has let go. */
  idle(): Promise<void>;
  /** Resolves when the leg has ended and its last report is queued. */
  readonly over: Promise<void>;
  /** Resolves when the service has all reports and the softphone its BYE. */
  settled(): Promise<void>;
}

/** Recordings and transcriptions beside the script of a leg, from its answer to its end. */
export interface LegTasks {
  /** Records what it says and hears. */
  record(step: Omit<RecordLegStep, "type">): void;
  /** Has that recognised, and reports the words. */
  transcribe(step: TranscribeLegStep): void;
  /** Ends the transcription with this Sid or name, if there is one. */
  stopTranscription(sidOrName: string): void;
  /** Resolves when nothing goes on any more. */
  settled(): Promise<void>;
}

/** The audio streams of a leg, which go on whatever step the leg performs. */
export interface LegStreams {
  /** Opens a stream once the leg is answered; resolves when it has ended. */
  start(order: StreamOrder): Promise<void>;
  /** Ends the stream with this Sid or name; false where there is none. */
  stop(sidOrName: string): boolean;
  /** Resolves when those that are open have ended. */
  settled(): Promise<void>;
}

/** A leg's place in a conference; of a leg that ended there, the one that it had. */
export interface ConferencePlace {
  readonly step: ConferenceStep;
  /**
   * Aborts when the leg is taken out of the conference, or the conference ends; not when the leg
   * does.
   */
  readonly left: AbortSignal;
  vacate(): void;
}
