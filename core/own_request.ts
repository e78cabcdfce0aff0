import { type Exchange, unanswered, withoutCredentials } from "./exchange.ts";
import { shownUrl } from "./flows/address.ts";
import { limits } from "./limits.ts";
import type { Base, Ports } from "./ports.ts";
import type { Order } from "./orders/order.ts";
import type { Call } from "./resources/calls.ts";
import type { Email } from "./resources/emails.ts";
import type { Geolocation } from "./resources/geolocations.ts";
import type { Message } from "./resources/messages.ts";
import { pascal } from "./wire.ts";

type Settings = Pick<Ports, "settings">;

/** What of a record was asked for. */
type Asked<T extends Base> = { [K in keyof T]?: unknown } & Pick<T, "accountSid">;

/**
 * The request to this interface that makes an e-mail, as the Notification of its failure tells it
 * (spec, RequestVariables): what was sent, without credentials. One that markup made is told alike,
 * here as below.
 */
export const emailRequest = (email: Asked<Email>, ports: Settings): Exchange =>
  requestOf(email, "Email/Messages", ["from", "to", "cc", "subject", "body"], ports);

/** The same of a look-up. */
export const lookUpRequest = (asked: Asked<Geolocation>, ports: Settings): Exchange =>
  requestOf(asked, `Geolocation/${asked.geolocationType}`, [
    "deviceIdentifier",
    "statusCallback",
    "eventGeofenceLatitude",
    "eventGeofenceLongitude",
    "geofenceRange",
    "geofenceEvent",
  ], ports);

/** The same of a message; undefined of one that came in, as somebody else sent it. */
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
