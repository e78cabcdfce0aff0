import type { LegEvent } from "../protocol/events.ts";
import type { Script } from "../protocol/script.ts";
import { applicationUrl } from "../model/flows/address.ts";
import { calling } from "../conferences/membership.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import { participantSid } from "../model/resources/participants.ts";
import type { Signable } from "../base/signature.ts";
import { splitUserParameters } from "../base/user_part.ts";
import { parseAddress } from "../model/values/address.ts";
import { actionScript, refuse, type ScriptContext } from "../documents/next_script.ts";
import { transferParameters } from "../calls/parameters.ts";
import { routeTo, type Routing } from "../calls/route.ts";
import { secondLegParameters } from "./second_leg.ts";
import { isLive } from "../model/values/status.ts";
import { softphoneOf, takeOver } from "./take_over.ts";

/*
 * Transfers. A transfer must not lose the call when the new party refuses: the transferee stays in its call
 * until the target answers. Where audio passes by the companion, REFER goes to the other softphone, since a
 * browser takes new media in a new call only.
 *
 * Attended transfers between companions: no other companion knows the dialog that Replaces names. The
 * companion of the transferor puts the Sid of its other leg, signed, into the Replaces of the REFER that it
 * passes on. The transferee, or its softphone, calls the companion of that leg, which gives the call the
 * place of the leg. The call has a record where it leaves and none where it arrives. MoveConnectedCallLeg
 * moves both sides, from either side: one companion sends the other an INFO in the call between them.
 *
 * Transfers out of a conference: the target takes the place of the transferor, with the same attributes,
 * once it answers; the transferor hears the conference until then. Softphones show a transfer, since the
 * Contact has no `isfocus` (RFC 4579).
 *
 * - 403 where the conference would end with the transferor.
 * - `Transferee` is the ConferenceSid. ReferUrl is not requested: no leg could perform its markup.
 * - In an attended transfer the consulted call must be at the companion of the transferor.
 * - A transferor that REST moved meanwhile stays there, and its target stops ringing. One that hung up has
 *   given its place away, until the conference ends; the target stops ringing then.
 */

/**
 * The script of the transferee. If the Dial or the called number has a ReferUrl, its markup decides. Otherwise the
 * script calls the Refer-To target, or replaces the leg that Refer-To names (attended transfer). In a
 * conference the script calls the replacement participant. A `reject` refuses the transfer; the call
 * then continues unchanged.
 */
export async function referScript(
  event: LegEvent & { type: "refer" },
  context: ScriptContext,
): Promise<Script> {
  const { call, ports } = context;
  const { transferor: elsewhere } = event;
  const transferor = elsewhere === undefined
    ? call
    : await ports.records.calls.get(elsewhere.accountSid, elsewhere.leg) ?? call;
  const transferred = await transfereeOf(event, call, ports);
  if (transferred === null) return [{ type: "reject", status: 481 }];
  const { other, transferee } = transferred;
  const { uri: target, parameters } = splitUserParameters(event.to);
  const transfer = { target, transferor: softphoneOf(transferor), transferee };
  if (event.replaces !== undefined) {
    return await inPlaceOf(event.replaces, { event, call, other, transfer }, ports);
  }
  const markup = event.other === undefined
    ? null
    : event.action ?? await referMarkup([transferor, other], ports);
  if (markup !== null) {
    const instead = { type: "reject", status: 500 } as const;
    const onOther = { ...context, call: other, instead };
    const params = {
      ...transferParameters(transfer),
      ...event.action && { ReferTransferTarget: target },
      ...parameters !== "" && { "SipHeader_Refer-To": parameters },
      ...await secondLegParameters(other, ports),
    };
    return await actionScript({ url: markup.url, method: markup.method, hops: 0 }, params, onOther);
  }
  const routing = await routeFor(event.to, { transferor, other }, ports);
  if ("fault" in routing) return await refuse(routing, 404, context);
  if (routing.target.kind !== "client" && !await isOwn(transferor, ports)) {
    const detail = `${transfer.transferor} may not transfer calls of this account to ${event.to}`;
    return await refuse({ fault: "noRoute", detail }, 403, context);
  }
  const { rateMicros, ...called } = routing;
  await noteTransfer(event.other === undefined ? call : other, transfer, ports);
  const leg = ports.newSid("CA");
  if (event.other === undefined && !await callTo(transferee, { leg, call }, ports)) {
    return [{ type: "reject", status: 487 }];
  }
  return [{
    type: "dial",
    legs: [{
      leg,
      accountSid: other.accountSid,
      ...called,
      headers: event.headers,
      serviceContext: { transfer, ...(rateMicros === 0 ? {} : { rateMicros }) },
    }],
    media: "anchored",
    timeoutS: limits.ringTimeoutS,
    timeLimitS: limits.dialTimeLimitS,
  }, { type: "hangup", cause: "script-end" }];
}

