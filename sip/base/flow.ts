import type { IncomingMessage, Transport } from "./sip_js.ts";

/** Transport of SIP, by its name in Via (RFC 3261 §18, RFC 7118 §5). */
export type Protocol = "WS" | "WSS" | "UDP" | "TCP" | "TLS";

/** An end of a flow: a numeric address, IPv6 without brackets. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Names of this companion towards the peer of a flow. */
export interface LocalName {
  /** Host and port in our Via, where responses that lost their connection go (§18.1.1). */
  readonly sentBy: string;
  /** The URI in our Contact, where requests in a dialog go (§8.1.1.8). */
  readonly contact: string;
  /** The media address for this peer, if not the public one. */
  readonly mediaHost?: string | undefined;
}

/** One connection of a user agent, or its address where there are no connections (RFC 5626 §3.1). */
export interface Flow {
  readonly id: string;
  readonly remote: Endpoint;
  readonly local: LocalName;
  /** Clients that have authenticated here; an idle stream without any is closed soon. */
  readonly logins: Set<string>;
  /** Number of live dialogs that use this flow; a stream with any is not closed when idle. */
  dialogs: number;
  readonly closed: boolean;
  /** Logins that gave a right answer to our challenges here; a changed password removes its login. */
  readonly proven: Set<string>;
  /** The media that the peer has offered or accepted, where they differ from those of its transport. */
  mediaKind?: "webrtc" | "rtp" | undefined;
  /** Logins of which a device here sent CPIM (RFC 3862), so it reads it as well. */
  cpimLogins?: Set<string>;
  /** Transport that a transaction of sip.js sends by until its end. */
  readonly transport: FlowTransport;
  /** True when a message is a repetition that the flow has handled. */
  readonly absorbs?: ((message: IncomingMessage) => boolean) | undefined;
  close(): void;
}

/** The end of a flow that transactions keep. */
export interface FlowTransport extends Transport {
  readonly protocol: Protocol;
  /** True once nothing can be sent by it any more. */
  isClosed(): boolean;
}

/** A server that a peer is behind, or is itself, which is not bound to one connection. */
export interface Hop {
  /** True when an address belongs to the server. */
  owns(host: string): boolean;
  /** A flow to it when the one there was is gone; rejects when it cannot be had. */
  reach(): Promise<Flow>;
}

/** Events of flows. */
export interface FlowEvents {
  onMessage(flow: Flow, text: string): void;
  onClose(flow: Flow): void;
  /** Called before a message is sent. */
  onSend?(flow: Flow, text: string): void;
}

/** The same where peers come by connections. */
export interface ListenEvents extends FlowEvents {
  /** Takes a place for a connection from a host; the result gives it back, undefined refuses. */
  onConnect(host: string): (() => void) | undefined;
}

/** The wire below a flow. */
export interface Wire {
  readonly protocol: Protocol;
  readonly remote: Endpoint;
  readonly local: LocalName;
  readonly closed: boolean;
  send(message: string): Promise<void>;
  absorbs?(flow: Flow, message: IncomingMessage): boolean;
  close(): void;
}

let flows = 0;

export const createFlow = (wire: Wire, events: Pick<FlowEvents, "onSend"> = {}): Flow =>
  new WireFlow(wire, events);

/** A class, since getters of a literal would give each flow a hidden class of its own. */
class WireFlow implements Flow {
  readonly id = (flows++).toString(36);
  readonly remote: Endpoint;
  readonly local: LocalName;
  readonly logins = new Set<string>();
  readonly proven = new Set<string>();
  dialogs = 0;
  readonly transport: Flow["transport"];
  readonly absorbs: Flow["absorbs"];
  mediaKind: Flow["mediaKind"] = undefined;
  readonly #wire: Wire;

  constructor(wire: Wire, events: Pick<FlowEvents, "onSend">) {
    this.#wire = wire;
    this.remote = wire.remote;
    this.local = wire.local;
    this.transport = {
      protocol: wire.protocol,
      isClosed: () => wire.closed,
      send: (message) => {
        events.onSend?.(this, message);
        return wire.send(message);
      },
    };
    this.absorbs = wire.absorbs && ((message) => wire.absorbs?.(this, message) ?? false);
  }
  get closed() {
    return this.#wire.closed;
  }
  close() {
    this.#wire.close();
  }
}

let current: Flow | undefined;

/**
 * Runs a function with the flow that a shared core builds transactions, responses and Contacts for.
 * The core reads it synchronously, so one variable is enough.
 */
export function withFlow<T>(flow: Flow, run: () => T): T {
  const before = current;
  current = flow;
  try {
    return run();
  } finally {
    current = before;
  }
}

/** The flow that the message being handled came by, or that `withFlow` names. */
export function currentFlow(): Flow {
  if (current === undefined) throw new Error("Cannot tell the flow: called outside withFlow");
  return current;
}

/** Names of this companion on the current flow; undefined outside of any. */
export const currentName = (): LocalName | undefined => current?.local;
