import { steadyNow } from "../../core/base/steady_clock.ts";
import {
  type PauseBehavior,
  type Recorded,
  recordedSeconds,
  type RecordingChange,
  recordingLimits,
  type RecordingOrder,
  type RecordingPart,
} from "../../core/protocol/recordings.ts";
import { sipLimits } from "../base/limits.ts";
import type { Pcm } from "../media/mod.ts";
import type { Log } from "../base/log.ts";
import type { Timers } from "../base/timers.ts";
import { ServiceError, type ServiceLink } from "./service_link.ts";

/** Order of a recording for a leg. */
export interface NewRecording {
  recording: RecordingOrder;
  leg: string;
  channels: 1 | 2;
}

/**
 * A recording under way. Nothing here throws. Samples come in pieces of up to 0.5 s: a pause begins with
 * the piece that is being filled, and ends after the one that is.
 */
export interface RecordingSink {
  /** The next samples, those of several channels interleaved. */
  write(samples: Pcm): void;
  /**
   * No more come. Resolves with what was recorded when the service has it, or is out of reach for
   * `sipLimits.recordingSettleMs`: then it comes later. Null for nothing.
   */
  end(): Promise<Recorded | null>;
  /** As if it had never been. */
  discard(): void;
  /** Resolves when the service has stopped it: nothing more is taken. */
  readonly stopped: Promise<void>;
}

/**
 * Sends recordings to the service in parts while they are made. Parts wait while the service is out of
 * reach, up to `sipLimits.recordingHeldBytes` of each recording; beyond that it is cut off there.
 */
export interface Recordings {
  open(recording: NewRecording): RecordingSink;
  /** Pauses, resumes or stops a recording that is being made; false where it is not made here. */
  change(change: RecordingChange): boolean;
  /** Resolves when all that ended is delivered or given up. */
  drained(): Promise<void>;
}

export interface RecordingsOptions {
  link: Pick<ServiceLink, "recordingPart">;
  timers: Timers;
  log: Log;
  /** Aborts when the companion is about to stop: no attempt waits long any more. */
  stopping: AbortSignal;
  /** Aborts when it stops: what is undelivered then stays so. */
  stopped: AbortSignal;
}

interface Piece {
  at: number;
  bytes: Uint8Array;
  end?: RecordingPart["end"];
}

/** State of a recording; the functions below are its only users. */
interface State extends NewRecording {
  /** Bytes of samples taken. */
  taken: number;
  buffer: Uint8Array;
  filled: number;
  pieces: Piece[];
  held: number;
  sending: Promise<void> | undefined;
  /** Sound was lost: nothing more is taken. */
  isCut: boolean;
  /** The service does not want it. */
  isRefused: boolean;
  endedAt: number | undefined;
  /** Treatment of the samples while it is paused. */
  paused: PauseBehavior | undefined;
  /** It goes on after the piece that is being filled, which has audio of the pause. */
  isResuming: boolean;
  stopped: PromiseWithResolvers<void>;
}

interface Shared extends RecordingsOptions {
  /** Bytes of all recordings that wait. */
  held: number;
  open: Set<Promise<void>>;
  /** Those that are being made, by Sid. */
  live: Map<string, State>;
}

export function createRecordings(options: RecordingsOptions): Recordings {
  const shared: Shared = { ...options, held: 0, open: new Set(), live: new Map() };
  return {
    open(recording) {
      const state: State = {
        ...recording,
        taken: 0,
        buffer: new Uint8Array(recordingLimits.partBytes),
        filled: 0,
        pieces: [],
        held: 0,
        sending: undefined,
        isCut: false,
        isRefused: false,
        endedAt: undefined,
        paused: undefined,
        isResuming: false,
        stopped: Promise.withResolvers(),
      };
      shared.live.set(recording.recording.sid, state);
      return {
        stopped: state.stopped.promise,
        write: (samples) => write(shared, state, samples),
        end: () => end(shared, state),
        discard: () => discard(shared, state),
      };
    },
    change: (order) => change(shared, order),
    drained: async () => void await Promise.all(shared.open),
  };
}

function change(shared: Shared, order: RecordingChange): boolean {
  const state = shared.live.get(order.sid);
  if (state === undefined) return false;
  if (order.type === "pause") state.paused = order.behavior;
  state.isResuming = order.type === "resume";
  if (order.type !== "stop") return true;
  void end(shared, state);
  state.stopped.resolve();
  return true;
}

/** All of one piece arrives in one turn of the event loop. */
function resume(state: State): void {
  queueMicrotask(() => {
    if (state.isResuming) state.paused = undefined;
    state.isResuming = false;
  });
}

