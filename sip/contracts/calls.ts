import type { Flow } from "../base/flow.ts";
import type { Action } from "../../core/protocol/action.ts";
import type { Invitation } from "../../core/protocol/script.ts";
import type { CallerDemands } from "./caller.ts";
import type { InboundLeg, OutboundLeg } from "./leg.ts";
import type { LoadAudio, MediaEngine, MediaLeg, Recogniser, Speaker } from "../media/mod.ts";
import type { ServerSockets } from "../media/sockets.ts";
import type { Recordings } from "../service/recordings.ts";
import type { Signalling } from "./signalling.ts";
import type { LiveLeg } from "./live_leg.ts";
import type { Conferences } from "./conferences.ts";

/** SDP of one side of a call, and the address that it signals from. */
export interface Said {
  sdp: string;
  flow: Flow;
}

/** Options of a new leg, besides its target. */
export interface Placing {
  timeoutS: number;
  maxForwards?: number;
  demands?: CallerDemands;
  /** The leg whose dial places it. */
  parent?: string;
  /** The caller's SDP to pass through, in place of media of ours. */
  offer?: string;
  /** Whole header lines of ours for the INVITE. */
  headers?: string[];
  onRinging?(): void;
  /** As in `OutboundCall`. */
  onSearching?(): void;
  onProgress?(status: number, early: Said): void;
  /** The one device called sends sound before it answers. */
  onEarlyMedia?(media: MediaLeg): void;
}

/** The legs that are alive, by Sid. */
export interface Calls {
  readonly signalling: Signalling;
  readonly media: MediaEngine;
  readonly loadAudio: LoadAudio;
  readonly conferences: Conferences;
  readonly waiting: WaitingLegs;
  readonly recordings: Recordings;
  /** Null: no speech recognition. */
  readonly recogniser: Recogniser | null;
  /** Null: no text-to-speech. */
  readonly speaker: Speaker | null;
  /** WebSockets to servers of conversations, whose messages are read. */
  readonly sockets: ServerSockets<unknown>;
  find(leg: string): LiveLeg | undefined;
  /** True for `sipLimits.endedLegMs` after the end of a leg with this id, and before that is reported. */
  ended(leg: string): boolean;
  /** Legs whose end the service has not got yet, live ones included. */
  unsettled(): LiveLeg["leg"][];
  /**
   * Takes a new leg in; it is reported as ended and forgotten when it is over. `parent` is the leg
   * whose Dial placed it.
   */
  add<L extends InboundLeg | OutboundLeg>(leg: L, parent?: string): LiveLeg<L>;
  /**
   * The same of a leg whose other end is a leg of another companion: the service hears nothing of
   * it.
   */
  adopt<L extends InboundLeg | OutboundLeg>(leg: L): LiveLeg<L>;
  place(invitation: Invitation, placing: Placing): LiveLeg<OutboundLeg>;
  /** Hangs up every leg; resolves when peers and service know all there is to know. */
  endAll(): Promise<void>;
}

/** A leg that waits, as the one sees it that takes it. */
export interface WaitingLeg {
  live: LiveLeg;
  /** Aborts when it ended, or something else is done to it. */
  signal: AbortSignal;
  /**
   * It waits no longer, and is talked to until `release`; resolves when it has heard the document
   * that is for it alone.
   */
  take(whisper?: Action): Promise<void>;
  release(): void;
}

/** The legs of this companion that wait in queues, by id. */
export type WaitingLegs = Map<string, WaitingLeg>;
