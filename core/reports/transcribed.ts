import type { TranscribedEvent } from "../protocol/leg_tasks.ts";
import { callParameters } from "../calls/parameters.ts";
import { iso8601 } from "../base/wire.ts";
import type { Change } from "../model/store.ts";
import { notification } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";

/** Sends an event of a transcription to its callback; an error makes a Notification as well. */
export function reportTranscribed(
  call: Call,
  { sid, name, language, number, news, callback }: TranscribedEvent,
  ports: Ports,
): Change<Call> {
  const { accountSid, sid: callSid } = call;
  const event = `transcription-${news.kind}`;
  const params = {
    ...callParameters(call, ports.settings),
    TranscriptionSid: sid,
    TranscriptionEvent: event,
    LanguageCode: language,
    ...name !== undefined && { Name: name },
    SequenceId: String(number),
    Timestamp: iso8601(ports.now()),
    ...newsParameters(news),
  };
  const webhook = { accountSid, callSid, ...callback, params, event: `transcription.${news.kind}` };
  const change: Change<Call> = { record: call, jobs: [deliverWebhook(webhook)] };
  if (news.kind !== "error") return change;
  const notice = { accountSid, callSid, fault: "speechUnavailable", level: "error" } as const;
  return { ...change, also: [notification({ ...notice, detail: news.message }, ports)] };
}

const trackNames = { inbound: "inbound_track", outbound: "outbound_track" } as const;

const tracksNamed = ([first = "inbound", ...others]: (keyof typeof trackNames)[]): string =>
  others.length > 0 ? "both_tracks" : trackNames[first];

function newsParameters(news: TranscribedEvent["news"]): Record<string, string> {
  switch (news.kind) {
    case "started":
      return { Track: tracksNamed(news.tracks) };
    case "content": {
      const { track, text: transcript, confidence, isFinal } = news;
      return {
        Track: trackNames[track],
        TranscriptionData: JSON.stringify({ transcript, confidence }),
        Final: String(isFinal),
      };
    }
    case "error":
      return { TranscriptionError: news.message };
    case "stopped":
      return {};
  }
}
