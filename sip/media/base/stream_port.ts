/** The part of the media port (`port.ts`) about audio streams: the audio of a leg over WebSocket. */

/** `inbound` is what the peer says, `outbound` what it hears. */
export type Track = "inbound" | "outbound";

/** Encoding on the wire: µ-law at 8 kHz, or 16-bit samples at 16 kHz, little-endian. */
export type StreamEncoding = "audio/x-mulaw" | "audio/l16";

/** One audio stream, in words that go to a Worker. */
export interface StreamSettings {
  /** `wss`; `ws` where private addresses may be reached. */
  url: string;
  /** Of the handshake, signatures among them. */
  headers: Readonly<Record<string, string>>;
  streamSid: string;
  accountSid: string;
  /** Whose share of look-ups the server's name takes, where that is an account above. */
  tenant?: string;
  callSid: string;
  tracks: readonly Track[];
  /** The server may send audio, marks and `clear`, and is told digits. */
  isBidirectional: boolean;
  encoding: StreamEncoding;
  parameters: Readonly<Record<string, string>>;
  /** Audio of the server that may wait to be played, in seconds. */
  queueS: number;
}

/** End of a stream: `stopped` by us, `closed` by the server, or `failed`. */
export type StreamEnd =
  & ({ how: "stopped" | "closed" } | {
    how: "failed";
    /** The fault, and what happened, in words. */
    fault: StreamFault;
    message: string;
  })
  /** Frames of the copy that were left out, since the server was slow. */
  & { lostFrames: number };

/** Problems of a stream that do not end it. */
export type StreamFault =
  /** The server cannot be reached, refuses the handshake, or is gone. */
  | "unreachable"
  /** It sends what is no message. */
  | "messages"
  /** It does not take the audio in time: frames are left out. */
  | "slow"
  /** It sends more audio than may wait: the rest is refused. */
  | "overflow";

/** Events of a stream; the end comes last, and once. */
export interface StreamEvents {
  /** The server has taken the WebSocket. */
  onOpen(): void;
  /** Something is wrong, and the stream goes on; once for each spell. */
  onProblem(fault: StreamFault, message: string): void;
  /** More frames of the copy were left out: all so far. At most once a second. */
  onLost(frames: number): void;
  onEnd(end: StreamEnd): void;
}

/** A stream that is open, or about to be. */
export interface MediaStream {
  /** Ends it, with a `stop` to the server; nothing when it has ended. */
  stop(): void;
}
