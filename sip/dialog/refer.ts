import type { IncomingReferRequest } from "sip.js/lib/core/index.js";
import type { Calls } from "../script/calls.ts";
import type { Dialog } from "./dialog.ts";
import { withFlow } from "../flow.ts";
import type { LiveLeg } from "../script/live_leg.ts";
import { readReferTo, type ReferTo, replacedDialog } from "./refer_to.ts";
import { createReferral, notifiedState, notifySipfrag, silentReferral } from "./referral.ts";
import type { Refusal } from "../refusal.ts";
import { Refused, statusToPass } from "./refused.ts";
import { hasOption } from "./session_timer.ts";
import { guard } from "../signalling.ts";
import { attended, blind, type Transfer } from "./transfer.ts";
import { userUri } from "../text/uri.ts";

/**
 * A softphone asks that whom it talks to talks to somebody else (RFC 3515, RFC 5589). Where our
 * media stand between the two, the other side stays in its dialog and hears the new party there;
 * where media pass by us, only the other softphone itself can make new ones, and gets the REFER.
 */
export function onRefer(calls: Calls, live: LiveLeg, request: IncomingReferRequest): void {
  const { message } = request;
  const referTo = readReferTo(message);
  const refusal = "statusCode" in referTo ? referTo : refuse(live);
  if (refusal !== undefined || "statusCode" in referTo) {
    request.reject(refusal);
    return;
  }
  const other = live.partner!;
  live.referring = true;
  const isOver = once(() => live.referring = false);
  if (other.leg.counterpart !== undefined) {
    void passOn(calls, { live, other, referTo, request }).finally(isOver);
    return;
  }
  const isSilent = /^\s*false\b/i.test(message.getHeader("refer-sub") ?? "") &&
    hasOption(message, "supported", "norefersub");
  request.accept({ statusCode: 202, extraHeaders: isSilent ? ["Refer-Sub: false"] : [] });
  const by = addressOf(live.leg.dialog, calls.signalling.domain);
  const { progress, end } = isSilent
    ? silentReferral
    : createReferral(live.leg.dialog, message.cseq);
  // Who hears how it ended may ask for another transfer at once.
  const referral = { progress, end: (status: number) => (isOver(), end(status)) };
  const transfer: Transfer = { calls, live, other, referTo, by, referral };
  referral.progress(100);
  void perform(transfer).catch((error) => {
    calls.signalling.log("Cannot transfer a call", { leg: live.leg.id, error: String(error) });
    return referral.end(500);
  }).finally(isOver);
}

/** The same act, done once at most. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

function perform(transfer: Transfer): Promise<void> {
  const { calls, live, referTo: { replaces } } = transfer;
  if (replaces === undefined) return blind(transfer);
  const dialog = replacedDialog(calls.signalling, replaces);
  const replaced = dialog === undefined ? undefined : calls.find(dialog.leg);
  // Only who takes part in both conversations may join them.
  const isOwn = dialog?.login !== undefined && dialog.login === live.leg.dialog?.login;
  return attended(transfer, isOwn ? replaced : undefined);
}

/** Who is at the other end of a dialog: the Client, or who else it says it is. */
function addressOf(dialog: Dialog | undefined, domain: string): string {
  if (dialog?.login !== undefined) return userUri(dialog.login, domain).toString();
  return dialog?.session.remoteURI.toString() ?? "";
}

/** Who may transfer: one side of an answered call between two, once at a time. */
function refuse({ leg, partner, referring }: LiveLeg): Refusal | undefined {
  if (leg.answeredAt === undefined) return { statusCode: 403, reasonPhrase: "Not Answered Yet" };
  if (partner === undefined) return { statusCode: 403, reasonPhrase: "Nobody To Transfer" };
  return referring ? { statusCode: 491 } : undefined;
}

/** Passes the REFER to the other softphone, and what becomes of it back. */
async function passOn(
  { signalling: { domain, log } }: Calls,
  { live, other, referTo, request }: {
    live: LiveLeg;
    other: LiveLeg;
    referTo: ReferTo;
    request: IncomingReferRequest;
  },
): Promise<void> {
  const { dialog } = live.leg;
  if (dialog === undefined) return;
  const by = addressOf(dialog, domain);
  const id = request.message.cseq;
  other.leg.onNotify = (content, told) => {
    const state = notifiedState(content, told);
    void notifySipfrag(dialog, { content, state, id });
    if (/^\s*terminated\b/i.test(state)) other.leg.onNotify = undefined;
    return true;
  };
  const headers = [`Refer-To: ${referTo.raw}`, `Referred-By: <${by}>`];
  const status = await other.leg.dialog?.request("refer", { headers }) ?? 500;
  guard(log, () =>
    withFlow(dialog.flow, () => {
      if (status < 300) return void request.accept({ statusCode: 202 });
      other.leg.onNotify = undefined;
      request.reject({ statusCode: statusToPass(new Refused("pass a REFER on", status)) });
    }))();
}
