import { createTaps, type Taps } from "./frame_taps.ts";
import {
  LEG_CLOSED,
  type MediaConference,
  type MediaEngine,
  type MediaLeg,
  type MediaParticipant,
  type Pcm,
} from "../base/port.ts";
import { ShortLivedMap } from "../../../core/base/short_lived_map.ts";
import type { MediaStream } from "../base/stream_port.ts";
import type { MessageEnd } from "../base/batched_end.ts";
import { type Order, type OrderOf, type Report, sentError, type SentSound } from "./wire.ts";

/** Objects that the other side has open here, by its numbers. */
interface Served {
  engine: MediaEngine;
  report(report: Report, transfer?: Transferable[]): void;
  taps: Taps;
  legs: Map<number, MediaLeg>;
  conferences: Map<number, OpenConference>;
  participants: Map<number, { participant: MediaParticipant; conference: number }>;
  /** Abort controllers of tasks. */
  tasks: Map<number, () => void>;
  sounds: Map<number, Pcm>;
  streams: Map<number, MediaStream>;
}

/** A conference is kept while it has participants or recordings. */
interface OpenConference {
  sound: MediaConference;
  users: number;
}

/** Has the other end of a message channel use an engine of this thread: `remoteEngine` is there. */
export function serveEngine(
  engine: MediaEngine,
  end: MessageEnd<Report, Order>,
): void {
  const report: Served["report"] = (report, transfer = []) => end.postMessage(report, transfer);
  const served: Served = {
    engine,
    report,
    taps: createTaps((taps, samples) => report({ type: "heard", taps, samples }, [samples.buffer])),
    legs: new ShortLivedMap(),
    conferences: new Map(),
    participants: new ShortLivedMap(),
    tasks: new ShortLivedMap(),
    sounds: new Map(),
    streams: new ShortLivedMap(),
  };
  end.onmessage = ({ data: order }) => {
    try {
      (follow[order.type] as (served: Served, order: Order) => void)(served, order);
    } catch (error) {
      if ("task" in order) fail(served, order.task, error);
      else report({ type: "log", line: "Cannot follow an order", fields: { ...sentError(error) } });
    }
  };
}

/** Orders about what has gone in between are for nothing; those about a closed leg as the port says. */
const follow: { readonly [T in Order["type"]]: (served: Served, order: OrderOf<T>) => void } = {
  open: (served, order) => settle(served, order.task, open(served, order)),
  accept: (served, { task, leg, sdp, isEarly }) =>
    settle(served, task, openLeg(served, leg).accept(sdp, isEarly).then(() => undefined)),
  reanswer: (served, { task, leg, sdp }) =>
    settle(served, task, openLeg(served, leg).reanswer(sdp)),
  reoffer: (served, { task, leg, isHolding }) =>
    settle(served, task, openLeg(served, leg).reoffer(isHolding)),
  reaccept: (served, { task, leg, sdp }) =>
    settle(served, task, openLeg(served, leg).reaccept(sdp).then(() => undefined)),
  play(served, { task, leg, sound, loop }) {
    const pcm = soundOf(served, sound);
    perform(served, task, (signal) => served.legs.get(leg)?.play(pcm, { loop, signal }));
  },
  sendDigits: (served, { task, leg, digits }) =>
    perform(served, task, (signal) => served.legs.get(leg)?.sendDigits(digits, signal)),
  echo: (served, { task, leg }) => last(served, task, openLeg(served, leg).echo()),
  recordLegs: (served, { task, leg, other }) =>
    last(
      served,
      task,
      openLeg(served, leg).recordWith(openLeg(served, other), recorder(served, task)),
    ),
  recordLeg: (served, { task, leg }) =>
    last(
      served,
      task,
      openLeg(served, leg).recordLeg(recorder(served, task)),
    ),
  monitor: (served, { task, leg, other }) =>
    last(served, task, openLeg(served, leg).monitor(openLeg(served, other))),
  monitorConference(served, { task, conference: id, leg }) {
    const listener = openLeg(served, leg);
    const stop = useConference(served, id).sound.monitor(listener);
    last(served, task, () => {
      leaveConference(served, id);
      return stop();
    });
  },
  recordConference(served, { task, conference: id }) {
    const conference = useConference(served, id);
    const stop = conference.sound.record(recorder(served, task));
    last(served, task, () => {
      leaveConference(served, id);
      return stop();
    });
  },
  stream: startStream,
  stopStream: ({ streams }, { stream }) => streams.get(stream)?.stop(),
  stop: ({ tasks }, { task }) => tasks.get(task)?.(),
  listen({ legs, taps }, { tap, leg }) {
    const media = legs.get(leg);
    if (media !== undefined) taps.add(tap, media);
  },
  unlisten: ({ taps }, { tap }) => taps.remove(tap),
  join({ legs }, { leg, other }) {
    const media = legs.get(other);
    if (media !== undefined) legs.get(leg)?.join(media);
  },
  leave({ legs }, { leg, from }) {
    const other = from === undefined ? undefined : legs.get(from);
    if (from === undefined || other !== undefined) legs.get(leg)?.leave(other);
  },
  mute: ({ legs }, { leg, muted }) => legs.get(leg)?.setMuted(muted),
  takeDigit: ({ legs }, { leg, digit }) => legs.get(leg)?.takeDigit(digit),
  closeLeg({ legs, taps }, { leg }) {
    taps.flush();
    legs.get(leg)?.close();
    legs.delete(leg);
  },
  enter(served, { participant: id, conference, leg }) {
    const media = served.legs.get(leg);
    if (media === undefined) return;
    served.participants.set(id, {
      participant: useConference(served, conference).sound.enter(media),
      conference,
    });
  },
  participant({ participants }, { participant: id, present, muted }) {
    const participant = participants.get(id)?.participant;
    if (present !== undefined) participant?.setPresent(present);
    if (muted !== undefined) participant?.setMuted(muted);
  },
  coach({ participants }, { participant: id, coached }) {
    const other = typeof coached === "number"
      ? participants.get(coached)?.participant ?? null
      : coached;
    participants.get(id)?.participant.setCoached(other);
  },
  leaveConference(served, { participant: id }) {
    const place = served.participants.get(id);
    if (place === undefined) return;
    served.participants.delete(id);
    place.participant.leave();
    leaveConference(served, place.conference);
  },
  announce(served, { conference, sound }) {
    const pcm = soundOf(served, sound);
    served.conferences.get(conference)?.sound.announce(pcm);
  },
  forgetSound: ({ sounds }, { sound }) => void sounds.delete(sound),
  spent: ({ taps }, { samples }) => taps.reuse(samples),
  ping: ({ report }, { task }) => report({ type: "done", task }),
  close: (served, { task }) => settle(served, task, served.engine.close().then(() => undefined)),
};

