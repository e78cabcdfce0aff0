import { awakeNow } from "../../core/base/steady_clock.ts";
import type { URI } from "../base/sip_js.ts";
import type { RegisteredBinding } from "../../core/protocol/registrations.ts";
import type { Flow } from "../base/flow.ts";
import { parseNameAddr } from "./uri.ts";

/**
 * One way to a device of a Client: where a REGISTER said that it can be reached (RFC 3261 §10).
 * Tens of thousands are kept, so what its texts tell is read again when it is asked for.
 */
export interface Binding {
  /** `+sip.instance` and `reg-id` (RFC 5626 §6), else the Contact URI. */
  readonly key: string;
  /** The Contact as registered, without its expiry. */
  readonly contact: string;
  /** `+sip.instance` as written; bindings that share it lead to one device. */
  readonly instance: string | undefined;
  /** The proxies on the way, as Route values (RFC 3327). */
  readonly path: readonly string[];
  /** Requests go by this connection (RFC 5626 §5.3); once it has closed, along the path, if any. */
  readonly flow: Flow;
  readonly userAgent: string | undefined;
  /** Names the Client, and the password that it proved. */
  readonly proof: string;
  /** By the awake clock, in ms: when it was first made, and when it ends. */
  readonly registeredAt: number;
  readonly expiresAt: number;
  readonly callId: string;
  readonly cseq: number;
}

/** One device: the ways to it, the newest first. */
export type Flows = [Binding, ...Binding[]];

/** The location service: which devices each login is at. */
export interface Location {
  /** The live bindings, the newest last; the connection of one with a path may have closed. */
  find(login: string): Binding[];
  /** The live bindings by device: only one flow of each is to ring at a time (RFC 5626 §5.3). */
  devices(login: string): Flows[];
  put(login: string, binding: Binding): void;
  /** Requests to a binding go by another connection, unless it was renewed meanwhile. */
  move(login: string, binding: Binding, flow: Flow): void;
  remove(login: string, key: string): void;
  removeAll(login: string): void;
  /** The logins that have a device. */
  logins(): Iterable<string>;
  has(login: string): boolean;
  /** Number of logins that have a device. */
  registered(): number;
  /** Removes every binding that has expired. */
  sweep(): void;
  /** A connection closed: its bindings lead nowhere, but for those with a path (RFC 3327). */
  dropFlow(flow: Flow): void;
  /** Called with a login that gets its first binding, or loses its last one. */
  onPresence: ((login: string) => void) | undefined;
}

/** The Request-URI of requests to a binding. */
export function targetOf({ contact }: Pick<Binding, "contact">): URI {
  const parsed = parseNameAddr(contact);
  if (parsed === undefined) throw new Error("Cannot read a Contact that was registered");
  return parsed.uri;
}

/** A binding as the service shows it. */
export function describeBinding(binding: Binding): RegisteredBinding {
  const { contact, flow, userAgent, instance, path, registeredAt, expiresAt } = binding;
  const behindMs = Date.now() - awakeNow();
  const { host, port } = flow.remote;
  const address = parseNameAddr(contact);
  return {
    contact: address?.uri.toString() ?? contact,
    transport: flow.transport.protocol,
    remoteAddress: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    userAgent: userAgent ?? null,
    instanceId: instance?.replace(/^"?<?|>?"?$/g, "") ?? null,
    regId: address?.getParam("reg-id") ?? null,
    path: [...path],
    registeredAt: Math.round(registeredAt + behindMs),
    expiresAt: Math.round(expiresAt + behindMs),
  };
}

export function createLocation(now: () => number = awakeNow): Location {
  /** By login, the newest last; none is empty. */
  const bindings = new Map<string, readonly Binding[]>();

  const isLive = ({ expiresAt, flow, path }: Binding) =>
    expiresAt > now() && (!flow.closed || path.length > 0);

  const removeIf = (login: string, isGone: (binding: Binding) => boolean) => {
    const known = bindings.get(login);
    if (!known?.some(isGone)) return;
    const left = known.filter((binding) => !isGone(binding));
    if (left.length > 0) return void bindings.set(login, left);
    bindings.delete(login);
    location.onPresence?.(login);
  };

  const hasExpired = ({ expiresAt }: Binding) => expiresAt <= now();

  const location: Location = {
    onPresence: undefined,
    find: (login) => bindings.get(login)?.filter(isLive) ?? [],
    devices(login) {
      const groups = Map.groupBy(location.find(login), ({ instance, key }) => instance ?? key);
      return [...groups.values()].map((flows) => flows.reverse() as Flows); // No group is empty.
    },
    put(login, binding) {
      const known = bindings.get(login);
      const others = known?.filter(({ key }) => key !== binding.key) ?? [];
      bindings.set(login, [...others, binding]);
      if (known === undefined) location.onPresence?.(login);
    },
    move(login, moved, flow) {
      const known = bindings.get(login);
      if (known === undefined) return;
      bindings.set(login, known.map((one) => one === moved ? { ...moved, flow } : one));
    },
    remove: (login, key) => removeIf(login, (binding) => binding.key === key),
    removeAll: (login) => removeIf(login, () => true),
    logins: () => bindings.keys(),
    has: (login) => bindings.has(login),
    registered: () => bindings.size,
    sweep() {
      for (const login of bindings.keys()) removeIf(login, hasExpired);
    },
    dropFlow(flow) {
      const isLost = (one: Binding) => one.flow === flow && one.path.length === 0;
      for (const login of flow.logins) removeIf(login, isLost);
    },
  };
  return location;
}
