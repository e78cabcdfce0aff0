/**
 * SIP traces: the last 64 messages of each live call, at most 48 KiB, without credentials, keys and foreign
 * bodies. The companion sends them to the service where the call fails, which keeps them for
 * `SIP_TRACE_HOURS`. The report of the end waits at most two seconds for them. A message takes 1.6 to 2.0 us.
 * A companion that is killed loses the traces of its calls; a call that completed badly has none.
 *
 * Refused: a capture on the network (tcpdump, HEP), which has all secrets and reads no TLS; messages in the
 * store as they come, a commit each. Backups have no traces, which would not expire where they are restored.
 *
 * A message of an unauthenticated source is parsed, counted and kept as
 * text, no more: secrets are removed when a trace is read. Removing them from each INVITE of 64 KiB
 * cost 2.07 s of CPU time for 20 of them, in place of 0.02 s. The text stays in memory with its
 * secrets until the call ends; what leaves the companion has none.
 */
import { Buffer } from "node:buffer";
import { type Trace, type TracedMessage, traceLimits } from "../../core/protocol/traces.ts";
import type { Flow } from "./flow.ts";
import { sipLimits } from "./limits.ts";
import { ShortLivedMap } from "../../core/base/short_lived_map.ts";
import { withoutSecrets } from "./without_secrets.ts";

/** A leg that a trace is of; `parent` is the leg whose Dial placed it. */
interface TracedLeg {
  id: string;
  sipCallId: string;
  parent?: string | undefined;
}

interface SipMessage {
  flow: Flow;
  /** As the text says it, unless given. */
  callId?: string;
  text: string;
}

/** The last SIP messages of each live call, bounded for each and for all together. */
export interface CallTraces {
  /** Keeps a message if it begins a call, or belongs to one that is traced. */
  keep(direction: TracedMessage["direction"], message: SipMessage): void;
  /** The messages of a leg are those of its Call-ID, with those of its parent. */
  begin(leg: TracedLeg): void;
  /** Trace of the call of a leg at present; undefined where there is none. */
  read(leg: string): Trace | undefined;
  /** Forgets a leg; its messages stay while another leg of the call lives. */
  end(leg: string): void;
  /** Size of the traces of all calls. */
  readonly size: { bytes: number; calls: number };
}

type Bounds = { [Name in keyof typeof sipLimits.traces]: number };

/** The ring of one call. */
interface Ring {
  messages: Kept[];
  bytes: number;
  dropped: number;
  /** The Call-ID that it was begun with. */
  begun: string;
  callIds: Set<string>;
  legs: number;
}

/**
 * The text is as it came, cut off at its bound. Secrets are removed when a trace is read: few are, and
 * most messages come from sources that have not authenticated, whose text must cost little.
 */
interface Kept extends Omit<TracedMessage, "local" | "remote"> {
  flow: Flow;
  bytes: number;
}

/** The rings by Call-ID, within their bounds. */
interface Rings {
  find(callId: string): Ring | undefined;
  /** A ring of no leg. */
  open(callId: string): Ring;
  /** Gives a leg's ring one more Call-ID. */
  own(ring: Ring, callId: string): void;
  disown(ring: Ring, callId: string): void;
  add(ring: Ring, message: Kept): void;
  readonly size: CallTraces["size"];
}

const newRing = (begun: string): Ring => ({
  messages: [],
  bytes: 0,
  dropped: 0,
  begun,
  callIds: new Set([begun]),
  legs: 0,
});

