import { method, phoneText, url } from "../base/fields.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { checkMessage } from "../messages/check_message.ts";
import { type Message, messages as definition } from "../resources/messages.ts";
import { addressed, dated } from "./filters.ts";
import { action, noun, refused, works } from "./noun.ts";
import { fetched, given, listedOf, made } from "./regular.ts";
import { apiVersion, basic, date, price, text } from "./written.ts";

/** A text message. */
export const messages = noun<Message>({
  type: "Message",
  path: "Messages",
  otherPaths: ["SMS/Messages"],
  plural: "messages",
  fields: {
    ...basic,
    body: ({ body }) => body,
    num_segments: () => "1",
    num_media: () => "0",
    direction: ({ direction }) => direction === "outbound-call" ? "outbound-reply" : direction,
    from: ({ from }) => from,
    to: ({ to }) => to,
    date_sent: ({ dateSent }) => date(dateSent),
    status: ({ status }) => status,
    error_code: ({ errorCode }) => errorCode ?? null,
    error_message: ({ errorCode }) => text(errorCode),
    price: (message) => price(message.price),
    price_unit: ({ priceUnit }) => priceUnit,
    messaging_service_sid: () => null,
    api_version: apiVersion,
  },
  address: ({ sid }) => `Messages/${sid}`,
  below: { media: "Media" },
  create: action({
    parameters: {
      To: works(phoneText().trim().max(255), "required"),
      From: works(phoneText().trim().max(255), "required"),
      Body: works(definition.fields.body, "required"),
      StatusCallback: works(url),
      StatusCallbackMethod: works(method),
      MessagingServiceSid: refused("there are no messaging services; send From"),
      MediaUrl: refused("messages have no media"),
    },
    faults: { To: "badTo", From: "badFrom", Body: "emptyBody" },
    async perform(asked, sent) {
      const { account, ports } = asked;
      const { To: to, From: from, Body: body } = sent;
      if (!to) throw new Fault("noTo", "To is required");
      if (!from) throw new Fault("noFrom", "From is required");
      if (!body) throw new Fault("emptyBody", "Body is required");
      const ends = await checkMessage({ from, to }, account.sid, ports);
      const fields = given({
        ...ends,
        body,
        statusCallback: sent.StatusCallback,
        statusCallbackMethod: sent.StatusCallbackMethod,
        apiVersion: limits.twilioApiVersion,
      });
      return await made("messages", fields, asked);
    },
  }),
  fetch: fetched("messages"),
  listed: listedOf("messages", {
    To: addressed("to"),
    From: addressed("from"),
    DateSent: dated("dateSent"),
  }),
});
