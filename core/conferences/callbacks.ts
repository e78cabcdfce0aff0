import { deliverWebhook } from "../webhooks/deliver.ts";
import type { Change } from "../model/store.ts";
import type { Conference, Member } from "../model/resources/conferences.ts";
import type { conferenceEvents } from "../model/values/conference_options.ts";
import { rfc2822 } from "../base/wire.ts";

/** Each value of StatusCallbackEvent, and the value of statusCallbackEvent that subscribes to it. */
const subscriptions = {
  "conference-start": "start",
  "conference-end": "end",
  "participant-join": "join",
  "participant-leave": "leave",
  "participant-mute": "mute",
  "participant-unmute": "mute",
  "participant-hold": "hold",
  "participant-unhold": "hold",
} as const satisfies Record<string, (typeof conferenceEvents)[number]>;

export type ConferenceCallbackEvent = keyof typeof subscriptions;

/** The values of StatusCallbackEvent. */
export const conferenceCallbackEvents: readonly string[] = Object.keys(subscriptions);

/** Adds the status callback of an event to a change, if the Conference subscribed to it. */
export function fire(
  change: Change<Conference>,
  { name, at, member, params = {} }: {
    name: ConferenceCallbackEvent;
    /** In ms. */
    at: number;
    /** The participant that the event is about, if any. */
    member?: Member;
    params?: Record<string, string>;
  },
): Change<Conference> {
  const { record, jobs = [] } = change;
  const { statusCallback: url, statusCallbackMethod: method, accountSid } = record;
  if (url === null || !record.statusCallbackEvent.includes(subscriptions[name])) return change;
  const parameters = {
    AccountSid: accountSid,
    ApiVersion: record.apiVersion,
    ConferenceSid: record.sid,
    FriendlyName: record.friendlyName,
    StatusCallbackEvent: name,
    ...(member && memberParameters(member)),
    ...params,
    Timestamp: rfc2822(at),
    SequenceNumber: String(record.sequence),
  };
  const callSid = member?.callSid ?? null;
  const event = `conference.${name.slice(name.indexOf("-") + 1)}`;
  return {
    ...change,
    record: { ...record, sequence: record.sequence + 1 },
    // Callbacks of all its calls are sent in the order of their SequenceNumber.
    jobs: [
      ...jobs,
      deliverWebhook({
        accountSid,
        callSid,
        url,
        method,
        params: parameters,
        event,
        series: record.sid,
      }),
    ],
  };
}

const memberParameters = (
  { callSid, label, muted, hold, startOnEnter, endOnExit }: Member,
): Record<string, string> => ({
  CallSid: callSid,
  ...label !== undefined && { ParticipantLabel: label },
  Muted: String(muted),
  Hold: String(hold),
  StartConferenceOnEnter: String(startOnEnter),
  EndConferenceOnExit: String(endOnExit),
});