function createRings(bounds: Bounds): Rings {
  const byCallId = new ShortLivedMap<string, Ring>();
  /** Of no leg, as of sources that have not authenticated: the first to go. */
  const unowned = new ShortLivedMap<string, Ring>();
  let bytes = 0;

  const drop = (ring: Ring, count: number) => {
    const gone = ring.messages.splice(0, count).reduce((sum, one) => sum + one.bytes, 0);
    ring.bytes -= gone;
    bytes -= gone;
  };
  const forget = (ring: Ring) => {
    drop(ring, ring.messages.length);
    ring.callIds.forEach((callId) => byCallId.delete(callId));
    unowned.delete(ring.begun);
  };
  const makeRoom = () => {
    const isFull = () => bytes > bounds.bytes || byCallId.size > bounds.calls;
    while (unowned.size > bounds.unowned || isFull()) {
      const oldest = first(unowned.values()) ?? first(byCallId.values());
      if (oldest === undefined) return;
      forget(oldest);
    }
  };

  return {
    find: (callId) => byCallId.get(callId),
    open(callId) {
      const ring = newRing(callId);
      for (const rings of [byCallId, unowned]) rings.set(callId, ring);
      return ring;
    },
    own(ring, callId) {
      ring.callIds.add(callId);
      ring.legs++;
      byCallId.delete(callId);
      byCallId.set(callId, ring);
      unowned.delete(ring.begun);
      makeRoom();
    },
    disown(ring, callId) {
      if (byCallId.get(callId) === ring) byCallId.delete(callId);
      ring.callIds.delete(callId);
      if (--ring.legs === 0) forget(ring);
    },
    add(ring, message) {
      ring.messages.push(message);
      ring.bytes += message.bytes;
      bytes += message.bytes;
      while (ring.messages.length > traceLimits.messages || ring.bytes > traceLimits.bytes) {
        drop(ring, 1);
        ring.dropped++;
      }
      makeRoom();
    },
    get size() {
      return { bytes, calls: byCallId.size };
    },
  };
}

/** Messages, shown without their secrets; nothing is kept where `isOn` is false. */
export function createCallTraces(
  { isOn = true, bounds = sipLimits.traces }: { isOn?: boolean; bounds?: Bounds } = {},
): CallTraces {
  const rings = createRings(bounds);
  const legs = new ShortLivedMap<string, { ring: Ring; callId: string }>();

  return {
    keep(direction, { flow, text, callId = callIdOf(text) }) {
      if (!isOn) return;
      const known = rings.find(callId);
      if (known === undefined && !text.startsWith("INVITE ")) return;
      const bytes = Buffer.byteLength(text);
      const { protocol: transport } = flow.transport;
      const message = {
        at: Date.now(),
        direction,
        transport,
        flow,
        text: shortened(text),
        bytes: Math.min(bytes, traceLimits.messageBytes),
      };
      rings.add(known ?? rings.open(callId), message);
    },
    begin({ id, sipCallId, parent }) {
      if (!isOn) return;
      const above = parent === undefined ? undefined : legs.get(parent)?.ring;
      const ring = above ?? rings.find(sipCallId) ?? rings.open(sipCallId);
      legs.set(id, { ring, callId: sipCallId });
      rings.own(ring, sipCallId);
    },
    read(leg) {
      const ring = legs.get(leg)?.ring;
      if (ring === undefined || ring.messages.length === 0) return undefined;
      return { messages: ring.messages.map(shown), dropped: ring.dropped };
    },
    end(leg) {
      const known = legs.get(leg);
      legs.delete(leg);
      if (known !== undefined) rings.disown(known.ring, known.callId);
    },
    get size() {
      return rings.size;
    },
  };
}

const first = <T>(values: Iterable<T>): T | undefined => values[Symbol.iterator]().next().value;

/** A message of at most `traceLimits.messageBytes`; the copy of a part holds no longer text alive. */
const shortened = (text: string): string =>
  Buffer.byteLength(text) <= traceLimits.messageBytes
    ? text
    : Buffer.from(text).subarray(0, traceLimits.messageBytes).toString();

function shown({ at, direction, transport, text, flow }: Kept): TracedMessage {
  const { remote, local: { sentBy } } = flow;
  const open = shortened(withoutSecrets(text));
  return { at, direction, transport, text: open, remote: { ...remote }, local: endpointOf(sentBy) };
}

/** The host and port that a flow names itself by; that of a WebSocket may be a name. */
function endpointOf(sentBy: string): TracedMessage["local"] {
  const [, host = sentBy, port = "5060"] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(sentBy) ?? [];
  return { host, port: Number(port) };
}

const callIdLine = /^(?:Call-ID|i)[ \t]*:[ \t]*([^\r\n]*)/im;

/** The Call-ID of a message that we send; empty without one. */
function callIdOf(text: string): string {
  const begin = text.indexOf("\r\nCall-ID: ");
  if (begin < 0) return callIdLine.exec(text)?.[1]?.trim() ?? "";
  const from = begin + "\r\nCall-ID: ".length;
  return text.slice(from, text.indexOf("\r", from));
}
