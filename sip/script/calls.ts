import type { LegEvent } from "../../core/bridge_events.ts";
import type { Invitation, Script } from "../../core/bridge_script.ts";
import type { WaitingLegs } from "./queue.ts";
import { createRooms, type Rooms } from "./rooms.ts";
import { createLiveLeg, type LiveLeg } from "./live_leg.ts";
import { type CallerDemands, noDemands } from "../leg/caller.ts";
import type { InboundLeg, OutboundLeg } from "../leg/leg.ts";
import { sipLimits } from "../limits.ts";
import { LooseMap } from "../loose_map.ts";
import type { LoadAudio, MediaEngine, MediaLeg } from "../media/port.ts";
import type { Recogniser } from "../media/recogniser.ts";
import type { Speaker } from "../media/speaker.ts";
import { createOutboundLeg } from "../leg/outbound_leg.ts";
import type { OutboundCall } from "../leg/outbound_state.ts";
import { runPartner, takeOrders } from "../peer/far_leg.ts";
import type { Recordings } from "../service/recordings.ts";
import { createReportQueue, type ReportOptions } from "../service/reports.ts";
import type { Signalling } from "../signalling.ts";

/** How a leg is placed, beyond whom to call. */
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
  onProgress?(status: number, sdp: string): void;
  /** The one device called sends sound before it answers. */
  onEarlyMedia?(media: MediaLeg): void;
}

/** The legs that are alive, by Sid. */
export interface Calls {
  readonly signalling: Signalling;
  readonly media: MediaEngine;
  readonly loadAudio: LoadAudio;
  readonly rooms: Rooms;
  readonly waiting: WaitingLegs;
  readonly recordings: Recordings;
  /** Null: nobody understands speech here. */
  readonly recogniser: Recogniser | null;
  /** Null: nobody speaks here. */
  readonly speaker: Speaker | null;
  find(leg: string): LiveLeg | undefined;
  /** Whether a leg with this id ended, and that is news to the service or was a moment ago. */
  ended(leg: string): boolean;
  /** Every leg of which the service does not know yet that it ended. */
  unsettled(): LiveLeg["leg"][];
  /** Takes a new leg in; it is reported as ended and forgotten when it is over. */
  add<L extends InboundLeg | OutboundLeg>(leg: L): LiveLeg<L>;
  place(invitation: Invitation, placing: Placing): LiveLeg<OutboundLeg>;
  /** Hangs up every leg; resolves when peers and service know all there is to know. */
  endAll(): Promise<void>;
}

export interface CallsOptions extends Omit<ReportOptions, "timers" | "log"> {
  signalling: Signalling;
  media: MediaEngine;
  loadAudio: LoadAudio;
  recordings: Recordings;
  recogniser: Recogniser | null;
  speaker: Speaker | null;
}

export function createCalls(options: CallsOptions): Calls {
  const { signalling, media, loadAudio, recordings, recogniser, speaker } = options;
  const { timers, log } = signalling;
  const legs = new LooseMap<string, LiveLeg>();
  const ended = new Set<string>();
  const unsettled = new LooseMap<string, { leg: LiveLeg["leg"]; settled: Promise<void> }>();

  const end = (id: string) => {
    legs.delete(id);
    ended.add(id);
  };
  const settle = (id: string) => {
    unsettled.delete(id);
    timers.after(sipLimits.endedLegMs, () => ended.delete(id));
  };

  const calls: Calls = {
    signalling,
    media,
    loadAudio,
    rooms: createRooms(media),
    waiting: new Map(),
    recordings,
    recogniser,
    speaker,
    find: (id) => legs.get(id),
    ended: (id) => ended.has(id),
    unsettled: () => [...unsettled.values()].map(({ leg }) => leg),
    add(leg) {
      const reports = createReportQueue({ ...options, timers, log }, leg);
      const live = createLiveLeg(calls, leg, reports);
      legs.set(leg.id, live);
      void live.over.then(() => end(leg.id));
      unsettled.set(leg.id, { leg, settled: live.settled().finally(() => settle(leg.id)) });
      return live;
    },
    place(invitation, placing) {
      const report = (event: LegEvent) => live.report(event);
      const call = outboundCall(calls, invitation, { ...placing, report });
      const live = calls.add(createOutboundLeg(signalling, call));
      if (invitation.target.kind === "leg") takeOrders(live);
      return live;
    },
    async endAll() {
      for (const live of legs.values()) live.dismiss(503);
      await Promise.all([...unsettled.values()].map(({ settled }) => settled));
      await recordings.drained();
    },
  };
  return calls;
}

function outboundCall(
  { media }: Calls,
  invitation: Invitation,
  placing: Placing & { report: LiveLeg["report"] },
): OutboundCall {
  const { offer, parent, timeoutS, maxForwards, demands = noDemands, headers = [], report } =
    placing;
  const { from, to, memo } = invitation;
  return {
    invitation,
    headers,
    demands,
    isChild: parent !== undefined,
    timeoutMs: timeoutS * 1000,
    maxForwards: maxForwards ?? sipLimits.maxForwards,
    media: offer === undefined ? { engine: media } : { offer },
    onInviting: (sipCallId) =>
      report({
        type: "inviting",
        from,
        to,
        sipCallId,
        ...parent && { parent },
        ...memo && { memo },
      }),
    onRinging: () => {
      report({ type: "ringing" });
      placing.onRinging?.();
    },
    ...placing.onProgress === undefined ? {} : { onProgress: placing.onProgress },
    ...placing.onEarlyMedia === undefined ? {} : { onEarlyMedia: placing.onEarlyMedia },
  };
}

/** Performs a script on a leg, placing it first when the script begins with an `invite`. */
export function runScript(
  calls: Calls,
  { leg, script, other }: { leg: string; script: Script; other?: Script | undefined },
): "run" | "unknown" {
  const known = calls.find(leg);
  const [first] = script;
  const invite = first?.type === "invite" && first.invitation.leg === leg ? first : undefined;
  if (invite !== undefined) {
    if (known === undefined && !calls.ended(leg)) {
      calls.place(invite.invitation, { timeoutS: invite.timeoutS }).run(() => script);
    }
    return "run";
  }
  if (known === undefined) return "unknown";
  // At once: what is under way is told as cut off by the end of the call, not by another script.
  if (first?.type === "hangup") {
    known.dismiss();
    return "run";
  }
  // Whom it talks to first: then neither is hung up with what the other did.
  if (other !== undefined) runPartner(known, other);
  known.run(() => script);
  return "run";
}