/** Adds the transfer of a call to the callbacks of its number. */
async function noteTransfer(
  { accountSid, sid, phoneNumberSid }: Call,
  transfer: NonNullable<Call["transfer"]>,
  { records: { calls } }: Ports,
): Promise<void> {
  if (phoneNumberSid === null) return;
  await calls.update(accountSid, sid, (record) => ({ record: { ...record, transfer } }));
}

/** Attended transfer (Replaces) to a leg of another companion: calls the peer of that leg. */
async function inPlaceOf(
  { accountSid, leg: replaced }: NonNullable<(LegEvent & { type: "refer" })["replaces"]>,
  { event, call, other, transfer }: {
    event: LegEvent & { type: "refer" };
    call: Call;
    other: Call;
    transfer: { transferor: string; transferee: string };
  },
  ports: Ports,
): Promise<Script> {
  const isInConference = event.other === undefined;
  const leg = ports.newSid("CA");
  const script = await takeOver(await ports.records.calls.get(accountSid, replaced), {
    leg,
    accountSid: other.accountSid,
    from: isInConference ? transfer.transferor : transfer.transferee,
    headers: event.headers,
    serviceContext: { transfer },
    media: "anchored",
  }, ports);
  const isOver = isInConference && script[0]?.type === "dial" &&
    !await callTo(transfer.transferee, { leg, call }, ports);
  return isOver ? [{ type: "reject", status: 487 }] : script;
}

/**
 * The live call that is transferred; in a conference, the call itself and the Sid of its
 * Conference.
 */
async function transfereeOf(
  { other: leg }: LegEvent & { type: "refer" },
  call: Call,
  { records: { calls, participants } }: Ports,
): Promise<{ other: Call; transferee: string } | null> {
  if (leg === undefined) {
    const place = await participants.get(call.accountSid, participantSid(call.sid));
    return place && { other: call, transferee: place.conferenceSid };
  }
  const other = await calls.get(call.accountSid, leg);
  return other !== null && isLive(other.status) ? { other, transferee: softphoneOf(other) } : null;
}

/** Ties the ringing of a leg to the Conference that it is called to; false where that is over. */
async function callTo(
  conferenceSid: string,
  { leg: callSid, call: { accountSid, companion } }: { leg: string; call: Call },
  { records }: Ports,
): Promise<boolean> {
  const { status } = await records.conferences.update(
    accountSid,
    conferenceSid,
    (found) => calling(found, { callSid, companion }),
  );
  return status !== "completed";
}

/** True for a Client of the account: only it may place calls out of the service, which the account pays. */
async function isOwn(transferor: Call, { records }: Ports): Promise<boolean> {
  const login = /^client:(.+)$/.exec(softphoneOf(transferor))?.[1];
  const client = login === undefined ? null : await records.clients.holder("login", login);
  return client?.accountSid === transferor.accountSid;
}

/** The caller ID is the transferee's; where that may not leave the service, the transferor's. */
async function routeFor(
  to: string,
  { transferor, other }: { transferor: Call; other: Call },
  ports: Ports,
): Promise<Routing> {
  const address = parseAddress(to);
  const account = await ports.accounts.get(other.accountSid);
  if (address === null || account === null) return { fault: "noRoute", detail: to };
  const shown = { account, from: softphoneOf(other), call: other };
  const routing = await routeTo(address, shown, ports);
  if (!("fault" in routing) || routing.fault !== "callerIdNotAllowed") return routing;
  return await routeTo(
    address,
    { account, from: softphoneOf(transferor), call: transferor },
    ports,
  );
}

/** The ReferUrl of the number of either side; null when neither has one. */
async function referMarkup(
  calls: readonly Call[],
  ports: Ports,
): Promise<Pick<Signable, "url" | "method"> | null> {
  for (const { accountSid, phoneNumberSid } of calls) {
    if (phoneNumberSid === null) continue;
    const number = await ports.records.incomingPhoneNumbers.get(accountSid, phoneNumberSid);
    const markup = number && await markupOf(number, ports);
    if (markup) return markup;
  }
  return null;
}

async function markupOf(
  { accountSid, referApplicationSid, referUrl, referMethod }: IncomingPhoneNumber,
  { records, settings }: Ports,
): Promise<Pick<Signable, "url" | "method"> | null> {
  if (referApplicationSid === null) {
    return referUrl === null ? null : { url: referUrl, method: referMethod };
  }
  const application = await records.applications.get(accountSid, referApplicationSid);
  const url = applicationUrl(application, settings);
  return url === null ? null : { url, method: "POST" };
}
