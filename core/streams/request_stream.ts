import { isTest } from "../accounts/access.ts";
import { streamLimits } from "../model/values/stream_limits.ts";
import { z } from "zod";
import { Fault } from "../base/faults.ts";
import { method, oneLine, url } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import { isSid } from "../base/sid.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { type Stream, streams } from "../model/resources/streams.ts";
import { trackNames, tracksOf } from "../model/values/stream_options.ts";
import { createStream, liveStreams } from "./create_stream.ts";
import { endStreams } from "./stream_events.ts";

/** Audio streams that requests start and stop. */

const parameterText = z.string().max(streamLimits.parameterLength);

/** The parameters that start a stream, but for those of its server. */
export const streamParams = z.object({
  url: z.string().max(limits.urlLength).describe(
    "URL of the WebSocket: wss, without a query.",
  ),
  name: oneLine(streamLimits.nameLength).describe(
    "Name by which the stream can be stopped; its Sid unless given.",
  ).optional(),
  track: z.enum(trackNames).describe(
    "Audio that is sent: inbound_track (default), outbound_track or both_tracks.",
  ).optional(),
  statusCallback: url.describe("URL of the status callback of the stream.").optional(),
  statusCallbackMethod: method.describe(
    "HTTP method of the request to StatusCallback: GET or POST (default).",
  ).optional(),
});

const numbers = Array.from({ length: streamLimits.parameters }, (_, at) => at + 1);
const names = (number: number) => [`Parameter${number}.Name`, `Parameter${number}.Value`] as const;

/** Names of the parameters for the server. */
export const parameterNames = numbers.flatMap(names);

/** All parameters that start a stream, `Parameter1.Name` and `Parameter1.Value` included. */
export const startParameters = {
  schema: streamParams.extend(
    Object.fromEntries(parameterNames.map((name) => [name, parameterText.optional()])),
  ),
  faults: { url: "badStreamUrl" },
} as const;

export const stopParams = z.object({
  status: z.enum(["stopped"]).describe("stopped ends the stream."),
});

/** The parameters for the server of a stream, by their names. */
function serverParameters(sent: Record<string, unknown>): Record<string, string> {
  const pairs = numbers.flatMap((number): [string, string][] => {
    const [name, value] = names(number).map((one) => sent[one]);
    if (name === undefined && value === undefined) return [];
    if (typeof name === "string" && name !== "") return [[name, String(value ?? "")]];
    throw new Fault("badParameter", `Parameter${number}.Value needs Parameter${number}.Name`);
  });
  return Object.fromEntries(pairs);
}

/**
 * Starts a stream of a call in progress. Throws `notFound`, `callEnded`, `notModifiable`, and
 * `badParameter` for a call of a test account.
 */
export async function startStream(
  named: { accountSid: string; callSid: string },
  sent: Record<string, unknown>,
  ports: Ports,
): Promise<Stream> {
  const call = await callInProgress(named, ports);
  const account = await ports.accounts.get(named.accountSid);
  if (account !== null && isTest(account)) {
    throw new Fault("badParameter", "the calls of a test account have no audio to stream");
  }
  const { url, name, track = "inbound_track", ...rest } = streamParams.parse(sent);
  const { statusCallback, statusCallbackMethod = "POST" } = rest;
  const { stream, order } = await createStream(
    {
      kind: "stream",
      url,
      ...name !== undefined && { name },
      tracks: tracksOf[track],
      isBidirectional: false,
      parameters: serverParameters(sent),
      ...statusCallback && { callback: { url: statusCallback, method: statusCallbackMethod } },
    },
    { call },
    ports,
  );
  const isDone = await ports.control.stream(
    { leg: call.sid, order: { type: "start", stream: order } },
    call.companion,
  );
  if (isDone) return stream;
  await endStreams(call, ports.now(), ports);
  throw new Fault("callEnded", "It ended at this moment");
}

/** Ends a stream by its Sid or its name; nothing where it has ended. Throws `notFound`. */
export async function stopStream(
  { accountSid, callSid, stream }: { accountSid: string; callSid: string; stream: string },
  ports: Ports,
): Promise<Stream> {
  const found = await findStream({ accountSid, callSid, stream }, ports);
  if (found === null) throw new Fault("notFound", stream);
  if (found.status === "stopped") return found;
  const call = await ports.records.calls.get(accountSid, callSid);
  if (call?.companion) {
    const order = { type: "stop", sid: found.sid } as const;
    await ports.control.stream({ leg: callSid, order }, call.companion);
  }
  // The companion reports the end; later reports change nothing.
  return { ...found, status: "stopped" };
}

/** A stream of a call by its Sid, or one that is open by its name. */
export async function findStream(
  { accountSid, callSid, stream }: { accountSid: string; callSid: string; stream: string },
  ports: Pick<Ports, "records">,
): Promise<Stream | null> {
  if (isSid(stream, streams.sidPrefix)) {
    const found = await ports.records.streams.get(accountSid, stream);
    return found?.callSid === callSid ? found : null;
  }
  const open = await liveStreams({ accountSid, sid: callSid }, ports);
  return open.find(({ name }) => name === stream) ?? null;
}

async function callInProgress(
  { accountSid, callSid }: { accountSid: string; callSid: string },
  { records }: Ports,
): Promise<Call & { companion: NonNullable<Call["companion"]> }> {
  const call = await records.calls.get(accountSid, callSid);
  if (call === null) throw new Fault("notFound", callSid);
  const { status, companion } = call;
  if (status === "in-progress" && companion !== null) return { ...call, companion };
  if (["queued", "ringing", "in-progress"].includes(status)) {
    throw new Fault("notModifiable", `Status is ${status}, and a stream needs in-progress`);
  }
  throw new Fault("callEnded", `Status is ${status}`);
}
