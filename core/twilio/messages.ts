import { z } from "zod";
import { phoneText, url } from "../base/fields.ts";
import { Fault, faults } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { checkMessage } from "../messages/check_message.ts";
import { segmentCount } from "../messages/segments.ts";
import { twilioStatus } from "../messages/twilio_status.ts";
import type { Message } from "../resources/messages.ts";
import { addressed, dated } from "./filters.ts";
import { action, type Asked, noun, refused, type SentOf, works } from "./noun.ts";
import { fetched, found, given, listedOf, made } from "./regular.ts";
import { apiVersion, basic, date, price } from "./written.ts";

const body = z.string().refine(
  (text) => [...text].length <= limits.arrivingLength,
  {
    error: `must have at most ${limits.arrivingLength} characters`,
    params: { fault: "textTooLong" },
  },
);

const scheduled = "messages are sent at once";
const noMedia = "messages have no media";
const noContent = "there are no content templates; send Body";

const parameters = {
  To: works(phoneText().trim().max(255), "required"),
  From: works(phoneText().trim().max(255), "required"),
  Body: works(body, "required; up to 1,600 characters"),
  StatusCallback: works(url, "is requested when the message was sent, was delivered or has failed"),
  MediaUrl: refused(noMedia),
  SendAsMms: refused(noMedia, ["false"]),
  MessagingServiceSid: refused("there are no messaging services; send From"),
  ContentSid: refused(noContent),
  ContentVariables: refused(noContent),
  ApplicationSid: refused("send StatusCallback"),
  ValidityPeriod: refused(
    `a message is tried for ${limits.messageWaitMs / 3_600_000} hours`,
    [String(limits.messageWaitMs / 1_000)],
  ),
  SendAt: refused(scheduled),
  ScheduleType: refused(scheduled),
  MaxPrice: refused("the rates of the operator apply"),
  ProvideFeedback: refused("there is no feedback of users", ["false"]),
  Attempt: refused("messages are counted by their receipts", ["1"]),
  ForceDelivery: refused("each message is sent", ["false"]),
  ContentRetention: refused("update Body to an empty text, or DELETE the message", ["retain"]),
  AddressRetention: refused("DELETE the message", ["retain"]),
  SmartEncoded: refused("characters are sent as they are", ["false"]),
  PersistentAction: refused(noMedia),
  TrafficType: refused("there are no classes of traffic"),
  ShortenUrls: refused("links are sent as they are", ["false"]),
  MessageIntent: refused("there are no classes of traffic"),
  RiskCheck: refused("messages are not checked for fraud", ["disable"]),
  FallbackFrom: refused("send From"),
};

/** Sends a message by the rules of the contract's POST, but for the length of its Body. */
async function sent(asked: Asked, wanted: SentOf<typeof parameters>): Promise<Message> {
  const { account, ports } = asked;
  const { To: to, From: from, Body: body } = wanted;
  if (!to) throw new Fault("noTo", "To is required");
  if (!from) throw new Fault("noFrom", "From is required");
  if (!body) throw new Fault("emptyBody", "Body is required");
  const ends = await checkMessage({ from, to }, account, ports);
  const statusCallback = wanted.StatusCallback;
  const fields = { ...ends, body, apiVersion: limits.twilioApiVersion };
  return await made("messages", given({ ...fields, statusCallback }), asked);
}

const assertEnded = (message: Message): void => {
  if (message.status !== "sending" && message.status !== "queued") return;
  throw new Fault("messageNotEnded", `its status is ${twilioStatus(message)}`);
};

const messageOf = ({ errorCode }: Message): string | null =>
  Object.values(faults).find(({ code }) => code === errorCode)?.message ?? null;

/** A text message. */
export const messages = noun<Message>({
  type: "Message",
  path: "Messages",
  otherPaths: ["SMS/Messages"],
  plural: "messages",
  fields: {
    ...basic,
    body: ({ body }) => body,
    num_segments: ({ body }) => String(segmentCount(body)),
    num_media: () => "0",
    direction: ({ direction }) => direction,
    from: ({ from }) => from,
    to: ({ to }) => to,
    date_sent: ({ dateSent }) => date(dateSent),
    status: twilioStatus,
    error_code: ({ errorCode }) => errorCode ?? null,
    error_message: messageOf,
    price: (message) => price(message.price),
    price_unit: ({ priceUnit }) => priceUnit,
    messaging_service_sid: () => null,
    api_version: apiVersion,
  },
  address: ({ sid }) => `Messages/${sid}`,
  below: { media: "Media" },
  create: action({
    parameters,
    faults: { To: "badTo", From: "badFrom", Body: "emptyBody" },
    perform: sent,
  }),
  fetch: fetched("messages"),
  update: action({
    parameters: {
      Body: works(
        z.literal("", { error: "must be empty: a text can only be removed" }),
        "empty: redacts the text",
      ),
      Status: refused("a message that was accepted is sent"),
    },
    perform: ({ account, path, ports }, { Body }) =>
      ports.records.messages.update(account.sid, path.Sid ?? "", (message) => {
        if (Body === undefined) return { record: message };
        assertEnded(message);
        return { record: { ...message, body: "", dateUpdated: ports.now() } };
      }),
  }),
  remove: ({ account, path, ports }) =>
    ports.records.messages.remove(account.sid, path.Sid ?? "", (message) => {
      assertEnded(message);
      return { record: message };
    }),
  listed: listedOf("messages", {
    To: addressed("to"),
    From: addressed("from"),
    DateSent: dated("dateSent"),
  }),
});

/** The media of a message: there are none. */
export const media = noun<Message>({
  type: "Media",
  path: "Messages/{MessageSid}/Media",
  plural: "media_list",
  note: "messages have no media; the list is empty",
  fields: {},
  address: null,
  listed: {
    filters: { DateCreated: dated("dateCreated") },
    async read(asked) {
      await found("messages", asked.path.MessageSid ?? "", asked);
      return { items: [], total: 0 };
    },
  },
});
