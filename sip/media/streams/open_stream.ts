import { mediaLimits } from "../base/limits.ts";
import type { Pcm } from "../base/port.ts";
import type {
  MediaStream,
  StreamEnd,
  StreamEvents,
  StreamFault,
  StreamSettings,
  Track,
} from "../base/stream_port.ts";
import { type Coding, codings } from "./coding.ts";
import { createLiveness, type Liveness } from "../server_socket/liveness.ts";
import {
  connectedText,
  createMessageWriter,
  type MessageWriter,
  type ServerMessage,
} from "./messages.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createPlayback, type Playback } from "./playback.ts";
import type { ServerSockets } from "../server_socket/server_sockets.ts";
import {
  type Closing,
  floodMessage,
  heldMessage,
  type ServerSocket,
} from "../server_socket/socket.ts";

/*
 * Audio streams. Frames leave without a jitter buffer (`track.ts`): that of a leg waits 60 ms at first and
 * 20 to 40 ms later, so that a phone hears an even sound, and a server keeps time by counting frames. Up to
 * two packets wait for one that is missing, which is then concealed. After 60 ms without a packet silence
 * stands for the time. Sound that is more than 200 ms ahead of the clock after a pause of the network is
 * left out where it is quiet.
 *
 * 10 s of a slow server's copy wait, and `STREAM_QUEUE_S` (120 s, 0.96 MB) of audio to be played. Speech
 * models send an answer in a fraction of the time in which it is spoken: with 10 s, an answer of half a
 * minute would lose its end. Back-pressure is no way out, since `clear` would wait behind the audio that it
 * is to drop. What is beyond is refused and reported.
 *
 * An inexact message ends nothing: it is left out, and the first one is reported (31951), as at Twilio.
 * Before, the third one ended the stream: OpenAI's demo for Twilio sends a mark without a name after each
 * piece of audio, and callers heard a second of it. A flood of such messages is one of frames, which
 * `core/base/frame_gate.ts` bounds.
 */

/**
 * Needs of a stream of the leg whose audio it carries, at the rate of its encoding. Each result ends
 * it.
 */
export interface StreamedLeg {
  /** Hands on the frames of a track, as soon as each is complete. */
  tap(track: Track, onFrame: (frame: Pcm) => void): () => void;
  /** Sends what the source has, a frame at each tick at which it has one. */
  playFrom(source: () => Pcm | undefined): () => void;
  onDigits(listener: (digit: string) => void): () => void;
  /** Calls back every 20 ms. */
  onTick(listener: () => void): () => void;
  /** In ms. */
  now(): number;
}

interface State {
  settings: StreamSettings;
  events: StreamEvents;
  leg: StreamedLeg;
  socket: ServerSocket;
  writer: MessageWriter;
  coding: Coding;
  outbox: Outbox;
  liveness: Liveness;
  playback: Playback;
  /** End what is taken from the leg. */
  stops: (() => void)[];
  isOpen: boolean;
  isOver: boolean;
  hasWarned: boolean;
  isSlow: boolean;
  isRefusing: boolean;
  isHeld: boolean;
  lostBefore: number;
  /** Of the lost frames, those that were told, and when. */
  told: { lost: number; at: number };
}

/** Opens the WebSocket of a stream, and carries audio by it until it ends. */
export function openStream(
  leg: StreamedLeg,
  { settings, events, sockets }: {
    settings: StreamSettings;
    events: StreamEvents;
    sockets: ServerSockets<ServerMessage>;
  },
): MediaStream {
  const { url, headers, tenant = settings.accountSid, streamSid: sid, isBidirectional } = settings;
  // A copy goes one way.
  const socket = sockets.open({ url, headers, tenant, sid, isHeard: isBidirectional }, {
    onOpen: () => begin(state),
    onMessage: (message) => take(state, message),
    onBadMessage: (why, shown) => warn(state, why, shown),
    onPong: () => state.liveness.onPong(),
    onClose: (closing) => settle(state, closing),
  });
  const writer = createMessageWriter(settings);
  const coding = codings[settings.encoding];
  const state: State = {
    settings,
    events,
    leg,
    socket,
    writer,
    coding,
    liveness: createLiveness({
      ping: socket.ping,
      isHeld: () => socket.heldMs > 0,
      now: leg.now,
    }),
    outbox: createOutbox({
      tracks: settings.tracks.length,
      isReady: () => isReady(state),
      sendText: socket.send,
      write: writer.media,
    }),
    playback: createPlayback({
      frameBytes: coding.frameBytes,
      mostBytes: settings.queueS * 50 * coding.frameBytes,
      mostMarks: mediaLimits.streamMarks,
      silence: coding.silence,
      onMark: (name) => send(state, () => writer.mark(name)),
    }),
    stops: [],
    isOpen: false,
    isOver: false,
    hasWarned: false,
    isSlow: false,
    isRefusing: false,
    isHeld: false,
    lostBefore: 0,
    told: { lost: 0, at: leg.now() },
  };
  return { stop: () => stop(state) };
}

