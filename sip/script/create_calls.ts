import { learnedTenant, learnTenant } from "../../core/base/learned_tenants.ts";
import { lookingFor } from "../../core/machine/net/names.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import { beginSpan } from "../../core/base/tracing.ts";
import type { Invitation, Script } from "../../core/protocol/script.ts";
import type { Calls, Placing } from "../contracts/calls.ts";
import { createConferences } from "../contracts/conferences.ts";
import { createLiveLeg } from "./create_live_leg.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import type { OutboundLeg } from "../contracts/leg.ts";
import { noDemands } from "../contracts/caller.ts";
import type { ReportQueue } from "../base/report_queue.ts";
import { sipLimits } from "../base/limits.ts";
import { inviteAnswer, inviteRinging } from "../base/metrics.ts";
import { ShortLivedMap } from "../../core/base/short_lived_map.ts";
import type { LoadAudio, MediaEngine, Recogniser, Speaker } from "../media/mod.ts";
import { createOutboundLeg } from "../leg/outbound_leg.ts";
import type { OutboundCall } from "../leg/outbound_state.ts";
import { runPartner, takeOrders } from "../leg/remote_leg.ts";
import type { ServerSockets } from "../media/sockets.ts";
import type { Recordings } from "../service/recordings.ts";
import { createTraceSender, type SendTrace } from "../service/send_trace.ts";
import type { ServiceLink } from "../service/service_link.ts";
import { createReportQueue, type ReportOptions } from "../service/reports.ts";
import type { Signalling } from "../contracts/signalling.ts";

export interface CallsOptions extends Omit<ReportOptions, "timers" | "log"> {
  signalling: Signalling;
  /** Takes the traces of calls that fail. */
  link: Pick<ServiceLink, "trace">;
  media: MediaEngine;
  loadAudio: LoadAudio;
  recordings: Recordings;
  recogniser: Recogniser | null;
  speaker: Speaker | null;
  sockets: ServerSockets<unknown>;
}

export function createCalls(options: CallsOptions): Calls {
  const { signalling, media, loadAudio, recordings, recogniser, speaker, sockets } = options;
  const { timers, log } = signalling;
  const sendTrace = createTraceSender(options.companion, options.link, signalling);
  const legs = new ShortLivedMap<string, LiveLeg>();
  const ended = new Set<string>();
  const unsettled = new ShortLivedMap<string, { leg: LiveLeg["leg"]; settled: Promise<void> }>();

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
    conferences: createConferences(media),
    waiting: new Map(),
    recordings,
    recogniser,
    speaker,
    sockets,
    find: (id) => legs.get(id),
    ended: (id) => ended.has(id),
    unsettled: () => [...unsettled.values()].map(({ leg }) => leg),
    add(leg, parent) {
      const reports = createReportQueue({ ...options, timers, log }, leg);
      traceLeg(leg, { parent, reports, sendTrace, traces: signalling.traces });
      const live = createLiveLeg(calls, leg, reports);
      legs.set(leg.id, live);
      void live.over.then(() => end(leg.id));
      // An answered leg had what others were short of.
      void leg.ended.then(() => leg.answeredAt !== undefined && signalling.shortages.ease());
      unsettled.set(leg.id, { leg, settled: live.settled().finally(() => settle(leg.id)) });
      return live;
    },
    adopt(leg) {
      return createLiveLeg(calls, leg, unheard, { isOfPeer: true });
    },
    place(invitation, placing) {
      const report = (event: LegEvent) => live.report(event);
      const requestScript: LiveLeg["requestScript"] = (event, waiter) =>
        live.requestScript(event, waiter);
      const signal = () => live.leg.signal;
      const call = outboundCall(calls, invitation, { ...placing, report, requestScript, signal });
      const live = calls.add(createOutboundLeg(signalling, call), placing.parent);
      traceInvite(live.leg);
      const { endsAfterMs } = invitation;
      if (endsAfterMs !== undefined) {
        void live.leg.whenAnswered.then((is) => is && live.endAfter(endsAfterMs, "limit"));
      }
      if (invitation.target.kind === "leg") takeOrders(live);
      return live;
    },
    async endAll() {
      for (const live of legs.values()) live.dismiss({ status: 503, cause: "shutdown" });
      await Promise.all([...unsettled.values()].map(({ settled }) => settled));
      await recordings.drained();
    },
  };
  return calls;
}

