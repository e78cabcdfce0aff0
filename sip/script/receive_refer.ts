import type { IncomingReferRequest, IncomingRequestMessage } from "../base/sip_js.ts";
import { anchor, mayAnchor } from "../leg/anchor.ts";
import type { Calls } from "../contracts/calls.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { currentFlow, withFlow } from "../base/flow.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import { atDomain } from "../text/own_address.ts";
import { readReferTo, type ReferTo } from "./refer_to.ts";
import { passedReferTo, referredLeg } from "./replaced.ts";
import { createReferral, notifiedState, notifySipfrag, silentReferral } from "../leg/referral.ts";
import type { Refusal } from "../base/refusal.ts";
import { endsDialog, Refused, statusToPass } from "../base/refused.ts";
import { hasOption } from "../contracts/session_timer.ts";
import { guard } from "../base/log.ts";
import { leave } from "./replace.ts";
import { legHeader, type LegName, legNamedBy } from "../text/leg_names.ts";
import {
  attendedInConference,
  blindInConference,
  type ConferenceTransfer,
} from "./refer_conference.ts";
import { attended, blind, referredBy, type Transfer } from "./transfer.ts";
import { parseNameAddr, userUri } from "../text/uri.ts";

/**
 * A softphone asks to transfer the party that it is connected to (RFC 3515, RFC 5589). Where our
 * media stand between the two, the other side stays in its dialog and hears the new party there;
 * where media pass by us, the other softphone itself makes new ones, and gets the REFER; so does the
 * companion that has the call of the other side. A plain phone that refuses it is re-invited.
 */
export function onRefer(calls: Calls, live: LiveLeg, request: IncomingReferRequest): void {
  const { message } = request;
  const referTo = readReferTo(message, (uri) => atDomain(calls.signalling, uri, currentFlow()));
  const refusal = "statusCode" in referTo ? referTo : refuse(live);
  if (refusal !== undefined || "statusCode" in referTo) {
    request.reject(refusal);
    return;
  }
  const other = live.partner;
  live.referring = true;
  const isOver = once(() => live.referring = false);
  const asked: AskedTransfer = { live, other, referTo, request, isOver };
  if (other !== undefined && (other.leg.counterpart !== undefined || other.isOfPeer)) {
    void passOn(calls, { ...asked, other }).catch((error) => {
      calls.signalling.log("Cannot forward a transfer", { leg: live.leg.id, error: String(error) });
      isOver();
    });
    return;
  }
  undertake(calls, asked, () => Promise.resolve(200));
}

/** A REFER whose sender may transfer. */
interface AskedTransfer {
  live: LiveLeg;
  /** Whom it talks to; undefined of one in a conference. */
  other: LiveLeg | undefined;
  referTo: ReferTo;
  request: IncomingReferRequest;
  /** Called at its end: the transferor may then ask for another transfer. */
  isOver(): void;
}

/**
 * Accepts the REFER and performs the transfer, once it is `ready` for it; what that resolves with,
 * where it is no 2xx, is what the transferor hears.
 */
