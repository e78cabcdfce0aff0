import { type Exchange, unanswered, withoutCredentials } from "../base/exchange.ts";
import { shownUrl } from "../model/flows/address.ts";
import { limits } from "../base/limits.ts";
import type { Base } from "../base/record.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Sent } from "../model/rest/parameters.ts";
import type { Order } from "../model/values/order.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Email } from "../model/resources/emails.ts";
import type { Geolocation } from "../model/resources/geolocations.ts";
import type { Message } from "../model/resources/messages.ts";
import { pascal } from "../base/wire.ts";

const lookUpFields = [
  "deviceIdentifier",
  "statusCallback",
  "eventGeofenceLatitude",
  "eventGeofenceLongitude",
  "geofenceRange",
  "geofenceEvent",
] as const;

const numberFields = ["phoneNumber", "areaCode", "isSIP", "voiceUrl", "smsUrl", "ussdUrl"] as const;

type Settings = Pick<Ports, "settings">;

/** Fields of a record that a request sends. */
type Asked<T extends Base> = { [K in keyof T]?: unknown } & Pick<T, "accountSid">;

/**
 * The request to this interface that makes an e-mail, as the Notification of its failure shows it
 * (spec, RequestVariables): the parameters without credentials. An e-mail that markup made is shown
 * in the same way; so are the look-ups and messages below.
 */
export const emailRequest = (email: Asked<Email>, ports: Settings): Exchange =>
  requestOf(email, "Email/Messages", ["from", "to", "cc", "subject", "body"], ports);

/** The same of a look-up. */
export const lookUpRequest = (asked: Asked<Geolocation>, ports: Settings): Exchange =>
  requestOf(asked, `Geolocation/${asked.geolocationType}`, [...lookUpFields], ports);

/** The same of a message; undefined of an inbound one, which another party sent. */
export const messageRequest = (message: Message, ports: Settings): Exchange | undefined =>
  message.direction === "inbound" ? undefined : smsRequest(message, ports);

const smsRequest = (message: Asked<Message>, ports: Settings): Exchange =>
  requestOf(message, "SMS/Messages", ["from", "to", "body", "statusCallback"], ports);

/** The same of an order of markup, of which no record could be made. */
export function orderRequest(order: Order, accountSid: string, ports: Settings): Exchange {
  switch (order.kind) {
    case "sms":
      return smsRequest({ ...order, accountSid }, ports);
    case "email":
      return emailRequest({ ...order, accountSid }, ports);
    case "geolocation": {
      const { type: geolocationType, geofence, ...asked } = order;
      return lookUpRequest({ ...geofence, ...asked, geolocationType, accountSid }, ports);
    }
  }
}

/** The same of a call; undefined of one that came in or was dialled by another. */
export function callRequest(call: Call, ports: Settings): Exchange | undefined {
  if (call.direction !== "outbound-api") return undefined;
  const path = call.isUssd ? "UssdPush" : "Calls";
  const shown = { ...call, url: call.url && shownUrl(call.url) };
  return requestOf(shown, path, ["from", "to", "url", "fallbackUrl", "statusCallback"], ports);
}

/** The fields shown of each request that creates something, by its path below the account. */
const shownFields = {
  "Calls": ["from", "to", "url", "fallbackUrl", "statusCallback"],
  "UssdPush": ["from", "to", "url", "fallbackUrl", "statusCallback"],
  "SMS/Messages": ["from", "to", "body", "statusCallback"],
  "Email/Messages": ["from", "to", "cc", "subject", "body"],
  "Geolocation/Immediate": ["deviceIdentifier", "statusCallback"],
  "Geolocation/Notification": lookUpFields,
  "IncomingPhoneNumbers": numberFields,
  "IncomingPhoneNumbers/Local": numberFields,
  "IncomingPhoneNumbers/TollFree": numberFields,
  "IncomingPhoneNumbers/Mobile": numberFields,
} as const satisfies Record<string, readonly string[]>;

/** The path below an account of a request that makes something. */
export type MakingPath = keyof typeof shownFields;

export const isMakingPath = (path: string): path is MakingPath => Object.hasOwn(shownFields, path);

/** A request that was refused, as its Notification shows it. */
export function refusedRequest(
  { accountSid, path, sent }: { accountSid: string; path: MakingPath; sent: Sent },
  ports: Settings,
): Exchange {
  const fields: readonly string[] = shownFields[path];
  const told = fields.flatMap((field) => {
    const text = [sent.get(pascal(field)) ?? []].flat().join(", ");
    return text === "" ? [] : [[field, text]];
  });
  return requestOf({ ...Object.fromEntries(told), accountSid }, path, [...fields], ports);
}

function requestOf<F extends string>(
  record: { accountSid: string } & { [K in F]?: unknown },
  path: string,
  fields: F[],
  { settings }: Settings,
): Exchange {
  const address = `${settings.baseUrl}/${limits.apiVersion}/Accounts/${record.accountSid}`;
  const sent = fields.filter((field) => record[field] !== null && record[field] !== undefined)
    .map((field) => {
      const text = String(record[field]);
      const isUrl = /url$|callback$/i.test(field);
      return [pascal(field), isUrl ? withoutCredentials(text) : text] as const;
    });
  const params = Object.fromEntries(sent);
  return unanswered({ url: `${address}/${path}`, method: "POST", params });
}
