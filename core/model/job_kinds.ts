import { z } from "zod";
import { disposition } from "../protocol/messages.ts";
import { learnedTenant } from "../base/learned_tenants.ts";
import { companion } from "../protocol/companion.ts";
import { hangupCause } from "../protocol/disconnection.ts";
import { customerLane, jobKind } from "./job.ts";

/**
 * Every kind of job but `deliverWebhook` (`webhooks/deliver.ts`): its name in the store, its arguments
 * and its lane. `jobs/` performs them.
 */

/** The account of a job; one of a former version has none. */
const owner = { accountSid: z.string().optional() };

/** Lane of an account for messages to companions: a flood of one account delays no other. */
const ofOwner = (lane: string, accountSid: string | undefined): string =>
  accountSid === undefined ? lane : `to-${lane}:${accountSid}`;

/**
 * Lane of jobs that wait for days. Each search for jobs costs time for each lane, so tenants share
 * 64 of them. A tenant has all of its jobs in one: its flood delays few others, however many
 * accounts it has.
 */
const oneOfFew = (lane: string, accountSid: string): string =>
  `${lane}/${(parseInt(learnedTenant(accountSid).slice(-2), 16) || 0) % 64}`;

/**
 * Requests the SmsUrl of a number for a received message, and performs the markup of the response.
 * A server that is out of reach gets a further request; messages that the first response sent are
 * not sent again.
 */
export const answerMessage = jobKind({
  kind: "message.answer",
  args: z.object({
    accountSid: z.string(),
    messageSid: z.string(),
    numberSid: z.string(),
    /** Host that the request goes to. */
    host: z.string(),
  }),
  lane: ({ host, accountSid }) => customerLane("answers", host, accountSid),
});

/** Removes the Sid of a record that is gone from every record of the account that names it. */
export const clearReferences = jobKind({
  kind: "references.clear",
  args: z.object({ accountSid: z.string(), to: z.string(), sid: z.string() }),
  lane: ({ accountSid }) => `references:${accountSid}`,
});

/**
 * Deletes the resources of a closed account and its descendants, in batches. What is deleted stays
 * so: a run that was killed is followed by one that goes on with the rest.
 */
export const closeAccount = jobKind({
  kind: "account.close",
  args: z.object({ accountSid: z.string() }),
  lane: ({ accountSid }) => `closing:${accountSid}`,
});

/**
 * Has the companion place an outbound call. A call that cannot be placed fails, with a
 * Notification. Each account has a lane of its own, and the lanes take turns.
 */
export const dialCall = jobKind({
  kind: "call.dial",
  args: z.object({ accountSid: z.string(), callSid: z.string() }),
  lane: ({ accountSid }) => `calls:${accountSid}`,
});

/** Ends a call whose TimeLimit has passed since the answer. */
export const limitCall = jobKind({
  kind: "call.limit",
  args: z.object({ accountSid: z.string(), callSid: z.string() }),
  lane: ({ accountSid }) => `calls:${accountSid}`,
});

/** Tells an account, and the one above, that it has used 80 % of a limit of the day. */
export const warnOfLimit = jobKind({
  kind: "account.warn_of_limit",
  args: z.object({
    accountSid: z.string(),
    limit: z.enum([
      "maxConcurrentCalls",
      "maxCallsPerSecond",
      "maxTextsPerDay",
      "maxEmailsPerDay",
      "maxSpendMicros",
    ]),
    /** In days since 1970. */
    day: z.number().int(),
  }),
  lane: ({ accountSid }) => `limits:${accountSid}`,
});

/** Makes the first limits of an account count earlier live calls and charges. */
export const countUses = jobKind({
  kind: "account.count_uses",
  args: z.object({ accountSid: z.string(), since: z.number() }),
  lane: ({ accountSid }) => `limits:${accountSid}`,
});

/** Ends the calls of an account and its descendants that cost money: its limit was lowered. */
export const endPaidCalls = jobKind({
  kind: "account.end_paid_calls",
  args: z.object({ accountSid: z.string() }),
  lane: ({ accountSid }) => `limits:${accountSid}`,
});

/**
 * Has the limits of money count the next minute of a call before it begins, and ends the call where
 * they refuse it. Each account has a lane of its own.
 */
export const countMinute = jobKind({
  kind: "call.count_minute",
  args: z.object({
    accountSid: z.string(),
    callSid: z.string(),
    /** From 1. */
    minute: z.number().int(),
    /** Begin of the minute, in ms by the wall clock as it was when the job was made. */
    beginsAt: z.number(),
  }),
  lane: ({ accountSid }) => `minutes:${accountSid}`,
});

