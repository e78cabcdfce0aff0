import { effectiveStatus } from "../accounts/access.ts";
import type { Report } from "../protocol/companion.ts";
import type { Script } from "../protocol/script.ts";
import type { IncomingNumber } from "../protocol/trunks.ts";
import { callerNumber, dialString } from "../model/values/dialled.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { heard, insertRinging, longest } from "../documents/new_leg.ts";
import { firstScript, refuse, type ScriptContext } from "../documents/next_script.ts";
import { calledAs } from "../calls/route.ts";
import { numberFields, ussdFields } from "../documents/voice_markup.ts";

/** The call of an INVITE for a number, with its `ringing` callback. Null: the number is gone. */
export async function receiveForNumber(
  event: IncomingNumber,
  report: Report,
  ports: Ports,
): Promise<Call | null> {
  const number = await ports.records.incomingPhoneNumbers.get(report.accountSid, event.numberSid);
  if (number === null) return null;
  const leg = {
    ...event.ussd ? await ussdFields(number, ports) : await numberFields(number, ports),
    from: callerOf(event, ports).slice(0, longest),
    to: calledAs(number, event.dialled).slice(0, longest),
    callerName: event.displayName?.slice(0, longest) ?? null,
    forwardedFrom: event.forwardedFrom === undefined
      ? null
      : shownNumber(event.forwardedFrom, ports)?.slice(0, longest) ??
        event.forwardedFrom.slice(0, longest),
    numberHops: event.hops,
    gatewayOf: event.gatewayOf ?? null,
    sipCallId: event.sipCallId.slice(0, longest),
  };
  return await insertRinging({ ...leg, ...heard(event) }, report, ports);
}

/** The markup of the number that a call came in for. */
export async function numberScript(context: ScriptContext): Promise<Script> {
  const { call, ports } = context;
  const account = await ports.accounts.get(call.accountSid);
  if (account === null || await effectiveStatus(account, ports.accounts) !== "active") {
    return [{ type: "reject", status: 403, cause: "not-allowed" }];
  }
  if (call.url !== null) return await firstScript(context);
  const detail = `${call.to} has no ${call.isUssd ? "UssdUrl" : "VoiceUrl"}`;
  return await refuse({ fault: "noRoute", detail }, 404, context);
}

/** A number of a trunk in E.164 form where it is one, else its digits; null of any other text. */
const shownNumber = (user: string, { settings }: Pick<Ports, "settings">): string | null =>
  callerNumber(user, settings.trunks.country) ?? dialString(user);

/**
 * The caller as records show it: a number, a SIP address, or `anonymous`. A Client of ours only on
 * a call from within: what a trunk says of our own domain proves nothing.
 */
export function callerOf(
  { from: { user, host }, hops }: Pick<IncomingNumber, "from" | "hops">,
  { settings }: Pick<Ports, "settings">,
): string {
  if (user === "" || /^anonymous$/i.test(user)) return "anonymous";
  const number = shownNumber(user, { settings });
  if (number !== null) return number;
  const isOurs = hops > 0 && host.toLowerCase() === settings.sipDomain.toLowerCase();
  return isOurs ? `client:${user}` : `sip:${user}@${host}`;
}
