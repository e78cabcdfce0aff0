import {
  FRAME_SAMPLES,
  MediaShortage,
  NoCommonCodec,
  type Pcm,
  type Received,
  type WriteSamples,
} from "../base/port.ts";
import { ShortLivedMap } from "../../../core/base/short_lived_map.ts";
import type { StreamEvents } from "../base/stream_port.ts";
import { createSentSounds } from "./sent_sounds.ts";
import type { MessageEnd } from "../base/batched_end.ts";
import type { Order, Report, SentError, SentSound, Start } from "./wire.ts";

type Numberless<O> = O extends { task: number } ? Omit<O, "task"> : never;

/** An order that begins a task, which gets its number here. */
export type Task = Numberless<Start | Exclude<Order, { type: "stop" }>>;

/** The events of a leg, sent by its engine. */
export interface LegEvents {
  connected(): void;
  unconnected(error: Error): void;
  lost(why: string): void;
  quiet(ms: number): void;
  unknownSource(address: string): void;
  digit(digit: string): void;
}

/** The main thread's side of the way to an engine elsewhere. */
export interface EngineLink {
  /** A number that nothing else has. */
  next(): number;
  post(order: Order): void;
  /** Resolves with what the task brings; rejects when it fails, and when the engine is gone. */
  request(task: Task): Promise<string>;
  /**
   * Resolves at the end of the task, also when the engine is gone, and at once when the signal
   * aborts, which stops it; rejects when it fails.
   */
  perform(task: Task, signal: AbortSignal): Promise<void>;
  /** Begins a task that goes on until the result is called; that resolves when it is over. */
  begin(task: Task, write?: WriteSamples): () => Promise<void>;
  /** A sound as it is sent. */
  sound(pcm: Pcm): SentSound;
  /** The receivers of events, by the number of the leg. */
  readonly legs: Map<number, LegEvents>;
  /** The receivers of frames, by the number of the tap. */
  readonly taps: Map<number, (frame: Pcm) => void>;
  /** The receivers of what streams tell, by their numbers. */
  readonly streams: Map<number, StreamEvents>;
  /** The engine is gone, for this reason: its legs are lost, and every task is over. */
  end(why: string): void;
}

/** Writes a line of the log. */
export type Log = (line: string, fields?: Record<string, unknown>) => void;

/** Listeners to reports of an engine that are about no leg. */
export interface Hearers {
  log: Log;
  onReceived?: ((received: Received) => void) | undefined;
  /** A Worker that reads what servers of streams send may hang for ever. */
  onStuck?: (() => void) | undefined;
}

interface Running {
  over: PromiseWithResolvers<string>;
  /** Takes what it records. */
  write: WriteSamples | undefined;
}

/** State of a link; the functions below are its only users. */
interface State {
  end: MessageEnd<Order | Start, Report>;
  hearers: Hearers;
  tasks: Map<number, Running>;
  legs: EngineLink["legs"];
  taps: EngineLink["taps"];
  streams: EngineLink["streams"];
  last: number;
  /** Why there is no engine any more. */
  gone: string | undefined;
}

/** The link by one end of a channel; `serveEngine` is at the other. */
export function createEngineLink(
  end: MessageEnd<Order | Start, Report>,
  hearers: Hearers,
): EngineLink {
  const state: State = {
    end,
    hearers,
    tasks: new ShortLivedMap(),
    legs: new ShortLivedMap(),
    taps: new ShortLivedMap(),
    streams: new ShortLivedMap(),
    last: 0,
    gone: undefined,
  };
  end.onmessage = ({ data }) => heed(state, data);
  const next = () => ++state.last;
  const sound = createSentSounds(next, (sound) => post(state, { type: "forgetSound", sound }));
  return {
    next,
    post: (order) => post(state, order),
    request: (task) => begin(state, next(), task),
    perform: (task, signal) => perform(state, next(), { task, signal }),
    begin(task, write) {
      const id = next();
      const over = begin(state, id, task, write).then(() => {}, () => {});
      return () => {
        post(state, { type: "stop", task: id });
        return over;
      };
    },
    sound,
    legs: state.legs,
    taps: state.taps,
    streams: state.streams,
    end: (why) => endLink(state, why),
  };
}

