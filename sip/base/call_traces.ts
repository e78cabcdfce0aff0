import { Buffer } from "node:buffer";
import { type Trace, type TracedMessage, traceLimits } from "../../core/protocol/traces.ts";
import type { Flow } from "./flow.ts";
import { sipLimits } from "./limits.ts";
import { withoutSecrets } from "./without_secrets.ts";

/** A leg that a trace is of; `parent` is the leg whose Dial placed it. */
interface TracedLeg {
  id: string;
  sipCallId: string;
  parent?: string | undefined;
}

/** The last SIP messages of each live call, bounded for each and for all together. */
export interface CallTraces {
  /** Keeps a message if it begins a call, or belongs to one that is traced. */
  keep(
    direction: TracedMessage["direction"],
    message: { flow: Flow; callId: string; text: string },
  ): void;
  /** The messages of a leg are those of its Call-ID, with those of its parent. */
  begin(leg: TracedLeg): void;
  /** What is kept of the call of a leg, as it is now; undefined where there is nothing. */
  read(leg: string): Trace | undefined;
  /** Forgets a leg; its messages stay while another leg of the call lives. */
  end(leg: string): void;
  /** What is held of all calls. */
  readonly size: { bytes: number; calls: number };
}

type Bounds = { [Name in keyof typeof sipLimits.traces]: number };

/** The ring of one call. */
interface Ring {
  messages: Kept[];
  bytes: number;
  dropped: number;
  callIds: Set<string>;
  legs: number;
}

interface Kept extends Omit<TracedMessage, "local" | "remote"> {
  flow: Flow;
  bytes: number;
}

/** Messages without their secrets; nothing is kept where `isOn` is false. */
export function createCallTraces(
  { isOn = true, bounds = sipLimits.traces }: { isOn?: boolean; bounds?: Bounds } = {},
): CallTraces {
  const rings = new Map<string, Ring>(); // By Call-ID.
  const legs = new Map<string, { ring: Ring; callId: string }>();
  /** Of INVITEs that have no leg, as of sources that have not authenticated: the first to go. */
  const unowned = new Set<Ring>();
  let bytes = 0;

  const drop = (ring: Ring, count: number) => {
    const gone = ring.messages.splice(0, count).reduce((sum, one) => sum + one.bytes, 0);
    ring.bytes -= gone;
    bytes -= gone;
  };
  const forget = (ring: Ring) => {
    drop(ring, ring.messages.length);
    for (const callId of ring.callIds) {
      if (rings.get(callId) === ring) rings.delete(callId);
    }
    unowned.delete(ring);
  };
  const open = (callId: string): Ring => {
    const ring = { messages: [], bytes: 0, dropped: 0, callIds: new Set([callId]), legs: 0 };
    rings.set(callId, ring);
    unowned.add(ring);
    return ring;
  };
  const trim = (ring: Ring) => {
    while (ring.messages.length > traceLimits.messages || ring.bytes > traceLimits.bytes) {
      drop(ring, 1);
      ring.dropped++;
    }
    while (unowned.size > bounds.unowned) forget(first(unowned)!); // Not empty.
    while (bytes > bounds.bytes || rings.size > bounds.calls) {
      const oldest = first(unowned) ?? first(rings.values());
      if (oldest === undefined) break;
      forget(oldest);
    }
  };

  return {
    keep(direction, { flow, callId, text }) {
      if (!isOn) return;
      const known = rings.get(callId);
      if (known === undefined && !text.startsWith("INVITE ")) return;
      const ring = known ?? open(callId);
      const kept = shortened(withoutSecrets(text));
      const { protocol: transport } = flow.transport;
      ring.messages.push({ at: Date.now(), direction, transport, flow, ...kept });
      ring.bytes += kept.bytes;
      bytes += kept.bytes;
      trim(ring);
    },
    begin({ id, sipCallId, parent }) {
      if (!isOn) return;
      const own = rings.get(sipCallId);
      const above = parent === undefined ? undefined : legs.get(parent)?.ring;
      const ring = above ?? own ?? open(sipCallId);
      ring.callIds.add(sipCallId);
      rings.set(sipCallId, ring);
      unowned.delete(ring);
      ring.legs++;
      legs.set(id, { ring, callId: sipCallId });
      trim(ring);
    },
    read(leg) {
      const ring = legs.get(leg)?.ring;
      if (ring === undefined || ring.messages.length === 0) return undefined;
      return { messages: ring.messages.map(shown), dropped: ring.dropped };
    },
    end(leg) {
      const { ring, callId } = legs.get(leg) ?? {};
      if (ring === undefined || callId === undefined) return;
      legs.delete(leg);
      ring.callIds.delete(callId);
      if (rings.get(callId) === ring) rings.delete(callId);
      if (--ring.legs === 0) forget(ring);
    },
    get size() {
      return { bytes, calls: rings.size };
    },
  };
}

const first = <T>(values: Iterable<T>): T | undefined => values[Symbol.iterator]().next().value;

/** A message of at most `traceLimits.messageBytes`; the copy of a part holds no longer text alive. */
function shortened(text: string): { text: string; bytes: number } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= traceLimits.messageBytes) return { text, bytes };
  const part = Buffer.from(text).subarray(0, traceLimits.messageBytes);
  return { text: part.toString(), bytes: traceLimits.messageBytes };
}

function shown({ at, direction, transport, text, flow }: Kept): TracedMessage {
  const { remote, local: { sentBy } } = flow;
  return { at, direction, transport, text, remote: { ...remote }, local: endpointOf(sentBy) };
}

/** The host and port that a flow names itself by; that of a WebSocket may be a name. */
function endpointOf(sentBy: string): TracedMessage["local"] {
  const [, host = sentBy, port = "5060"] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(sentBy) ?? [];
  return { host, port: Number(port) };
}

const callIdLine = /^(?:Call-ID|i)[ \t]*:[ \t]*([^\r\n]*)/im;

/** The Call-ID of a message that we send; empty without one. */
export function callIdOf(text: string): string {
  const begin = text.indexOf("\r\nCall-ID: ");
  if (begin < 0) return callIdLine.exec(text)?.[1]?.trim() ?? "";
  const from = begin + "\r\nCall-ID: ".length;
  return text.slice(from, text.indexOf("\r", from));
}
