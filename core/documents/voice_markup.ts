import { limits } from "../base/limits.ts";
import { ownCallback, ownManner } from "../calls/own_manner.ts";
import { applicationUrl } from "../model/flows/address.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Client } from "../model/resources/clients.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";

/** The fields of Clients and numbers about the markup of their calls. */
type Voiced = Pick<
  Client,
  | "accountSid"
  | "voiceUrl"
  | "voiceMethod"
  | "voiceFallbackUrl"
  | "voiceFallbackMethod"
  | "voiceApplicationSid"
>;

/** Address of a call's markup: that of the application, if there is one, else the voice URLs. */
export async function voiceMarkup(
  { accountSid, voiceApplicationSid, ...own }: Voiced,
  { records, settings }: Ports,
): Promise<Partial<Call>> {
  if (voiceApplicationSid !== null) {
    const application = await records.applications.get(accountSid, voiceApplicationSid);
    return {
      url: applicationUrl(application, settings),
      ...ownManner(application),
      ...ownCallback(application),
      ...application && { apiVersion: application.apiVersion },
    };
  }
  return {
    url: own.voiceUrl,
    method: own.voiceMethod,
    fallbackUrl: own.voiceFallbackUrl,
    fallbackMethod: own.voiceFallbackMethod,
  };
}

/** Fields of a USSD dialogue that come from the called number. */
export async function ussdFields(
  number: IncomingPhoneNumber,
  ports: Ports,
): Promise<Partial<Call>> {
  const { ussdUrl, ussdMethod, ussdFallbackUrl, ussdFallbackMethod, ussdApplicationSid } = number;
  const markup = await voiceMarkup({
    accountSid: number.accountSid,
    voiceUrl: ussdUrl,
    voiceMethod: ussdMethod,
    voiceFallbackUrl: ussdFallbackUrl,
    voiceFallbackMethod: ussdFallbackMethod,
    voiceApplicationSid: ussdApplicationSid,
  }, ports);
  const { apiVersion } = number;
  return { ...await numberFields(number, ports), ...unset, ...markup, apiVersion, isUssd: true };
}

/** A number's voice settings do not apply to USSD dialogues. */
const unset: Partial<Call> = { fallbackUrl: null, fallbackMethod: "POST", method: "POST" };

/** Fields of a call that come from the called number. */
export async function numberFields(
  number: IncomingPhoneNumber,
  ports: Ports,
): Promise<Partial<Call>> {
  const markup = await voiceMarkup(number, ports);
  return {
    ...markup,
    phoneNumberSid: number.sid,
    apiVersion: number.apiVersion,
    ...markup.statusCallback === undefined && callbackOf(number),
  };
}

/** The status callback of a number's calls; of one of Twilio's interface, at the end of a call only. */
const callbackOf = (number: IncomingPhoneNumber): Partial<Call> => ({
  statusCallback: number.statusCallback,
  statusCallbackMethod: number.statusCallbackMethod,
  statusCallbackEvent: number.apiVersion === limits.twilioApiVersion
    ? ["completed"]
    : ["ringing", "answered", "completed"],
});
