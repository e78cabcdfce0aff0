import { z } from "zod";
import { method } from "../../base/fields.ts";
import { conversationSettings, streamTrack } from "../../protocol/streams.ts";

/** Attributes of a Stream noun or request; the companion returns them when the step begins. */
export const streamOptions = z.object({
  kind: z.literal("stream"),
  url: z.string(),
  name: z.string().optional(),
  tracks: z.array(streamTrack).min(1),
  isBidirectional: z.boolean(),
  parameters: z.record(z.string(), z.string()),
  callback: z.object({ url: z.string(), method }).optional(),
});

export type StreamOptions = z.infer<typeof streamOptions>;

/** Attributes of a ConversationRelay noun, returned in the same way. */
export const conversationOptions = z.object({
  kind: z.literal("conversation"),
  url: z.string(),
  parameters: z.record(z.string(), z.string()),
  settings: conversationSettings,
});

export type ConversationOptions = z.infer<typeof conversationOptions>;

/** Names of `track` in markup and in requests. */
export const trackNames = ["inbound_track", "outbound_track", "both_tracks"] as const;

export type TrackName = typeof trackNames[number];

/** The tracks of a name. */
export const tracksOf: Readonly<Record<TrackName, StreamOptions["tracks"]>> = {
  inbound_track: ["inbound"],
  outbound_track: ["outbound"],
  both_tracks: ["inbound", "outbound"],
};

/** The name of tracks. */
export const trackNameOf = (tracks: StreamOptions["tracks"]): TrackName =>
  tracks.length > 1 ? "both_tracks" : tracks[0] === "outbound" ? "outbound_track" : "inbound_track";

/** Parameter by which a server requests another encoding, and its values. */
export const encodingParameter = "mediaFormat";
export const encodings = {
  "audio/x-mulaw": "audio/x-mulaw",
  "audio/x-mulaw;rate=8000": "audio/x-mulaw",
  "audio/l16;rate=16000": "audio/l16",
} as const;