function undertake(
  calls: Calls,
  { live, other, referTo, request, isOver }: AskedTransfer,
  ready: () => Promise<number>,
): void {
  const { message } = request;
  const isSilent = /^\s*false\b/i.test(message.getHeader("refer-sub") ?? "") &&
    hasOption(message, "supported", "norefersub");
  request.accept({ statusCode: 202, extraHeaders: isSilent ? ["Refer-Sub: false"] : [] });
  const by = transferorOf(live, message, calls.signalling.domain);
  const { progress, end } = isSilent
    ? silentReferral
    : createReferral(live.leg.dialog, message.cseq);
  // The transferor may ask for another transfer as soon as it has the result.
  const referral = { progress, end: (status: number) => (isOver(), end(status)) };
  const transferor = live.isOfPeer
    ? legNamedBy(calls.signalling.legNames, message.getHeader(legHeader))
    : undefined;
  const transfer = { calls, live, referTo, by, referral };
  referral.progress(100);
  const performed = ready().then((status) => {
    if (status >= 300) return referral.end(status);
    return other === undefined
      // `other` is absent only for a leg that is in a conference.
      ? performInConference({ ...transfer, conference: live.conference! })
      : perform({ ...transfer, other, ...transferor && { transferor } });
  });
  void performed.catch((error) => {
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
  const { calls, referTo } = transfer;
  if (referTo.replaces === undefined) return blind(transfer);
  const replaced = replacedBy(transfer);
  const here = replaced && calls.find(replaced.leg);
  if (replaced === undefined || here !== undefined) return attended(transfer, here);
  return blind(transfer, replaced);
}

function performInConference(transfer: ConferenceTransfer): Promise<void> {
  const { calls, referTo } = transfer;
  if (referTo.replaces === undefined) return blindInConference(transfer);
  const replaced = replacedBy(transfer);
  const here = replaced && calls.find(replaced.leg);
  if (replaced === undefined || here !== undefined) return attendedInConference(transfer, here);
  return blindInConference(transfer, replaced);
}

/** The leg that a REFER with Replaces means. */
function replacedBy({ calls, live, referTo }: Transfer | ConferenceTransfer): LegName | undefined {
  const { dialog, accountSid } = live.leg;
  const named = dialog && referredLeg(calls, referTo, dialog);
  // Several accounts may call by the same trunk.
  return dialog?.trunk === undefined || named?.accountSid === accountSid ? named : undefined;
}

/** True when the other end of a leg's dialog is a leg of another companion. */
const meetsCompanion = ({ leg, isOfPeer }: Pick<LiveLeg, "leg" | "isOfPeer">): boolean =>
  isOfPeer || leg.direction === "outbound" && leg.target.kind === "leg";

/** Address of the transferor. A leg of another companion names the party it is connected to. */
function transferorOf(
  { leg, isOfPeer }: LiveLeg,
  message: IncomingRequestMessage,
  domain: string,
): string {
  const told = meetsCompanion({ leg, isOfPeer })
    ? parseNameAddr(message.getHeader("referred-by") ?? "")?.uri
    : undefined;
  return told?.toString() ?? addressOf(leg.dialog, domain);
}

/** Address of the peer of a dialog: the Client, or the address that it names. */
function addressOf(dialog: Dialog | undefined, domain: string): string {
  if (dialog?.login !== undefined) return userUri(dialog.login, domain).toString();
  return dialog?.session.remoteURI.toString() ?? "";
}

/**
 * Refuses a transfer: only one side of an answered call between two, or a participant of a conference,
 * may transfer, once at a time.
 */
function refuse({ leg, partner, conference: conference, referring }: LiveLeg): Refusal | undefined {
  if (leg.answeredAt === undefined) return { statusCode: 403, reasonPhrase: "Not Answered Yet" };
  if (partner === undefined && conference?.step.serviceContext === undefined) {
    return { statusCode: 403, reasonPhrase: "Nobody To Transfer" };
  }
  // A participant that leaves would end the conference.
  if (conference?.step.endOnExit) return { statusCode: 403, reasonPhrase: "Conference Would End" };
  return referring ? { statusCode: 491 } : undefined;
}

/**
 * Passes the REFER to the other softphone or companion, and its progress back. Where a plain
 * phone refuses it, the transfer is ours to perform, with its media through ours.
 */
async function passOn(
  calls: Calls,
  asked: AskedTransfer & { other: LiveLeg },
): Promise<void> {
  const { live, other, referTo, request, isOver } = asked;
  const { domain, log } = calls.signalling;
  const { dialog } = live.leg;
  if (dialog === undefined) return isOver();
  const by = transferorOf(live, request.message, domain);
  const id = request.message.cseq;
  const isAnchored = other.leg.counterpart === undefined;
  other.leg.onNotify = (content, told) => {
    const state = notifiedState(content, told);
    const isTold = notifySipfrag(dialog, { content, state, id });
    if (!/^\s*terminated\b/i.test(state)) return true;
    other.leg.onNotify = undefined;
    if (isAnchored && /^SIP\/2\.0 2/i.test(content)) {
      void isTold.then(() => part(calls, live, other));
    }
    return true;
  };
  const headers = [
    `Refer-To: ${passedReferTo(calls, referTo, dialog)}`,
    referredBy(live, by),
    ...nameOfTransferor(calls, { live, other, message: request.message }),
  ];
  const status = await other.leg.dialog?.request("refer", { headers }) ?? 500;
  const refused = new Refused("pass a REFER on", status);
  const passed = statusToPass(refused);
  guard(log, () =>
    withFlow(dialog.flow, () => {
      if (status < 300) {
        request.accept({ statusCode: 202 });
        return isOver();
      }
      other.leg.onNotify = undefined;
      if (!endsDialog(refused) && mayAnchor(live.leg, other.leg)) {
        return undertake(calls, asked, async () =>
          await anchor(calls, live.leg, other.leg) ? 200 : passed);
      }
      request.reject({ statusCode: passed });
      isOver();
    }))();
}

/** Ends the script of the party that was transferred. */
function part(calls: Calls, live: LiveLeg, other: LiveLeg): void {
  if (live.partner !== other) return;
  live.acquire();
  void leave(calls, live);
}

/** Names the transferor's call to the companion that has the call of the other side. */
function nameOfTransferor(
  { signalling: { legNames } }: Calls,
  { live, other, message }: { live: LiveLeg; other: LiveLeg; message: IncomingRequestMessage },
): string[] {
  if (!meetsCompanion(other)) return [];
  const { id: leg, accountSid } = live.leg;
  const named = live.isOfPeer
    ? legNamedBy(legNames, message.getHeader(legHeader))
    : { leg, accountSid };
  return named === undefined ? [] : [`${legHeader}: ${legNames.write(named)}`];
}
