import { z } from "zod";
import { jobKind } from "../model/job.ts";
import { streamLimits } from "../model/values/stream_limits.ts";
import { withoutCredentials } from "../base/exchange.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { type Cause, sidOfCause } from "../base/sid.ts";
import { signedHandshake } from "../base/signature.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { StreamOrder } from "../protocol/streams.ts";
import type { Call } from "../model/resources/calls.ts";
import { type Stream, streams } from "../model/resources/streams.ts";
import {
  encodingParameter,
  encodings,
  type StreamOptions,
  trackNameOf,
} from "../model/values/stream_options.ts";
import { assertSocketUrl } from "./socket_url.ts";

/**
 * Ends a stream that a request started and no companion has reported: the service was killed between the
 * commit and the order. A stream of markup needs no such job, since the companion repeats its report.
 */
export const endUnheardStream = jobKind({
  kind: "stream.unheard",
  args: z.object({ accountSid: z.string(), streamSid: z.string() }),
  lane: ({ accountSid }) => `streams:${accountSid}`,
});

/** A stream to be opened: its record, and the order for its companion. */
export interface CreatedStream {
  stream: Stream;
  order: StreamOrder;
}

/**
 * Makes the record of a stream and signs its handshake. A cause that comes again makes the same one.
 * Throws `badStreamUrl`, `badParameter` and `streamLimit`.
 */
export async function createStream(
  wanted: StreamOptions,
  { call, cause }: { call: Call; cause?: Cause },
  ports: Ports,
): Promise<CreatedStream> {
  const { accountSid, sid: callSid } = call;
  const { settings } = ports;
  assertSocketUrl(wanted.url, settings);
  const encoding = encodingOf(wanted.parameters);
  const account = await ports.accounts.get(accountSid);
  if (account === null) throw new Fault("notFound", accountSid);
  const newSid = (prefix: string) =>
    cause === undefined ? ports.newSid(prefix) : sidOfCause(prefix, cause);
  const base = newBase(streams, accountSid, { newSid, now: ports.now });
  const name = wanted.name ?? base.sid;
  const signed = signedHandshake(wanted.url, { authToken: account.authToken, now: ports.now() });
  const stream = await insert(
    {
      ...base,
      callSid,
      name,
      status: "in-progress",
      track: trackNameOf(wanted.tracks),
      bidirectional: wanted.isBidirectional,
      url: withoutCredentials(wanted.url),
      error: null,
      lostFrames: 0,
      apiVersion: limits.apiVersion,
      statusCallback: wanted.callback ?? null,
      reports: 0,
      isStarted: false,
    },
    { isRequested: cause === undefined },
    ports,
  );
  const { tracks, isBidirectional, parameters } = wanted;
  const { sid } = stream;
  const own = { tracks, isBidirectional, parameters, encoding, queueS: settings.streamQueueS };
  return { stream, order: { sid, accountSid, name, ...signed, ...own } };
}

/** A new record, or the one that its cause made before. */
async function insert(
  record: Stream,
  { isRequested }: { isRequested: boolean },
  { records }: Ports,
): Promise<Stream> {
  const { accountSid, sid } = record;
  const known = await records.streams.get(accountSid, sid);
  if (known !== null) return known;
  await assertRoom(record, records);
  await noteStream(record, records);
  try {
    const heardOf = record.dateCreated + streamLimits.heardOfMs;
    const jobs = isRequested ? [endUnheardStream({ accountSid, streamSid: sid }, heardOf)] : [];
    return await records.streams.insert({ record, jobs });
  } catch (error) {
    // A second run of the cause, or of the request with its Idempotency-Key, was faster.
    const twin = await records.streams.get(accountSid, sid);
    if (twin === null) throw error;
    return twin;
  }
}

/** Notes in the call that it has a stream, before there is one: its end then looks for it. */
async function noteStream(
  { accountSid, callSid }: Stream,
  { calls }: Ports["records"],
): Promise<void> {
  await calls.update(accountSid, callSid, (call) => ({
    record: call.hasStreams ? call : { ...call, hasStreams: true },
  }));
}

/** Throws `streamLimit`. The companion refuses a stream that is inserted at the same moment. */
async function assertRoom(
  { accountSid, callSid, name, bidirectional }: Stream,
  records: Ports["records"],
): Promise<void> {
  const others = await liveStreams({ accountSid, sid: callSid }, { records });
  if (others.some((other) => other.name === name)) {
    throw new Fault("streamLimit", `a stream named "${name}" is open`);
  }
  const alike = others.filter((other) => other.bidirectional === bidirectional).length;
  const most = bidirectional ? 1 : streamLimits.copies;
  if (alike >= most) throw new Fault("streamLimit", `the call has ${alike}`);
}

/** The streams of a call that are not over. */
export async function liveStreams(
  { accountSid, sid }: Pick<Call, "accountSid" | "sid">,
  { records }: Pick<Ports, "records">,
): Promise<Stream[]> {
  const where = [
    { field: "callSid", op: "equals" as const, value: sid },
    { field: "status", op: "equals" as const, value: "in-progress" },
  ];
  const query = { where, skip: 0, limit: streamLimits.copies * 4 };
  return (await records.streams.list(accountSid, query)).items;
}

function encodingOf(parameters: StreamOptions["parameters"]): StreamOrder["encoding"] {
  const asked = parameters[encodingParameter]?.replaceAll(" ", "").toLowerCase() ?? "audio/x-mulaw";
  if (Object.hasOwn(encodings, asked)) return encodings[asked as keyof typeof encodings];
  const known = Object.keys(encodings).join(", ");
  throw new Fault("badParameter", `Parameter ${encodingParameter} must be one of ${known}`);
}