function write(shared: Shared, state: State, heard: Pcm): void {
  if (state.isResuming) resume(state);
  if (state.paused === "skip") return;
  const samples = state.paused === "silence" ? new Int16Array(heard.length) : heard;
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  for (let from = 0; from < bytes.length;) {
    if (state.isCut || state.isRefused || state.endedAt !== undefined) return;
    const { firstPartBytes, partBytes } = recordingLimits;
    const most = state.taken === state.filled ? firstPartBytes : partBytes;
    const some = bytes.subarray(from, from + most - state.filled);
    state.buffer.set(some, state.filled);
    state.filled += some.length;
    state.taken += some.length;
    from += some.length;
    if (state.filled === most) flush(shared, state);
  }
}

/** Hands the buffer over to be sent, or drops it where too much waits. */
function flush(shared: Shared, state: State, end?: Piece["end"]): void {
  const { recordingHeldBytes, recordingsHeldBytes } = sipLimits;
  const isTooMuch = state.held + state.filled > recordingHeldBytes ||
    shared.held + state.filled > recordingsHeldBytes;
  if (isTooMuch && state.filled > 0) {
    shared.log("Cut off a recording", { recording: state.recording.sid, bytes: state.taken });
    state.isCut = true;
    state.taken -= state.filled;
    state.filled = 0;
    if (end === "whole") end = "cut";
  }
  const bytes = state.buffer.slice(0, state.filled);
  state.filled = 0;
  if (bytes.length === 0 && end === undefined) return;
  state.pieces.push({ at: state.taken - bytes.length, bytes, ...end && { end } });
  hold(shared, state, bytes.length);
  if (state.sending !== undefined) return;
  const sending = send(shared, state).then(() => void shared.open.delete(sending));
  state.sending = sending;
  shared.open.add(sending);
}

function hold(shared: Shared, state: State, bytes: number): void {
  state.held += bytes;
  shared.held += bytes;
}

async function end(shared: Shared, state: State): Promise<Recorded | null> {
  if (state.endedAt === undefined) {
    state.endedAt = steadyNow();
    shared.live.delete(state.recording.sid);
    if (state.taken > 0 || state.recording.isKnown) {
      flush(shared, state, state.isCut ? "cut" : "whole");
    }
  }
  const patience = new AbortController();
  const late = shared.timers.pause(sipLimits.recordingSettleMs, patience.signal);
  await Promise.race([state.sending, late]);
  patience.abort();
  const { taken, isRefused, recording: { sid }, channels } = state;
  return taken === 0 || isRefused ? null : { sid, durationS: recordedSeconds(taken, channels) };
}

function discard(shared: Shared, state: State): void {
  if (state.endedAt !== undefined) return;
  state.endedAt = steadyNow();
  shared.live.delete(state.recording.sid);
  const isTold = state.taken > state.filled || state.recording.isAbsenceTold === true;
  state.taken -= state.filled;
  state.filled = 0;
  // Waiting parts are dropped; the part that is being sent comes before this.
  const dropped = state.pieces.splice(1);
  for (const { bytes } of dropped) hold(shared, state, -bytes.length);
  if (isTold) flush(shared, state, "discard");
}

/** Sends piece after piece, each until the service has it or will never have it. */
async function send(shared: Shared, state: State): Promise<void> {
  const { recording, leg, channels } = state;
  for (let piece = state.pieces[0]; piece !== undefined; piece = state.pieces[0]) {
    const { at, bytes, end } = piece;
    const data = bytes.toBase64();
    const part = { recording, leg, channels, at, data, ...end && { end } };
    if (!await deliver(shared, state, part)) state.isRefused = true;
    const done = state.isRefused ? state.pieces.splice(0) : state.pieces.splice(0, 1);
    for (const { bytes } of done) hold(shared, state, -bytes.length);
  }
  state.sending = undefined; // At once: what comes next begins anew.
}

/** False when the service does not want the part, or has not taken it for too long. */
async function deliver(shared: Shared, state: State, part: RecordingPart): Promise<boolean> {
  const { link, log, stopped } = shared;
  let defects = 0;
  for (let attempt = 0; !stopped.aborted; attempt++) {
    try {
      return (await link.recordingPart(part)).isWanted;
    } catch (error) {
      const failure = error instanceof ServiceError ? error.failure : "outage";
      if (failure === "defect") defects++;
      const { endedAt = Infinity } = state;
      const isLate = steadyNow() - endedAt > sipLimits.recordingGiveUpMs;
      if (failure === "refusal" || defects === sipLimits.reportDefects || isLate) {
        const { sid } = part.recording;
        log("Dropped a recording", { recording: sid, at: part.at, error: String(error) });
        return false;
      }
      await rest(shared, attempt);
    }
  }
  return false;
}

async function rest({ timers, stopping, stopped }: Shared, attempt: number): Promise<void> {
  const { retryMinMs, retryMaxMs } = sipLimits;
  const ms = Math.min(retryMinMs * 2 ** Math.min(attempt, 10), retryMaxMs);
  const isStopping = stopping.aborted;
  await timers.pause(isStopping ? retryMinMs : ms, isStopping ? stopped : stopping);
}
