import type { Step } from "../../core/protocol/script.ts";
import { unlessAborted } from "../../core/base/abort.ts";
import { mintCallSid } from "../base/call_sid.ts";
import type { Calls } from "../contracts/calls.ts";
import { sipLimits } from "../base/limits.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { mediaKindOver } from "../leg/media_kind.ts";
import { namedBySession } from "./relayed_replaces.ts";
import type { ScriptRun } from "./steps/script_run.ts";
import { connectLegs, type HeldLeg } from "./steps/connect_legs.ts";

/**
 * Takes the place of another leg: this caller is connected to that one's partner, and that one ends
 * (RFC 3891 §3). There must be a conversation to take over.
 */
export async function replace(
  { calls, live, signal }: ScriptRun,
  step: Extract<Step, { type: "replace" }>,
): Promise<void> {
  const { leg } = live;
  if (leg.direction !== "inbound") return;
  const replaced = calls.find(step.leg);
  const other = replaced?.leg.counterpart?.dialog?.flow;
  const isProxied = other !== undefined && leg.offer !== "" &&
    mediaKindOver(other) === leg.mediaKind && !leg.demands.hidesSession;
  const offer = isProxied ? { offer: leg.offer } : {};
  const party = replaced && await partyFor(calls, { replaced, by: live, ...offer });
  if (replaced === undefined || party === undefined) return leg.hangup({ status: 481 });
  replaced.acquire();
  await Promise.all([replaced.idle(), party.live.idle()]);
  void leave(calls, replaced);
  const cause = await connectLegs({ calls, live, signal }, party, {
    proxied: isProxied ? leg : null,
  });
  if (!party.held.aborted) party.live.leg.hangup({ cause });
}

/**
 * The partner of a leg, ready to be connected to another one: the leg itself where media are anchored.
 * Where they pass by, its softphone is called with Replaces, since it takes other media in a new call
 * only. Undefined without a partner, or when it does not answer.
 */
export async function partyFor(
  calls: Calls,
  { replaced, by, offer, until = by.leg.signal }: {
    replaced: LiveLeg;
    by: LiveLeg;
    offer?: string;
    /** Aborts it; unless given, the end of `by` does. */
    until?: AbortSignal;
  },
): Promise<HeldLeg | undefined> {
  const party = replaced.partner;
  const answered = replaced.leg.answeredAt !== undefined && party?.leg.answeredAt !== undefined;
  if (party === undefined || party === by || !answered) return undefined;
  if (party.leg.counterpart === undefined) return { live: party, held: party.acquire() };
  const again = callAgain(calls, { party, replaced, by, ...offer !== undefined && { offer } });
  const held = again.acquire();
  const isAnswered = await unlessAborted(again.leg.whenAnswered, until);
  if (!isAnswered) return void again.leg.hangup({ cause: "transfer" });
  void leave(calls, party);
  return { live: again, held };
}

function callAgain(
  calls: Calls,
  { party, replaced, by, offer }: {
    party: LiveLeg;
    replaced: LiveLeg;
    by: LiveLeg;
    offer?: string;
  },
): LiveLeg {
  const { dialog, accountSid } = party.leg;
  const { login = "", session } = dialog ?? {};
  const replaces = session === undefined ? [] : [`Replaces: ${namedBySession(session)}`];
  const live = calls.place({
    leg: mintCallSid(),
    accountSid,
    from: callerOf(by),
    to: `client:${login}`,
    target: party.leg.direction === "outbound" ? party.leg.target : { kind: "client", login },
  }, {
    timeoutS: sipLimits.replacesRingS,
    // The service knows no leg that is the other end of another companion's.
    parent: by.isOfPeer ? replaced.leg.id : by.leg.id,
    headers: replaces,
    ...by.leg.direction === "inbound" && { demands: by.leg.demands },
    ...offer !== undefined && { offer },
  });
  void live.leg.whenAnswered.then((answered) => answered && live.report({ type: "answered" }));
  return live;
}

/** Caller, as records name it: a Client, or the number that another companion names. */
function callerOf({ leg, isOfPeer }: LiveLeg): string {
  if (leg.direction === "outbound") return leg.dialog?.login ? `client:${leg.dialog.login}` : "";
  const isNumber = isOfPeer && /^\+?\d+$/.test(leg.callerUser);
  return isNumber ? leg.callerUser : `client:${leg.callerUser}`;
}

/** A softphone whose place was taken says BYE itself; if it does not, we do. */
export async function leave({ signalling: { timers } }: Calls, { leg }: LiveLeg): Promise<void> {
  await timers.pause(sipLimits.transferLeaveMs, leg.signal);
  leg.hangup({ cause: "transfer" });
}
