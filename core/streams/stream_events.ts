import { callParameters } from "../calls/parameters.ts";
import { unanswered } from "../base/exchange.ts";
import type { FaultName } from "../base/faults.ts";
import { rfc2822 } from "../base/wire.ts";
import { exponential, type Job } from "../model/job.ts";
import type { AlsoInserted } from "../model/record_types.ts";
import type { Change } from "../model/store.ts";
import { notification } from "../webhooks/notify.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { StreamChange, StreamEvent } from "../protocol/streams.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Stream } from "../model/resources/streams.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import { endUnheardStream, liveStreams } from "./create_stream.ts";

/** Events of streams: changes of their records, status callbacks and Notifications. */

/** Events of a stream's status callback. */
export const streamCallbackEvents = ["stream-started", "stream-stopped", "stream-error"] as const;

type CallbackEvent = typeof streamCallbackEvents[number];

const faultOf: Record<NonNullable<(StreamChange & { kind: "problem" })["fault"]>, FaultName> = {
  unreachable: "streamUnreachable",
  messages: "streamMessages",
  slow: "streamSlow",
  overflow: "streamOverflow",
  limit: "streamLimit",
};

/** Takes an event of a stream. A repeat, and an event after the end, changes nothing. */
export async function takeStreamEvent(
  { sid, seq, news }: StreamEvent,
  call: Call,
  { at }: { at: number },
  ports: Ports,
): Promise<void> {
  const { accountSid } = call;
  if (await ports.records.streams.get(accountSid, sid) === null) return;
  await ports.records.streams.update(accountSid, sid, (stream) => {
    if (stream.status === "stopped" || seq < stream.reports) return { record: stream };
    const reported = { ...stream, reports: seq + 1, dateUpdated: at };
    return changed(reported, news, { call, at, ports });
  });
}

interface Moment {
  call: Call;
  at: number;
  ports: Ports;
}

function changed(stream: Stream, news: StreamChange, moment: Moment): Change<Stream> {
  switch (news.kind) {
    case "started": {
      const record: Stream = { ...stream, isStarted: true };
      return { record, jobs: callback(record, "stream-started", moment) };
    }
    case "problem": {
      const record: Stream = { ...stream, error: news.message };
      const also = [notice(record, news, "warning", moment)];
      return { record, jobs: callback(record, "stream-error", moment), also };
    }
    case "ended":
      return ended(stream, news, moment);
  }
}

function ended(
  stream: Stream,
  { fault, message, lostFrames }: StreamChange & { kind: "ended" },
  moment: Moment,
): Change<Stream> {
  const record: Stream = {
    ...stream,
    status: "stopped",
    lostFrames,
    ...message !== undefined && { error: message },
  };
  const stopped = callback(record, "stream-stopped", moment);
  if (fault === undefined || message === undefined) return { record, jobs: stopped };
  return {
    record,
    jobs: [...callback(record, "stream-error", moment), ...stopped],
    also: [notice(record, { fault, message }, "error", moment)],
  };
}

/** Ends the streams of a call that is over or lost. */
export async function endStreams(call: Call, at: number, ports: Ports): Promise<void> {
  for (const { accountSid, sid } of await liveStreams(call, ports)) {
    await ports.records.streams.update(accountSid, sid, (stream) => {
      if (stream.status === "stopped") return { record: stream };
      const { lostFrames } = stream;
      const news = { kind: "ended", how: "stopped", lostFrames } as const;
      return ended({ ...stream, dateUpdated: at }, news, { call, at, ports });
    });
  }
}

/** Ends a stream that its companion has not reported. */
async function endUnheard(call: Call, sid: string, ports: Ports): Promise<void> {
  const at = ports.now();
  await ports.records.streams.update(call.accountSid, sid, (stream) => {
    if (stream.status === "stopped" || stream.reports > 0) return { record: stream };
    const { lostFrames } = stream;
    const message = "the service was interrupted before the stream began; start it again";
    const news = {
      kind: "ended",
      how: "failed",
      fault: "unreachable",
      message,
      lostFrames,
    } as const;
    return ended({ ...stream, dateUpdated: at }, news, { call, at, ports });
  });
}

/** Performs `endUnheardStream`. */
export const unheardStreamHandler: JobHandler<Parameters<typeof endUnheardStream>[0]> = handler(
  endUnheardStream,
  {
    maxAttempts: 12,
    retryMs: exponential(1_000, 60_000),

    async work({ accountSid, streamSid: sid }, ports) {
      const stream = await ports.records.streams.get(accountSid, sid);
      if (stream === null || stream.status === "stopped" || stream.reports > 0) return;
      const call = await ports.records.calls.get(accountSid, stream.callSid);
      if (call === null) return;
      if (call.companion !== null) {
        // It may run all the same: its reports after the end change nothing.
        const order = { type: "stop", sid } as const;
        await ports.control.stream({ leg: call.sid, order }, call.companion);
      }
      await endUnheard(call, sid, ports);
    },
  },
);

/** Parameters of a stream in callbacks. */
export const streamParameters = ({ sid, name, error }: Stream): Record<string, string> => ({
  StreamSid: sid,
  StreamName: name,
  ...error !== null && { StreamError: error },
});

function callback(stream: Stream, event: CallbackEvent, { call, at, ports }: Moment): Job[] {
  const { accountSid, callSid, statusCallback } = stream;
  if (statusCallback === null) return [];
  const params = {
    ...callParameters(call, ports.settings),
    ...streamParameters(stream),
    StreamEvent: event,
    Timestamp: rfc2822(at),
  };
  if (event !== "stream-error") delete (params as Record<string, string>).StreamError;
  const name = event.replace("-", ".");
  return [deliverWebhook({ accountSid, callSid, ...statusCallback, params, event: name })];
}

function notice(
  { accountSid, callSid, sid, url }: Stream,
  { fault, message }: { fault: keyof typeof faultOf; message: string },
  level: "error" | "warning",
  { ports }: Moment,
): AlsoInserted {
  const exchange = unanswered({ url, method: "GET", params: {} });
  const detail = `${sid}: ${message}`;
  return notification(
    { accountSid, callSid, fault: faultOf[fault], detail, level, exchange },
    ports,
  );
}
