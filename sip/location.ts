import type { URI } from "sip.js/lib/core/index.js";
import type { Flow } from "./flow.ts";

/** One device of a Client: where a REGISTER said that it can be reached (RFC 3261 §10). */
export interface Binding {
  /** `+sip.instance` and `reg-id` (RFC 5626 §6), else the Contact URI. */
  readonly key: string;
  readonly uri: URI;
  /** The Contact as registered, without its expiry. */
  readonly contact: string;
  readonly flow: Flow;
  readonly expiresAt: number;
  readonly callId: string;
  readonly cseq: number;
}

/** The location service: which devices each login is at. */
export interface Location {
  /** The live bindings, the newest last. */
  find(login: string): Binding[];
  put(login: string, binding: Binding): void;
  remove(login: string, key: string): void;
  removeAll(login: string): void;
  /** A connection closed: its bindings lead nowhere. */
  dropFlow(flow: Flow): void;
}

export function createLocation(now: () => number = Date.now): Location {
  const bindings = new Map<string, Map<string, Binding>>();

  const remove = (login: string, key: string) => {
    const devices = bindings.get(login);
    devices?.delete(key);
    if (devices?.size === 0) bindings.delete(login);
  };

  const find = (login: string): Binding[] => {
    const devices = [...bindings.get(login)?.values() ?? []];
    for (const device of devices) if (device.expiresAt <= now()) remove(login, device.key);
    return devices.filter((device) => device.expiresAt > now() && !device.flow.closed);
  };

  return {
    find,
    remove,
    put(login, binding) {
      remove(login, binding.key);
      if (!bindings.has(login)) bindings.set(login, new Map());
      bindings.get(login)?.set(binding.key, binding);
    },
    removeAll: (login) => void bindings.delete(login),
    dropFlow(flow) {
      for (const login of flow.logins) {
        for (const device of [...bindings.get(login)?.values() ?? []]) {
          if (device.flow === flow) remove(login, device.key);
        }
      }
    },
  };
}
