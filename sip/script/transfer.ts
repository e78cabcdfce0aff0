import type { Script } from "../../core/protocol/script.ts";
import { unlessAborted } from "../../core/base/abort.ts";
import { anchor } from "../leg/anchor.ts";
import type { Calls } from "../contracts/calls.ts";
import { dialWith } from "./steps/dial.ts";
import { sipLimits } from "../base/limits.ts";
import type { LegName } from "../text/leg_names.ts";
import { anonymousUri } from "../text/privacy.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import type { ReferTo } from "./refer_to.ts";
import type { Referral } from "../leg/referral.ts";
import { leave, partyFor } from "./replace.ts";
import { type DialStep, failureOf, hangUpOthers, lastEnding, ringAll } from "../leg/ring_all.ts";
import { connectLegs, type HeldLeg } from "./steps/connect_legs.ts";

/** Referred-By of the transferor (RFC 3892); an anonymous caller stays anonymous (RFC 3323). */
export function referredBy({ leg }: LiveLeg, by: string): string {
  const isHidden = leg.direction === "inbound" && leg.demands.isHidden;
  return `Referred-By: <${isHidden ? anonymousUri().toString() : by}>`;
}

/** A REFER that was accepted: `live` refers `other`, whom it talks to. */
export interface Transfer {
  calls: Calls;
  live: LiveLeg;
  other: LiveLeg;
  referTo: ReferTo;
  /** The address of the transferor. */
  by: string;
  /** The call of a transferor at another companion. */
  transferor?: LegName;
  referral: Referral;
}

/**
 * The service says what the other side does now. Where that is a call, the two stay connected until the callee
 * answers, so that a refusal leaves the call as it was. A transferor that hangs up earlier leaves the other
 * side with the callee that answers. `replaces` is of another companion: who talks to that leg is called in
 * place of whom the REFER names.
 */
export async function blind(transfer: Transfer, replaces?: LegName): Promise<void> {
  const { live, other, referral } = transfer;
  const asked = askService(transfer, replaces);
  let taken = false;
  const take = () => {
    if (taken || other.partner !== live || other.leg.signal.aborted) return taken;
    taken = true;
    live.acquire();
    // The step that connects the two lets go first.
    other.run(() => live.idle().then(() => asked));
    return taken;
  };
  live.leg.signal.addEventListener("abort", take, { once: true });
  const status = await follow(transfer, asked, take);
  live.leg.signal.removeEventListener("abort", take);
  await referral.end(status);
  if (taken) await leave(transfer.calls, live);
}

/** Gets the other side its new call, and takes it out of the old one once it has; 200, or why not. */
async function follow(
  transfer: Transfer,
  asked: Promise<Script>,
  take: () => boolean,
): Promise<number> {
  const [first] = await asked;
  if (first === undefined || first.type === "reject") return first?.status ?? 603;
  const leftAlready = transfer.live.leg.signal.aborted;
  if (first.type === "dial" && !leftAlready) return await ringAhead(transfer, first, take);
  return take() ? 200 : 487;
}

/** The script for the other side, or for who comes to a conference; a `reject` where there is none. */
export async function askService(
  { calls, live, other, referTo, by, transferor }: Omit<Transfer, "other"> & { other?: LiveLeg },
  replaces?: LegName,
): Promise<Script> {
  const silent = new AbortController();
  const giveUp = () => silent.abort();
  const stop = calls.signalling.timers.after(sipLimits.referScriptMs, giveUp);
  // A participant of a conference need not wait for its answer.
  const signal = other ? AbortSignal.any([other.leg.signal, silent.signal]) : silent.signal;
  const { uri: to, headers } = referTo;
  const event = {
    type: "refer",
    ...other && { other: other.leg.id },
    to,
    by,
    headers,
    ...replaces && { replaces },
    ...transferor && { transferor },
    ...live.referMarkup && { action: live.referMarkup },
  } as const;
  // The service knows no leg that is the other end of another companion's.
  const asking = live.isOfPeer && other ? other : live;
  const script = await asking.requestScript(event, { signal, onUnreachable: giveUp });
  stop();
  if (script.length > 0) return script;
  return [{ type: "reject", status: silent.signal.aborted ? 503 : 603 }];
}

/** Rings on behalf of the other side; 200 as soon as a callee answered, else the failure. */
async function ringAhead(
  { calls, live, other, by, referral }: Transfer,
  step: DialStep,
  take: () => boolean,
): Promise<number> {
  const ring = ringAll(calls, other, step, {
    headers: [referredBy(live, by)],
    onRinging: () => referral.progress(180),
  });
  dialWith(step, ring);
  const winner = await unlessAborted(ring.winner, other.leg.signal);
  if (winner !== undefined && take()) return 200;
  hangUpOthers(ring, undefined);
  return winner === undefined ? failureOf(await lastEnding(ring, undefined)) : 487;
}

/**
 * Joins whom the transferor talks to with whom it talks to in another call (RFC 3891); both its own legs end.
 * One that does not wait for that leaves the first with the second alone.
 */
export async function attended(
  { calls, live, other, referral }: Transfer,
  replaced: LiveLeg | undefined,
): Promise<void> {
  const isOther = replaced !== undefined && replaced !== live && replaced.partner !== other;
  if (!isOther) return await referral.end(481);
  const asked = anchoredParty(calls, { replaced, by: other });
  let taken = false;
  const take = () => {
    if (taken || other.partner !== live || other.leg.signal.aborted) return taken;
    taken = true;
    live.acquire();
    other.take((signal) => talkTo({ calls, other, signal, asked, left: [live, replaced] }));
    return taken;
  };
  live.leg.signal.addEventListener("abort", take, { once: true });
  const party = await asked;
  live.leg.signal.removeEventListener("abort", take);
  if (party === undefined) return await referral.end(481);
  if (!take()) {
    party.live.leg.hangup({ cause: "transfer" });
    return await referral.end(487);
  }
  replaced.acquire();
  await referral.end(200);
  await Promise.all([leave(calls, live), leave(calls, replaced)]);
}

/** The one a leg talks to, in its own call also where media passed by us, if both are plain phones. */
async function anchoredParty(
  calls: Calls,
  { replaced, by }: { replaced: LiveLeg; by: LiveLeg },
): Promise<HeldLeg | undefined> {
  if (replaced.partner !== undefined) await anchor(calls, replaced.leg, replaced.partner.leg);
  return await partyFor(calls, { replaced, by });
}

/** Connects a leg to the transfer target, once that is free, until either ends. */
async function talkTo(
  { calls, other, signal, asked, left }: {
    calls: Calls;
    other: LiveLeg;
    signal: AbortSignal;
    asked: Promise<HeldLeg | undefined>;
    left: LiveLeg[];
  },
): Promise<void> {
  const party = await unlessAborted(asked, signal);
  if (party === undefined) {
    void asked.then((late) => late?.live.leg.hangup({ cause: "other-leg" }));
  } else {
    // The step that connects each of them with the transferor lets go first.
    await Promise.all([...left, party.live].map((one) => one.idle()));
    const cause = await connectLegs({ calls, live: other, signal }, party, { proxied: null });
    if (!party.held.aborted) party.live.leg.hangup({ cause });
  }
  if (!signal.aborted) other.leg.hangup({ cause: "other-leg" });
}