/** True where the server takes what it is sent: else its copy waits here, where it can be shortened. */
function isReady({ socket, liveness, settings }: State): boolean {
  if (socket.unsentBytes > mediaLimits.streamUnsentBytes) return false;
  return settings.isBidirectional || liveness.silentMs < mediaLimits.streamSlowMs;
}

function begin(state: State): void {
  const { leg, settings, writer, socket, playback, coding } = state;
  if (state.isOver) return;
  state.isOpen = true;
  state.events.onOpen();
  socket.send(connectedText);
  socket.send(writer.start());
  state.stops = [
    ...settings.tracks.map((track) => {
      let chunk = 0;
      return leg.tap(track, (frame) => {
        state.outbox.frame({ track, chunk: ++chunk, audio: coding.encode(frame) });
      });
    }),
    leg.onTick(() => watch(state)),
  ];
  if (!settings.isBidirectional) return;
  state.stops.push(
    leg.onDigits((digit) => send(state, () => writer.dtmf(digit))),
    leg.playFrom(() => {
      socket.receive();
      const frame = playback.next();
      return frame && coding.decode(frame);
    }),
  );
}

/** Work of each tick: pings, waiting messages, and the check of the server. */
function watch(state: State): void {
  const { liveness, outbox, settings } = state;
  state.socket.receive();
  liveness.tick();
  outbox.flush();
  if (checkPace(state)) return;
  const { streamSilentMs, streamCopySilentMs } = mediaLimits;
  const most = settings.isBidirectional ? streamSilentMs : streamCopySilentMs;
  if (liveness.silentMs >= most) {
    return fail(state, "unreachable", `the server does not answer pings for ${most / 1_000} s`);
  }
  const isLosing = outbox.lost > state.lostBefore;
  state.lostBefore = outbox.lost;
  tellLost(state);
  if (isLosing && !state.isSlow) problem(state, "slow", "the server is slow: frames are left out");
  // A spell of losses is over when the server takes all again.
  state.isSlow = isLosing || state.isSlow && !isReady(state);
}

/** Tells of a server that sends too much, once for each spell; true where that has ended its stream. */
function checkPace(state: State): boolean {
  const { heldMs } = state.socket;
  if (heldMs >= mediaLimits.streamFloodMs) {
    fail(state, "messages", floodMessage);
    return true;
  }
  if (heldMs > 0 && !state.isHeld) problem(state, "overflow", heldMessage);
  state.isHeld = heldMs > 0;
  return false;
}

function tellLost({ outbox: { lost }, told, events, leg }: State): void {
  if (lost === told.lost || leg.now() - told.at < mediaLimits.streamLostMs) return;
  Object.assign(told, { lost, at: leg.now() });
  events.onLost(lost);
}

function send(state: State, write: () => string): void {
  if (!state.isOpen || state.isOver) return;
  if (!state.outbox.send(write)) {
    fail(state, "slow", "the server takes no messages any more");
  }
}

function take(state: State, message: ServerMessage): void {
  if (state.isOver) return;
  const { playback } = state;
  if (message.event === "clear") return playback.clear();
  const isTaken = message.event === "mark"
    ? playback.mark(message.name)
    : push(state, message.audio);
  if (isTaken) state.isRefusing = false;
  else refuse(state);
}

/** Tells once that a text was no message. */
function warn(state: State, why: string, shown: string): void {
  if (state.isOver || state.hasWarned) return;
  state.hasWarned = true;
  problem(state, "messages", `a message of the server was left out: ${why}: ${shown}`);
}

function push({ playback, coding }: State, audio: Uint8Array<ArrayBuffer>): boolean {
  // Half a sample would turn all that follows into noise.
  const whole = audio.length - audio.length % coding.sampleBytes;
  return playback.push(audio.subarray(0, whole));
}

function refuse(state: State): void {
  if (state.isRefusing) return;
  state.isRefusing = true;
  const { queueS } = state.settings;
  problem(
    state,
    "overflow",
    `more than ${queueS} s of audio, or too many marks, wait to be played`,
  );
}

function problem({ events }: State, fault: StreamFault, message: string): void {
  events.onProblem(fault, message);
}

function fail(state: State, fault: StreamFault, message: string): void {
  if (state.isOver) return;
  if (fault === "messages") state.socket.close();
  else state.socket.destroy();
  end(state, { how: "failed", fault, message, lostFrames: state.outbox.lost });
}

function stop(state: State): void {
  if (state.isOver) return;
  state.outbox.flush();
  if (state.isOpen) state.socket.send(state.writer.stop());
  state.socket.close();
  end(state, { how: "stopped", lostFrames: state.outbox.lost });
}

/** The socket was closed by the server, or was never open. */
function settle(state: State, { isGoodbye, why, fault = "unreachable" }: Closing): void {
  const { lost: lostFrames } = state.outbox;
  end(
    state,
    isGoodbye ? { how: "closed", lostFrames } : { how: "failed", fault, message: why, lostFrames },
  );
}

function end(state: State, ending: StreamEnd): void {
  if (state.isOver) return;
  state.isOver = true;
  for (const stop of state.stops) stop();
  state.stops = [];
  state.events.onEnd(ending);
}
