import { withMark } from "../model/resources/internal/removed_records.ts";
import { z } from "zod";
import { flag, instant, phoneText, reference, url, wholeNumber } from "../base/fields.ts";
import { Fault, faults } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { checkMessage } from "../messages/check_message.ts";
import { reserved } from "../messages/reserve.ts";
import { cancelMessage, scheduled } from "../messages/schedule.ts";
import { smartEncoded } from "../messages/smart_encoding.ts";
import { segmentCount } from "../messages/segments.ts";
import { twilioStatus } from "../messages/twilio_status.ts";
import { longBody, type Message, messages as definition } from "../model/resources/messages.ts";
import { addressed, dated } from "./noun/filters.ts";
import {
  action,
  type Asked,
  informational,
  noun,
  refused,
  type SentOf,
  works,
} from "./noun/noun.ts";
import { informationalFields, informationalOf } from "./noun/informational.ts";
import { fetched, found, given, listedOf, made } from "./noun/regular.ts";
import { apiVersion, basic, currency, date, price } from "./noun/written.ts";

const noMedia = "messages have no media";
/** A sum of money, as it was written. */
const amount = z.string().regex(/^\d{1,9}(?:\.\d{1,9})?$/, "must be an amount such as 0.05");
/** A value of one of Twilio's lists, which grow. */
const keyword = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a word of at most 64 letters");
const noContent = "there are no content templates; send Body";

const parameters = {
  To: works(phoneText().trim().max(255), "required"),
  From: works(
    phoneText().trim().max(255),
    "required; also a name of at most 11 letters and digits, towards a number",
  ),
  Body: works(longBody, "required; up to 1,600 characters"),
  StatusCallback: works(url, "is requested when the message was sent, was delivered or has failed"),
  MediaUrl: refused(noMedia),
  SendAsMms: refused(noMedia, ["false"]),
  MessagingServiceSid: refused("there are no messaging services; send From"),
  ContentSid: refused(noContent),
  ContentVariables: refused(noContent),
  ApplicationSid: works(reference("AP"), "its `MessageStatusCallback`, without a `StatusCallback`"),
  ValidityPeriod: works(definition.fields.validityPeriod.unwrap(), "up to 86,400 s"),
  SendAt: works(instant, "up to 35 days ahead; `ScheduleType` is fixed then"),
  ScheduleType: works(z.enum(["fixed"]), "with `SendAt`"),
  MaxPrice: informational(amount, "the rates of the operator apply"),
  ProvideFeedback: informational(flag, "there is no feedback of users"),
  Attempt: informational(wholeNumber(0, 1_000_000), "messages are counted by their receipts"),
  ForceDelivery: informational(flag, "each message is sent"),
  ContentRetention: refused("update Body to an empty text, or DELETE the message", ["retain"]),
  AddressRetention: refused("DELETE the message", ["retain"]),
  SmartEncoded: works(flag, "quotes, dashes and spaces of the GSM alphabet for those like them"),
  PersistentAction: refused(noMedia),
  TrafficType: informational(keyword, "there are no classes of traffic"),
  ShortenUrls: refused("links are sent as they are", ["false"]),
  MessageIntent: informational(keyword, "there are no classes of traffic"),
  RiskCheck: informational(keyword, "messages are not checked for fraud"),
  FallbackFrom: refused("send From"),
};

/** Sends a message by the rules of the contract's POST, but for the length of its Body. */
async function sent(asked: Asked, wanted: SentOf<typeof parameters>): Promise<Message> {
  const { account, ports } = asked;
  const { To: to, From: from, Body: written = "" } = wanted;
  const body = wanted.SmartEncoded ? smartEncoded(written) : written;
  if (!to) throw new Fault("noTo", "To is required");
  if (!from) throw new Fault("noFrom", "From is required");
  if (!body) throw new Fault("emptyBody", "Body is required");
  // `SmartEncoded` makes three full stops of an ellipsis, and nothing of a zero-width space.
  if (!longBody.safeParse(body).success) {
    throw new Fault("textTooLong", `Body must have at most ${limits.arrivingLength} characters`);
  }
  if ((wanted.SendAt === undefined) !== (wanted.ScheduleType === undefined)) {
    throw new Fault("badSchedule", "SendAt and ScheduleType=fixed go together");
  }
  const ends = await checkMessage({ from, to, mayName: true }, account, ports);
  const fields = {
    ...ends,
    ...reserved({ to: ends.to, body }, ports),
    ...scheduled(wanted.SendAt, ports.now()),
    body,
    apiVersion: limits.twilioApiVersion,
    statusCallback: wanted.StatusCallback ?? await callbackOf(wanted.ApplicationSid, asked),
    validityPeriod: wanted.ValidityPeriod,
    informational: informationalOf(parameters, wanted),
  };
  return await made("messages", given(fields), asked);
}

/** Status callback of messages in the application of a Sid. */
async function callbackOf(
  sid: string | undefined,
  { account, ports }: Asked,
): Promise<string | undefined> {
  if (sid === undefined) return undefined;
  const application = await ports.records.applications.get(account.sid, sid);
  if (application !== null) return application.messageStatusCallback ?? undefined;
  throw new Fault("badParameter", "ApplicationSid must name one of the account's applications");
}

const assertEnded = (message: Message): void => {
  if (message.status !== "sending" && message.status !== "queued") return;
  throw new Fault("messageNotEnded", `its status is ${twilioStatus(message)}`);
};

/** One that was canceled has no error. */
const errorOf = (message: Message): number | null =>
  twilioStatus(message) === "canceled" ? null : message.errorCode ?? null;

const messageOf = (message: Message): string | null =>
  Object.values(faults).find(({ code }) => code === errorOf(message))?.message ?? null;

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
    error_code: errorOf,
    error_message: messageOf,
    price: (message) => price(message.price),
    price_unit: ({ priceUnit }, asked) => priceUnit ?? currency(null, asked),
    messaging_service_sid: () => null,
    ...informationalFields(parameters),
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
      Status: works(z.enum(["canceled"]), "of a message that is `scheduled`"),
    },
    async perform({ account: { sid: accountSid }, path: { Sid: sid = "" }, ports }, sent) {
      if (sent.Status !== undefined) await cancelMessage({ accountSid, sid }, ports);
      return await ports.records.messages.update(accountSid, sid, (message) => {
        if (sent.Body === undefined) return { record: message };
        assertEnded(message);
        return { record: { ...message, body: "", dateUpdated: ports.now() } };
      });
    },
  }),
  remove: ({ account, path, ports }) =>
    ports.records.messages.remove(account.sid, path.Sid ?? "", (message) => {
      assertEnded(message);
      return { record: message, ...withMark(message) };
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