function post({ end, gone }: State, order: Order | Start): void {
  if (gone === undefined) end.postMessage(order, []);
}

function begin(state: State, id: number, task: Task, write?: WriteSamples): Promise<string> {
  const over = Promise.withResolvers<string>();
  if (state.gone !== undefined) over.reject(new EngineGone(state.gone));
  else state.tasks.set(id, { over, write });
  post(state, { ...task, task: id });
  return over.promise;
}

function perform(
  state: State,
  id: number,
  { task, signal }: { task: Task; signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => {
    post(state, { type: "stop", task: id });
    resolve();
  };
  begin(state, id, task).then(() => {}, (error) => {
    if (!(error instanceof EngineGone)) throw error;
  }).finally(() => signal.removeEventListener("abort", stop)).then(resolve, reject);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}

function heed({ end, tasks, legs, taps, streams, hearers }: State, report: Report): void {
  switch (report.type) {
    case "done":
      tasks.get(report.task)?.over.resolve(report.value ?? "");
      return void tasks.delete(report.task);
    case "failed":
      tasks.get(report.task)?.over.reject(errorOf(report.error));
      return void tasks.delete(report.task);
    case "recorded":
      return tasks.get(report.task)?.write?.(report.samples);
    case "connected":
      return legs.get(report.leg)?.connected();
    case "unconnected":
      return legs.get(report.leg)?.unconnected(errorOf(report.error));
    case "lost":
      return legs.get(report.leg)?.lost(report.why);
    case "quiet":
      return legs.get(report.leg)?.quiet(report.ms);
    case "unknownSource":
      return legs.get(report.leg)?.unknownSource(report.address);
    case "digit":
      return legs.get(report.leg)?.digit(report.digit);
    case "heard":
      handOut(taps, report);
      // Memory that came and was left to the garbage collector would have it stop all at each second.
      return end.postMessage({ type: "spent", samples: report.samples }, [report.samples.buffer]);
    case "streamOpen":
      return streams.get(report.stream)?.onOpen();
    case "streamProblem":
      return streams.get(report.stream)?.onProblem(report.fault, report.message);
    case "streamLost":
      return streams.get(report.stream)?.onLost(report.frames);
    case "streamEnd":
      streams.get(report.stream)?.onEnd(report.end);
      return void streams.delete(report.stream);
    case "log":
      return hearers.log(report.line, report.fields);
    case "received":
      return hearers.onReceived?.(report.received);
    case "stuck":
      return hearers.onStuck?.();
  }
}

function handOut(taps: State["taps"], heard: Extract<Report, { type: "heard" }>): void {
  let at = 0;
  for (const { tap, frames } of heard.taps) {
    for (let frame = 0; frame < frames; frame++) {
      // Asked for each time: the frame before may have ended it.
      taps.get(tap)?.(heard.samples.subarray(at, at += FRAME_SAMPLES));
    }
  }
}

function endLink(state: State, why: string): void {
  if (state.gone !== undefined) return;
  state.gone = why;
  for (const { over } of state.tasks.values()) over.reject(new EngineGone(why));
  state.tasks.clear();
  for (const stream of state.streams.values()) {
    stream.onEnd({ how: "failed", fault: "unreachable", message: why, lostFrames: 0 });
  }
  state.streams.clear();
  for (const leg of [...state.legs.values()]) {
    leg.unconnected(new EngineGone(why));
    leg.lost(why);
  }
}

/** There is no engine to ask. */
class EngineGone extends Error {
  override readonly name = "EngineGone";
}

function errorOf({ name, message, mismatch, shortOf }: SentError): Error {
  if (name === "NoCommonCodec") return new NoCommonCodec(message, mismatch);
  return shortOf === undefined ? new Error(message) : new MediaShortage(message, shortOf);
}