async function open(served: Served, order: OrderOf<"open">): Promise<string> {
  const { engine, report, taps, legs } = served;
  const { leg: id, offer, kind, options } = order;
  const opening = offer === undefined ? engine.offer(kind, options) : engine.answer(offer, options);
  const leg = await opening;
  legs.set(id, leg);
  leg.connected.then(
    () => report({ type: "connected", leg: id }),
    (error) => {
      if (error === LEG_CLOSED && !legs.has(id)) return; // The other side closed it.
      report({ type: "unconnected", leg: id, error: sentError(error) });
    },
  );
  void leg.lost.then((why) => {
    taps.flush();
    report({ type: "lost", leg: id, why });
  });
  leg.onQuiet((ms) => report({ type: "quiet", leg: id, ms }));
  void leg.unknownSource.then((address) => report({ type: "unknownSource", leg: id, address }));
  leg.onDigits((digit) => {
    taps.flush(); // Frames before it are heard before it.
    report({ type: "digit", leg: id, digit });
  });
  return leg.localSdp;
}

function startStream(
  { legs, streams, report }: Served,
  { stream: id, leg, settings }: OrderOf<"stream">,
): void {
  const media = legs.get(leg);
  if (media === undefined) {
    return report({ type: "streamEnd", stream: id, end: { how: "stopped", lostFrames: 0 } });
  }
  const stream = media.stream(settings, {
    onOpen: () => report({ type: "streamOpen", stream: id }),
    onProblem: (fault, message) => report({ type: "streamProblem", stream: id, fault, message }),
    onLost: (frames) => report({ type: "streamLost", stream: id, frames }),
    onEnd(end) {
      streams.delete(id);
      report({ type: "streamEnd", stream: id, end });
    },
  });
  streams.set(id, stream);
}

function openLeg({ legs }: Served, id: number): MediaLeg {
  const leg = legs.get(id);
  if (leg === undefined) throw new Error("Cannot use a leg: it is closed");
  return leg;
}

function useConference({ engine, conferences }: Served, id: number): OpenConference {
  const conference = conferences.get(id) ?? { sound: engine.conference(), users: 0 };
  conferences.set(id, conference);
  conference.users++;
  return conference;
}

function leaveConference({ conferences }: Served, id: number): void {
  const conference = conferences.get(id);
  if (conference !== undefined && --conference.users === 0) conferences.delete(id);
}

function soundOf({ sounds }: Served, { id, pcm = sounds.get(id) }: SentSound): Pcm {
  if (pcm === undefined) throw new Error("Cannot play a sound: it is unknown");
  sounds.set(id, pcm);
  return pcm;
}

const recorder = ({ report }: Served, task: number) => (samples: Pcm) => {
  const piece = samples.byteLength < samples.buffer.byteLength ? samples.slice() : samples;
  report({ type: "recorded", task, samples: piece }, [piece.buffer]);
};

/** A task that runs until it is stopped. */
function last(served: Served, task: number, stop: () => void | Promise<void>): void {
  served.tasks.set(task, () => {
    served.tasks.delete(task);
    settle(served, task, Promise.try(stop).then(() => undefined));
  });
}

/** A task that ends by itself, or when its signal aborts. */
function perform(
  served: Served,
  task: number,
  begin: (signal: AbortSignal) => Promise<void> | undefined,
): void {
  const stopping = new AbortController();
  served.tasks.set(task, () => stopping.abort("stopped"));
  const over = Promise.try(begin, stopping.signal).finally(() => served.tasks.delete(task));
  settle(served, task, over.then(() => undefined));
}

function settle(served: Served, task: number, over: Promise<string | undefined>): void {
  over.then(
    (value) => served.report({ type: "done", task, ...value !== undefined && { value } }),
    (error) => fail(served, task, error),
  );
}

const fail = ({ report }: Served, task: number, error: unknown): void =>
  report({ type: "failed", task, error: sentError(error) });
