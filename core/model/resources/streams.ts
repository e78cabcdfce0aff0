import { z } from "zod";
import { method, reference, url } from "../../base/fields.ts";
import { trackNames } from "../values/stream_options.ts";
import { type RecordOf, resource } from "../resource.ts";

/** The audio of a call over a WebSocket to a customer's server. */
export const streams = resource({
  type: "Stream",
  description: "An audio stream: the audio of a call over a WebSocket to a server of the customer.",
  path: "Streams",
  sidPrefix: "MZ",
  fields: {
    callSid: reference("CA").describe("Sid of the Call."),
    name: z.string().describe("Name of the stream; its Sid where it was given none."),
    status: z.enum(["in-progress", "stopped"]).describe(
      "Status of the stream: in-progress from its start, then stopped.",
    ),
    track: z.enum(trackNames).describe(
      "Audio that is sent: inbound_track (the caller's), outbound_track (what the caller hears) or both_tracks.",
    ),
    bidirectional: z.boolean().describe(
      "Whether the server sends audio to the call: true of Connect, false of Start.",
    ),
    url: z.string().describe("URL of the WebSocket, without credentials."),
    error: z.string().nullable().describe("Last error of the stream, null without one."),
    lostFrames: z.number().int().nonnegative().describe(
      "Frames of 20 ms that were left out because the server was slow.",
    ),
    apiVersion: z.string().describe("Version of the interface, always a date such as 2012-04-24."),
    statusCallback: z.object({ url, method }).nullable(),
    /** State that the companion has reported. */
    reports: z.number().int().nonnegative(),
    isStarted: z.boolean(),
  },
  hidden: ["statusCallback", "reports", "isStarted"],
  filters: { callSid: "equals", status: "equals", name: "equals" },
  period: { start: "dateCreated", end: "dateUpdated" },
  paged: true,
});

export type Stream = RecordOf<typeof streams>;
