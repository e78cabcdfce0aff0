import { deliverWebhook } from "../webhooks/deliver.ts";
import type { Change } from "../model/store.ts";
import type { Conference, Member } from "../resources/conferences.ts";
import type { conferenceEvents } from "../values/conference_wanted.ts";
import { rfc2822 } from "../base/wire.ts";

/** What happens in a Conference, as callbacks name it, and what its callback is asked for by. */
const asked = {
  "conference-start": "start",
  "conference-end": "end",
  "participant-join": "join",
  "participant-leave": "leave",
  "participant-mute": "mute",
  "participant-unmute": "mute",
  "participant-hold": "hold",
  "participant-unhold": "hold",
} as const satisfies Record<string, (typeof conferenceEvents)[number]>;

export type ConferenceCallbackEvent = keyof typeof asked;

/** Adds the callback of what happened to a change, when the Conference asked for it. */
export function fire(
  change: Change<Conference>,
  { news, at, member, params = {} }: {
    news: ConferenceCallbackEvent;
    /** In ms. */
    at: number;
    /** To whom, where it is about one. */
    member?: Member;
    params?: Record<string, string>;
  },
): Change<Conference> {
  const { record, jobs = [] } = change;
  const { statusCallback: url, statusCallbackMethod: method, accountSid } = record;
  if (url === null || !record.statusCallbackEvent.includes(asked[news])) return change;
  const told = {
    AccountSid: accountSid,
    ApiVersion: record.apiVersion,
    ConferenceSid: record.sid,
    FriendlyName: record.friendlyName,
    StatusCallbackEvent: news,
    ...(member && memberParameters(member)),
    ...params,
    Timestamp: rfc2822(at),
    SequenceNumber: String(record.sequence),
  };
  const callSid = member?.callSid ?? null;
  const event = `conference.${news.slice(news.indexOf("-") + 1)}`;
  return {
    ...change,
    record: { ...record, sequence: record.sequence + 1 },
    // Whichever calls they are about, they come in the order of their SequenceNumber.
    jobs: [
      ...jobs,
      deliverWebhook({ accountSid, callSid, url, method, params: told, event, series: record.sid }),
    ],
  };
}

const memberParameters = ({ callSid, muted, hold, startOnEnter, endOnExit }: Member) => ({
  CallSid: callSid,
  Muted: String(muted),
  Hold: String(hold),
  StartConferenceOnEnter: String(startOnEnter),
  EndConferenceOnExit: String(endOnExit),
});