/** Takes the reports of a leg that the service hears nothing of. */
const unheard: ReportQueue = {
  send: () => Promise.resolve([]),
  wait() {},
  drained: () => Promise.resolve(),
};

/** Keeps the messages of a leg until it ends; the report of its end waits for its trace. */
function traceLeg(
  leg: LiveLeg["leg"],
  { parent, reports, sendTrace, traces }: {
    parent: string | undefined;
    reports: ReportQueue;
    sendTrace: SendTrace;
    traces: Signalling["traces"];
  },
): void {
  const { id, sipCallId } = leg;
  traces.begin({ id, sipCallId, parent });
  void leg.ended.then((ending) => {
    reports.wait(sendTrace(leg, ending));
    traces.end(id);
  });
}

const secondsSince = (at: number): number => (performance.now() - at) / 1_000;

/** A span from the order to place a call to its final response, and the time until its answer. */
function traceInvite({ id, signal, whenAnswered, ended }: OutboundLeg): void {
  const attributes = { "switchboard.call_sid": id };
  const begunAt = performance.now();
  const span = beginSpan("INVITE", { kind: "client", attributes });
  void Promise.race([whenAnswered, ended]).then(async () => {
    const { outcome, sipStatus = 200 } = signal.aborted ? await ended : { outcome: "answered" };
    if (outcome === "answered") inviteAnswer.observe(secondsSince(begunAt));
    span.setAttributes({ "switchboard.outcome": outcome, "sip.response.status_code": sipStatus });
    span.end();
  });
}

function outboundCall(
  { media }: Calls,
  invitation: Invitation,
  placing: Placing & Pick<LiveLeg, "report" | "requestScript"> & { signal(): AbortSignal },
): OutboundCall {
  const { offer, parent, timeoutS, maxForwards, demands = noDemands, headers = [], report } =
    placing;
  const { from, to, serviceContext } = invitation;
  const inviting = (sipCallId: string): LegEvent => ({
    type: "inviting",
    from,
    to,
    sipCallId,
    ...parent && { parent },
    ...serviceContext && { serviceContext },
  });
  const isAsked = parent !== undefined && invitation.limited === true;
  let invitedAt = performance.now();
  return {
    invitation,
    headers,
    demands,
    isChild: parent !== undefined,
    timeoutMs: timeoutS * 1000,
    maxForwards: maxForwards ?? sipLimits.maxForwards,
    media: offer === undefined ? { engine: media } : { offer },
    ...isAsked && {
      async admit(sipCallId) {
        const signal = placing.signal();
        const [step] = await placing.requestScript(inviting(sipCallId), { signal });
        if (step?.type === "connect") return undefined;
        return step?.type === "reject" ? step : { status: 503 };
      },
    },
    onInviting: (sipCallId) => {
      invitedAt = performance.now();
      if (!isAsked) report(inviting(sipCallId));
    },
    onRinging: () => {
      inviteRinging.observe(secondsSince(invitedAt));
      report({ type: "ringing" });
      placing.onRinging?.();
    },
    ...placing.onSearching === undefined ? {} : { onSearching: placing.onSearching },
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
      const { invitation, timeoutS } = invite;
      learnTenant(invitation);
      lookingFor(learnedTenant(invitation.accountSid), () => calls.place(invitation, { timeoutS }))
        .run(() => script);
    }
    return "run";
  }
  if (known === undefined) return "unknown";
  // At once: work under way is reported as cut off by the end of the call, not by another script.
  if (first?.type === "hangup") {
    const { cause = "request", afterMs } = first;
    if (afterMs === undefined) known.dismiss({ cause });
    else known.endAfter(afterMs, cause);
    return "run";
  }
  // The connected leg first: then neither is hung up because the other one was.
  if (other !== undefined) runPartner(known, other);
  known.run(() => script);
  return "run";
}