/**
 * Ends every live call of an account and its descendants: it was suspended or closed. One that cannot
 * be ended keeps none of the others; it is tried again with the next attempt.
 */
export const endCalls = jobKind({
  kind: "account.end_calls",
  args: z.object({ accountSid: z.string() }),
  lane: ({ accountSid }) => `accounts:${accountSid}`,
});

/** Requests a document, and has the participants of a Conference, or one of them, hear it once. */
export const announceInConference = jobKind({
  kind: "conference.announce",
  args: z.object({
    accountSid: z.string(),
    conferenceSid: z.string(),
    /** Of the only one that hears it. */
    callSid: z.string().optional(),
    url: z.string(),
    method: z.enum(["GET", "POST"]),
  }),
  lane: ({ accountSid }) => `documents:${accountSid}`,
});

/** Checks the sum that a Usage Trigger watches, and requests its callback at its value. */
export const checkTrigger = jobKind({
  kind: "usage.trigger",
  args: z.object({ accountSid: z.string(), triggerSid: z.string() }),
  lane: ({ accountSid }) => `triggers:${accountSid}`,
});

/** Has the companion end the conference of a Conference that is over. */
export const endConference = jobKind({
  kind: "conference.end_room",
  args: z.object({ ...owner, conferenceSid: z.string(), companion }),
  lane: ({ accountSid }) => ofOwner("calls", accountSid),
});

/**
 * Erases the stored data of the subject of an Erasure. A run that was killed, or met a live call,
 * is followed by one that goes on with the rest.
 */
export const eraseRecords = jobKind({
  kind: "erasure.perform",
  args: z.object({ accountSid: z.string(), erasureSid: z.string() }),
  lane: ({ accountSid }) => `erasures:${accountSid}`,
});

/** Fails a message that its carrier accepted without a later receipt, with a Notification. */
export const expireMessage = jobKind({
  kind: "message.expire",
  args: z.object({ accountSid: z.string(), messageSid: z.string() }),
  lane: ({ accountSid }) => oneOfFew("receipts", accountSid),
});

/**
 * Has the companion look the Clients and Gateways of an account and its descendants up again: its
 * Status changed.
 */
export const forgetAccount = jobKind({
  kind: "account.forget",
  args: z.object({ accountSid: z.string() }),
  lane: ({ accountSid }) => `accounts:${accountSid}`,
});

/** Drops the cached credentials of changed Clients at the companions. */
export const forgetClients = jobKind({
  kind: "clients.forget",
  args: z.object({ ...owner, logins: z.array(z.string()) }),
  lane: ({ accountSid }) => ofOwner("bridge", accountSid),
});

/** Continues a flow whose caller hung up during a step: its result can still be sent. */
export const goOnFlow = jobKind({
  kind: "flow.goOn",
  args: z.object({
    accountSid: z.string(),
    callSid: z.string(),
    /** Address at which the flow goes on. */
    url: z.string(),
    /** Result of its last step. */
    params: z.record(z.string(), z.string()),
  }),
  lane: ({ accountSid }) => `flows:${accountSid}`,
});

/** Makes the companion end a leg: BYE, CANCEL or a refusal, by its state. */
export const hangUp = jobKind({
  kind: "call.hang_up",
  args: z.object({
    ...owner,
    callSid: z.string(),
    /** Companion that has the leg, if known. */
    companion: companion.nullable().optional(),
    /** Why; a request unless given. */
    cause: hangupCause.optional(),
    /** When, in ms of the steady clock; at once unless given. */
    endsAt: z.number().optional(),
  }),
  lane: ({ accountSid }) => ofOwner("calls", accountSid),
});

/**
 * Receives the arrived parts of a text whose other parts did not come in time, and removes them.
 */
export const joinParts = jobKind({
  kind: "message.join_parts",
  args: z.object({ accountSid: z.string(), textSid: z.string() }),
  lane: ({ accountSid }) => `parts:${accountSid}`,
});

/** Looks up the location of a device at the location source; a failure leaves a Notification. */
export const locate = jobKind({
  kind: "geolocation.locate",
  args: z.object({ accountSid: z.string(), geolocationSid: z.string() }),
  lane: ({ accountSid }) => `geolocation:${accountSid}`,
});

/** Prepares the texts of older records for searches; caused by every thousandth record or so. */
export const packTexts = jobKind({
  kind: "texts.pack",
  args: z.object({ accountSid: z.string(), resource: z.string() }),
  lane: ({ accountSid, resource }) => `pack/${resource}/${accountSid}`,
});

/**
 * Begins a USSD dialogue with a subscriber. Its document is requested first, since the INVITE
 * carries its text. A dialogue that cannot begin fails, with a Notification.
 */
