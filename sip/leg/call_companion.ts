import type { RemoteCompanion } from "../../core/protocol/peers.ts";
import { mintCallSid } from "../base/call_sid.ts";
import type { OutboundLeg } from "../contracts/leg.ts";
import type { Ending } from "../contracts/outcome.ts";
import { noDemands } from "../contracts/caller.ts";
import { createOutboundLeg } from "./outbound_leg.ts";
import { sipLimits } from "../base/limits.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { Calls } from "../contracts/calls.ts";
import { sayTo } from "./remote_leg.ts";
import {
  type CompanionCallEvent,
  type CompanionCallOrder,
  readEvent,
  writeOrder,
} from "./companion_call.ts";
import { orderHeader, peerLogin } from "../text/peer_proofs.ts";

/** A call to another companion, where a leg of this one meets what that one has. */
export interface CompanionCall {
  readonly leg: OutboundLeg;
  /** Resolves when it is over, after the last event of the other companion. */
  readonly ended: Promise<Ending>;
  /**
   * First event of the other companion; undefined when it is out of reach or refuses the call.
   */
  readonly first: Promise<CompanionCallEvent | undefined>;
  say(news: CompanionCallEvent): void;
  hangup(): void;
}

/** Calls another companion; its events come with the media of the call, in order. */
export function callCompanion(
  calls: Calls,
  { at, order, onNews }: {
    at: RemoteCompanion;
    order: CompanionCallOrder;
    onNews(news: CompanionCallEvent, media: MediaLeg): void;
  },
): CompanionCall {
  const { promise: first, resolve } = Promise.withResolvers<CompanionCallEvent | undefined>();
  const leg = createOutboundLeg(calls.signalling, {
    invitation: {
      leg: mintCallSid(),
      accountSid: "",
      from: peerLogin,
      to: peerLogin,
      target: { kind: "client", login: peerLogin, peers: [{ sipUri: at.sipUri }] },
    },
    headers: [`${orderHeader}: ${writeOrder(order)}`],
    demands: noDemands,
    isChild: false,
    timeoutMs: sipLimits.remoteAnswerMs,
    maxForwards: sipLimits.maxForwards,
    media: { engine: calls.media },
    onInviting() {},
    onRinging() {},
  });
  const take = (news: CompanionCallEvent) => {
    if (leg.media === undefined) return;
    resolve(news);
    onNews(news, leg.media);
  };
  // The first may come before our media have taken the answer.
  leg.onContent = (body) => {
    const news = readEvent(body);
    if (news === undefined) return 400;
    void leg.whenAnswered.then(() => take(news));
    return 200;
  };
  const stopWaiting = calls.signalling.timers.after(
    sipLimits.remoteJoinMs,
    () => resolve(undefined),
  );
  void leg.ended.then(() => resolve(undefined));
  void first.then((news) => {
    stopWaiting();
    if (news === undefined) leg.hangup();
    else watch(calls, leg);
  });
  return {
    leg,
    ended: leg.ended,
    first,
    say: (news) => sayTo(leg, news),
    hangup: () => leg.hangup(),
  };
}

/**
 * Probes the other companion periodically, and hangs up when it does not respond: the sound
 * that no longer comes would be missed after half a minute.
 */
function watch({ signalling: { timers } }: Calls, leg: OutboundLeg): void {
  const { remoteProbeMs: meetingLookMs, remoteAnswerMs: meetingAnswerMs } = sipLimits;
  const look = () => {
    stop = timers.after(meetingAnswerMs, () => leg.hangup());
    void leg.dialog?.request("info", {}).then(lookLater);
  };
  const lookLater = () => {
    stop();
    if (!leg.signal.aborted) stop = timers.after(meetingLookMs, look);
  };
  let stop = timers.after(meetingLookMs, look);
  void leg.ended.then(() => stop());
}
