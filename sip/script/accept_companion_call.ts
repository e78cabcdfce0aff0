import { whenAborted } from "../../core/base/abort.ts";
import type { InboundLeg } from "../contracts/leg.ts";
import type { MediaLeg } from "../media/mod.ts";
import type { Calls } from "../contracts/calls.ts";
import { connected } from "./steps/connected.ts";
import { recordConference } from "./steps/participation.ts";
import { connectLegs } from "./steps/connect_legs.ts";
import { sayTo, takeOrders } from "../leg/remote_leg.ts";
import {
  ANOTHER_RUN,
  type CompanionCallEvent,
  type CompanionCallOrder,
  readEvent,
} from "../leg/companion_call.ts";

/** Conferences and queues of this companion for calls of others. */
export interface CompanionCallHost {
  calls: Calls;
  /** Of this run of the companion. */
  runId: string;
}

/** The side of a meeting that has what the call of another companion meets. */
interface AcceptedCall {
  calls: Calls;
  caller: InboundLeg;
  media: MediaLeg;
}

/** Lets the call of another companion meet what is here, until either is done. */
export async function acceptCompanionCall(
  { calls, runId }: CompanionCallHost,
  caller: InboundLeg,
  order: CompanionCallOrder,
): Promise<void> {
  if (order.runId !== runId) return caller.hangup({ status: ANOTHER_RUN });
  await caller.answer();
  const { media, signal } = caller;
  if (media === undefined) return;
  await connected({ calls, signal }, media, "let a call of another companion in");
  if (signal.aborted) return;
  const visit = { calls, caller, media };
  if (order.type === "pickup") return connectPickup(visit, order);
  await joinConference(visit, order);
  caller.hangup();
}

/** Puts the call into a conference. Its own companion plays the wait music, and gets INFO when to. */
async function joinConference(
  { calls, caller, media }: AcceptedCall,
  { leg, step }: CompanionCallOrder & { type: "conference" },
): Promise<void> {
  let said: CompanionCallEvent | undefined;
  let isOver = false;
  const say = (news: CompanionCallEvent) => {
    if (!isOver) sayTo(caller, said = news);
  };
  const recording = recordConference(calls.recordings, leg, step);
  const participant = calls.conferences.enter({
    leg,
    accountSid: caller.accountSid,
    media,
    step,
    wait(over, { isHeld, wait }) {
      say({ type: "waits", isHeld, ...wait !== undefined && { wait } });
      over.addEventListener("abort", () => say({ type: "talks" }), { once: true });
    },
    hear(script) {
      if (!isOver) sayTo(caller, { type: "announces", script });
      return Promise.resolve(); // Its own companion knows when that is over.
    },
    ...recording,
  });
  if (participant === undefined) return say({ type: "full" });
  if (said === undefined) say({ type: "talks" });
  const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
  caller.onContent = (body) => {
    if (readEvent(body)?.type !== "leave") return 400;
    leave();
    return 200;
  };
  await Promise.race([whenAborted(caller.signal), participant.over, leaving]);
  isOver = true; // It waits no longer, and hears nothing.
  participant.leave();
  const recorded = await recording?.end();
  if (recorded !== undefined) sayTo(caller, { type: "left", recording: recorded });
}

/** Joins the call with one that waits in a queue here, unless that waits no longer. */
function connectPickup(
  { calls, caller }: AcceptedCall,
  { leg, whisper }: Extract<CompanionCallOrder, { type: "pickup" }>,
): void {
  const waiting = calls.waiting.get(leg);
  if (waiting?.live.leg.media === undefined) {
    sayTo(caller, { type: "gone" });
    return caller.hangup();
  }
  const { live, signal: held } = waiting;
  const taker = calls.adopt(caller);
  takeOrders(taker);
  const whispered = waiting.take(whisper);
  sayTo(caller, { type: "talks", sipCallId: live.leg.sipCallId });
  taker.take(async (signal) => {
    await whispered;
    await connectLegs({ calls, live: taker, signal }, { live, held }, { proxied: null });
    waiting.release();
    if (!signal.aborted) caller.hangup();
  });
}