export const pushUssd = jobKind({
  kind: "ussd.push",
  args: z.object({ accountSid: z.string(), callSid: z.string() }),
  lane: ({ accountSid }) => `documents:${accountSid}`,
});

/** Gives a live call the script of its new Url, whatever it was doing. */
export const redirectCall = jobKind({
  kind: "call.redirect",
  args: z.object({
    accountSid: z.string(),
    callSid: z.string(),
    /** The connected leg requests the Url as well, with its own call parameters. */
    both: z.boolean().optional(),
    /** Number of the redirection: that of the call, while no later request redirected it. */
    redirect: z.number().int().optional(),
  }),
  lane: ({ accountSid }) => `documents:${accountSid}`,
});

/** Goes on with a leg of a test account until it has to wait; nothing where its turn is another. */
export const simulateLeg = jobKind({
  kind: "simulation.go_on",
  args: z.object({ accountSid: z.string(), legSid: z.string(), turn: z.number().int() }),
  lane: ({ accountSid }) => `simulation:${accountSid}`,
});

/** Deletes the audio of a recording that is gone. */
export const removeAudio = jobKind({
  kind: "recording.remove_audio",
  args: z.object({ accountSid: z.string(), recordingSid: z.string() }),
  lane: ({ accountSid }) => `blobs:remove:${accountSid}`,
});

/**
 * Hands an e-mail to the mail server; one that is never taken leaves a Notification. Either way the
 * e-mail is then forgotten.
 */
export const sendEmail = jobKind({
  kind: "email.send",
  args: z.object({ accountSid: z.string(), emailSid: z.string() }),
  lane: ({ accountSid }) => `email:${accountSid}`,
});

/**
 * Sends a message by the first route that takes it, or fails it with a Notification. A carrier's
 * receipt, where one will come, ends the sending.
 */
export const sendMessage = jobKind({
  kind: "message.send",
  args: z.object({ accountSid: z.string(), messageSid: z.string() }),
  lane: ({ accountSid }) => `messages:${accountSid}`, // Phones that are silent hold up their own.
});

/** Tells the sender of a message, a Client, of its disposition (RFC 5438). */
export const notifySender = jobKind({
  kind: "message.notify",
  args: z.object({ accountSid: z.string(), messageSid: z.string(), disposition }),
  lane: ({ accountSid }) => `notifications:${accountSid}`,
});

/** Sends a message whose time has come, unless it was canceled. */
export const releaseMessage = jobKind({
  kind: "message.release",
  args: z.object({ accountSid: z.string(), messageSid: z.string() }),
  lane: ({ accountSid }) => oneOfFew("scheduled", accountSid),
  isByDate: true,
});

/** Fails a message that was not sent within its validity period. */
export const lapseMessage = jobKind({
  kind: "message.lapse",
  args: z.object({ accountSid: z.string(), messageSid: z.string() }),
  lane: ({ accountSid }) => oneOfFew("scheduled", accountSid),
});

/** Looks again and again at a recording under way; ends it when its call is long over. */
export const settleRecording = jobKind({
  kind: "recording.settle",
  args: z.object({ accountSid: z.string(), recordingSid: z.string() }),
  lane: ({ accountSid }) => `recordings:${accountSid}`,
});

/**
 * Brings the audio of a finished recording to where it stays. Until then, and when it cannot be, it is
 * served from where it was made.
 */
export const storeAudio = jobKind({
  kind: "recording.store_audio",
  args: z.object({ accountSid: z.string(), recordingSid: z.string() }),
  lane: ({ accountSid }) => `blobs:store:${accountSid}`,
});

/** Notifies the companions that Gateways changed; they request their registrations at once. */
export const notifyGateways = jobKind({
  kind: "gateways.tell",
  args: z.object({}),
  lane: () => "bridge",
});

/** Reports a change of a number to its provider; committed with the change itself. */
export const notifyProvider = jobKind({
  kind: "numbers.tell",
  args: z.object({
    event: z.enum(["provisioned", "transferred", "released"]),
    phoneNumber: z.string(),
    accountSid: z.string(),
    sid: z.string(),
  }),
  lane: ({ accountSid }) => `numbers:${accountSid}`,
});

/** Orders the transcription of a recording; a failure leaves a Notification. */
export const transcribeRecording = jobKind({
  kind: "recording.transcribe",
  args: z.object({
    accountSid: z.string(),
    transcriptionSid: z.string(),
    callback: z.object({ url: z.string(), method: z.enum(["GET", "POST"]) }).nullable(),
    language: z.string().optional(),
  }),
  lane: ({ accountSid }) => `transcription:${accountSid}`,
});

export type { ArgsOf } from "./job.ts";
