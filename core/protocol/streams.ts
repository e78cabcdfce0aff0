import { z } from "zod";
import { action } from "./action.ts";

/**
 * The part of the call-control protocol (`companion.ts`) about audio streams: the audio of a leg over
 * a WebSocket to a customer's server. The service decides on the server, and signs the handshake; the
 * companion opens the WebSocket, as it has the audio.
 */

export const streamSid = z.string().regex(/^MZ[0-9a-f]{32}$/);

export const streamTrack = z.enum(["inbound", "outbound"]);

/** One stream of a leg. */
export const streamOrder = z.object({
  sid: streamSid,
  accountSid: z.string(),
  /** By which it is stopped; no other open stream of the leg has it. */
  name: z.string(),
  /** `wss`, or `ws` where private addresses are allowed. */
  url: z.string(),
  /** The headers of the handshake, signatures among them. */
  headers: z.record(z.string(), z.string()),
  tracks: z.array(streamTrack).min(1),
  /** The server may send audio, and is told digits. */
  isBidirectional: z.boolean(),
  encoding: z.enum(["audio/x-mulaw", "audio/l16"]),
  parameters: z.record(z.string(), z.string()),
  /** Seconds of audio of the server that may wait to be played. */
  queueS: z.number().positive(),
});

/**
 * Opens a stream once the leg is answered. One of both ways lasts until it ends; beside any other the
 * script goes on.
 */
export const streamStep = z.object({
  type: z.literal("stream"),
  stream: streamOrder,
  action: action.optional(),
});

/** Ends the stream of this name. */
export const stopStreamStep = z.object({ type: z.literal("stopStream"), name: z.string() });

/** What may be wrong with a stream; `limit`: the leg has too many, or one of this name. */
export const streamFault = z.enum(["unreachable", "messages", "slow", "overflow", "limit"]);

/** What became of a stream. Its end comes last, and once. */
export const streamNews = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("started") }),
  z.object({ kind: z.literal("problem"), fault: streamFault, message: z.string() }),
  z.object({
    kind: z.literal("ended"),
    /** `stopped` by us, `closed` by the server. */
    how: z.enum(["stopped", "closed", "failed"]),
    fault: streamFault.optional(),
    message: z.string().optional(),
    /** Frames that were left out, since the server was slow. */
    lostFrames: z.number().int().nonnegative(),
  }),
]);

/** `seq` counts what is told of a stream from 0. */
export const streamEvent = z.object({
  type: z.literal("stream"),
  sid: streamSid,
  seq: z.number().int().nonnegative(),
  news: streamNews,
});

/** A stream that the script waited for has ended. Answered with the script at the action. */
export const streamedEvent = z.object({ type: z.literal("streamed"), sid: streamSid, action });

/** Has a leg open a stream, or end the one with a Sid, whatever step it performs. */
export const streamRequest = z.object({
  leg: z.string().regex(/^CA[0-9a-f]{32}$/),
  order: z.discriminatedUnion("type", [
    z.object({ type: z.literal("start"), stream: streamOrder }),
    z.object({ type: z.literal("stop"), sid: streamSid }),
  ]),
});

/** False: the leg is not there. */
export const streamAnswer = z.object({ isDone: z.boolean() });

export type StreamOrder = z.infer<typeof streamOrder>;
export type StreamStep = z.infer<typeof streamStep>;
export type StreamNews = z.infer<typeof streamNews>;
export type StreamEvent = z.infer<typeof streamEvent>;
export type StreamRequest = z.infer<typeof streamRequest>;
