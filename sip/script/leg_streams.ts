import { learnedTenant } from "../../core/base/learned_tenants.ts";
import type { LegEvent } from "../../core/protocol/events.ts";
import type { StreamChange, StreamOrder } from "../../core/protocol/streams.ts";
import { sipLimits } from "../base/limits.ts";
import { openStreams, streamFramesLost, streamProblems } from "../base/metrics.ts";
import type { Leg } from "../contracts/leg.ts";
import type { LegStreams } from "../contracts/live_leg.ts";
import type { MediaLeg, StreamEnd, StreamEvents, StreamSettings } from "../media/mod.ts";

interface Streaming {
  order: StreamOrder;
  /** Ends it, whatever it waits for. */
  stop(): void;
  ended: Promise<void>;
}

/** The streams of a leg, with reports of their states. */
export function createLegStreams(
  { leg, report }: { leg: Leg; report(event: LegEvent): void },
): LegStreams {
  const open = new Map<string, Streaming>();
  const find = (sidOrName: string) =>
    open.get(sidOrName) ?? open.values().find(({ order: { name } }) => name === sidOrName);
  void leg.ended.then(() => open.values().forEach(({ stop }) => stop()));
  return {
    async start(order) {
      const tell = teller(order.sid, report);
      const problem = whyRefused(order, open);
      if (problem !== undefined) {
        return tell({
          kind: "ended",
          how: "failed",
          fault: "limit",
          message: problem,
          lostFrames: 0,
        });
      }
      const stopping = new AbortController();
      const ended = stream(leg, order, { tell, signal: stopping.signal });
      open.set(order.sid, { order, ended, stop: () => stopping.abort("stopped") });
      await ended;
      open.delete(order.sid);
    },
    stop(sidOrName) {
      const found = find(sidOrName);
      found?.stop();
      return found !== undefined;
    },
    async settled() {
      if (open.size === 0) return;
      const all = Promise.all([...open.values()].map(({ ended }) => ended));
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, sipLimits.streamsEndMs);
      await Promise.race([all, late.promise]);
      clearTimeout(timer);
    },
  };
}

/** Why a leg takes no further stream, where it takes none. */
function whyRefused(
  { name, isBidirectional }: StreamOrder,
  open: ReadonlyMap<string, Streaming>,
): string | undefined {
  const others = [...open.values()].map(({ order }) => order);
  if (others.some((other) => other.name === name)) return `a stream named "${name}" is open`;
  const copies = others.filter((other) => !other.isBidirectional).length;
  if (!isBidirectional && copies >= sipLimits.streamCopies) {
    return `the call has ${copies} streams already`;
  }
  if (isBidirectional && copies < others.length) {
    return "the call has a stream of both ways already";
  }
}

/** Numbers the events of a stream. */
function teller(sid: string, report: (event: LegEvent) => void): (news: StreamChange) => void {
  let seq = 0;
  return (news) => report({ type: "stream", sid, seq: seq++, news });
}

/** One stream, from the answer of its leg to its end. */
async function stream(
  leg: Leg,
  order: StreamOrder,
  { tell, signal }: { tell(news: StreamChange): void; signal: AbortSignal },
): Promise<void> {
  const end = (ending: StreamEnd) => {
    const { how, lostFrames } = ending;
    const why = ending.how === "failed" ? { fault: ending.fault, message: ending.message } : {};
    tell({ kind: "ended", how, ...why, lostFrames });
  };
  const media = await mediaOf(leg, signal);
  if (media === "stopped") return end({ how: "stopped", lostFrames: 0 });
  if (media === undefined) {
    const message = "the audio of the call does not pass through the companion";
    return end({ how: "failed", fault: "unreachable", message, lostFrames: 0 });
  }
  const over = Promise.withResolvers<StreamEnd>();
  const { stop } = media.stream(
    settingsOf(leg, order),
    measured({
      onOpen: () => tell({ kind: "started" }),
      onProblem: (fault, message) => tell({ kind: "problem", fault, message }),
      onLost() {},
      onEnd: over.resolve,
    }, order),
  );
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  end(await over.promise);
}

/** The events of a stream, which also count in the metrics. */
function measured(events: StreamEvents, { isBidirectional }: StreamOrder): StreamEvents {
  const kind = isBidirectional ? "connect" : "copy";
  let lost = 0;
  const countLost = (frames: number) => {
    streamFramesLost.inc(frames - lost);
    lost = frames;
  };
  openStreams.inc({ kind });
  return {
    ...events,
    onProblem(fault, message) {
      streamProblems.inc({ fault });
      events.onProblem(fault, message);
    },
    onLost: countLost,
    onEnd(ending) {
      openStreams.dec({ kind });
      countLost(Math.max(ending.lostFrames, lost));
      if (ending.how === "failed") streamProblems.inc({ fault: ending.fault });
      events.onEnd(ending);
    },
  };
}

/** The media of a leg once they flow; undefined where it has none of ours. */
async function mediaOf(leg: Leg, signal: AbortSignal): Promise<MediaLeg | "stopped" | undefined> {
  const stopped = Promise.withResolvers<"stopped">();
  signal.addEventListener("abort", () => stopped.resolve("stopped"), { once: true });
  if (signal.aborted) return "stopped";
  const isAnswered = await Promise.race([leg.whenAnswered, stopped.promise]);
  if (isAnswered !== true) return "stopped";
  const { media } = leg;
  const isConnected = media?.connected.then(() => true, () => false);
  // A leg whose media do not connect ends soon.
  return await Promise.race([isConnected, stopped.promise]) === "stopped" ? "stopped" : media;
}

const settingsOf = (leg: Leg, order: StreamOrder): StreamSettings => ({
  url: order.url,
  headers: order.headers,
  streamSid: order.sid,
  accountSid: order.accountSid,
  tenant: learnedTenant(order.accountSid),
  callSid: leg.id,
  tracks: order.tracks,
  isBidirectional: order.isBidirectional,
  encoding: order.encoding,
  parameters: order.parameters,
  queueS: order.queueS,
});
