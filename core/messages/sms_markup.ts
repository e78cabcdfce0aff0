import { applicationUrl } from "../model/flows/address.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Application } from "../model/resources/applications.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import type { Message } from "../model/resources/messages.ts";
import type { Signable } from "../base/signature.ts";
import { spelt } from "../calls/parameters.ts";
import { filledPlaceParameters, placeParameters } from "../model/values/place.ts";
import { segmentCount } from "./segments.ts";

type Source = Pick<Signable, "url" | "method">;

/** Address of the markup of a number's messages, and the fallback. */
export interface SmsMarkup {
  first: Source;
  fallback: Source | null;
}

/** The markup at the application, if there is one, else at the SMS URLs of the number; null for neither. */
export async function smsMarkup(
  number: IncomingPhoneNumber,
  { records, settings }: Pick<Ports, "records" | "settings">,
): Promise<SmsMarkup | null> {
  const { accountSid, smsApplicationSid, smsUrl, smsMethod } = number;
  if (smsApplicationSid !== null) {
    const application = await records.applications.get(accountSid, smsApplicationSid);
    const own = ofApplication(application);
    if (own !== null) return own;
    const url = applicationUrl(application, settings);
    return url === null ? null : { first: { url, method: "POST" }, fallback: null };
  }
  if (smsUrl === null) return null;
  const { smsFallbackUrl: url, smsFallbackMethod: method } = number;
  return {
    first: { url: smsUrl, method: smsMethod },
    fallback: url === null ? null : { url, method },
  };
}

/** The SMS URLs of an application, which Twilio's interface sets; null without any. */
function ofApplication(application: Application | null): SmsMarkup | null {
  const { smsUrl, smsMethod = "POST", smsFallbackUrl, smsFallbackMethod = "POST" } = application ??
    {};
  if (!smsUrl) return null;
  const fallback = smsFallbackUrl ? { url: smsFallbackUrl, method: smsFallbackMethod } : null;
  return { first: { url: smsUrl, method: smsMethod }, fallback };
}

/** Parameters of every request for the markup of a message. */
export const smsParameters = (message: Message): Record<string, string> => ({
  ...message.apiVersion === limits.twilioApiVersion
    ? {
      SmsMessageSid: message.sid,
      SmsStatus: message.status,
      NumSegments: String(segmentCount(message.body)),
      ...placeParameters("From", message.from),
      ...placeParameters("To", message.to),
    }
    : {
      ...filledPlaceParameters("From", message.from),
      ...filledPlaceParameters("To", message.to),
    },
  SmsSid: message.sid,
  MessageSid: message.sid,
  AccountSid: message.accountSid,
  From: message.from,
  To: message.to,
  Body: message.body,
  ApiVersion: message.apiVersion,
  NumMedia: "0",
  ...message.stirVerstat !== null && { StirVerstat: message.stirVerstat },
  ...Object.fromEntries(
    Object.entries(message.sipHeaders ?? {}).map(([name, text]) => [
      `SipHeader_${spelt(name)}`,
      text,
    ]),
  ),
});
