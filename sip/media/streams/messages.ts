import { Buffer } from "node:buffer";
import { asWritten } from "../../../core/base/written_number.ts";
import { hasMoreValues } from "../../../core/base/json_size.ts";
import type { StreamSettings, Track } from "../base/stream_port.ts";

/**
 * The messages of an audio stream, each a JSON text. Every message of ours but the first has the Sid
 * of the stream and a number, which counts from "1".
 */

/** Values of a message of the server: none that has a meaning needs ten. */
const mostValues = 1_000;

/** A message of the server that has a meaning. */
export type ServerMessage =
  | { event: "media"; audio: Uint8Array<ArrayBuffer> }
  | { event: "mark"; name: string }
  | { event: "clear" };

/** The first message. */
export const connectedText = JSON.stringify({
  event: "connected",
  protocol: "Call",
  version: "1.0.0",
});

/** Writes the messages after the first one. */
export interface MessageWriter {
  start(): string;
  media(frame: Frame): string;
  dtmf(digit: string): string;
  mark(name: string): string;
  stop(): string;
}

/** 20 ms of a track. */
export interface Frame {
  track: Track;
  /** Counts the frames of a track from 1. */
  chunk: number;
  audio: Uint8Array;
}

export function createMessageWriter(settings: StreamSettings): MessageWriter {
  const { streamSid, accountSid, callSid } = settings;
  let last = 0;
  const write = (event: string, content: Record<string, unknown>) =>
    JSON.stringify({ event, sequenceNumber: String(++last), ...content, streamSid });
  return {
    start: () =>
      write("start", {
        start: {
          streamSid,
          accountSid,
          callSid,
          tracks: settings.tracks,
          customParameters: settings.parameters,
          mediaFormat: {
            encoding: settings.encoding,
            sampleRate: settings.encoding === "audio/l16" ? 16_000 : 8_000,
            channels: 1,
          },
        },
      }),
    // There are fifty in a second: of known texts, which need no escapes.
    media: ({ track, chunk, audio }) =>
      `{"event":"media","sequenceNumber":"${++last}","media":{"track":"${track}","chunk":"${chunk}",` +
      `"timestamp":"${chunk * 20}","payload":"${base64(audio)}"},"streamSid":"${streamSid}"}`,
    dtmf: (digit) => write("dtmf", { dtmf: { track: "inbound_track", digit } }),
    mark: (name) => write("mark", { mark: { name } }),
    stop: () => write("stop", { stop: { accountSid, callSid } }),
  };
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/**
 * Reads a message of the server: null for one without a meaning. Throws an Error that says why a message
 * cannot be used.
 */
export function readMessage(text: string): ServerMessage | null {
  if (hasMoreValues(text, mostValues)) throw new Error("it has too many values");
  const message = parsed(text);
  if (!isObject(message)) throw new Error("it is no JSON object");
  switch (message.event) {
    case "media": {
      const { payload } = objectIn(message, "media");
      if (typeof payload !== "string") throw new Error("its media has no payload");
      return { event: "media", audio: audioOf(payload) };
    }
    case "mark": {
      const { name } = objectIn(message, "mark");
      if (typeof name === "number") return { event: "mark", name: writtenName(text) };
      if (typeof name !== "string") throw new Error("its mark has no name");
      return { event: "mark", name };
    }
    case "clear":
      return { event: "clear" };
    default:
      return null;
  }
}

/** The bytes of a message that comes fifty times a second. */
export const packMessage = (message: ServerMessage): Uint8Array | undefined =>
  message.event === "media" ? message.audio : undefined;

export const unpackMessage = (audio: Uint8Array<ArrayBuffer>): ServerMessage => ({
  event: "media",
  audio,
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is no JSON");
  }
}

function audioOf(payload: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(payload);
  } catch {
    throw new Error("its payload is no base64");
  }
}

/** The name of a mark whose name is a number, by the digits that the server wrote. */
function writtenName(text: string): string {
  const { mark: { name } } = JSON.parse(text, asWritten);
  return name;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectIn(message: Record<string, unknown>, name: string): Record<string, unknown> {
  const found = message[name];
  if (!isObject(found)) throw new Error(`it has no ${name}`);
  return found;
}
