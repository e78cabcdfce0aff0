import { setImmediate } from "node:timers/promises";
import { keys } from "./keys.ts";
import type { KeyValueStore } from "./key_value_store.ts";

/**
 * Keeps the requests to a remote store from waiting for acknowledgements of TCP. Deno's client
 * sends them over one connection, and neither it nor `denokv` turns off Nagle's algorithm (RFC
 * 9293, 3.7.4). The last segment of a message that is sent in several waits until the one before is
 * acknowledged. The receiver's system delays that by 40 ms, unless it has something to send by
 * then. Commits over 1 kB and responses over 16 kB are sent in several.
 */
export interface PromptWire {
  /** Sends a small read: its response acknowledges the first part of a commit that follows. */
  beforeCommit(): Promise<void>;
  /** Sends small reads until a request settles: each acknowledges what has come of the response. */
  during(request: Promise<unknown>): void;
}

/** Between two looks at whether a small read is needed, in ms. A read of the store takes less. */
const lookMs = 2;

/** The wire of a store that is not reached by TCP. */
export const noWire: PromptWire = { beforeCommit: () => Promise.resolve(), during() {} };

export function promptWire(kv: Pick<KeyValueStore, "get">): PromptWire {
  let awaited = 0;
  /** Small reads that were sent; more than one while the store does not respond is of no use. */
  let underWay = 0;
  let hasSent = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const sendSmall = () => {
    underWay++;
    kv.get(keys.nothing).catch(() => {}).finally(() => underWay--); // Its request fails as well.
  };
  const look = () => {
    // Any request since the last look has acknowledged the received data.
    if (!hasSent && underWay === 0) sendSmall();
    hasSent = false;
  };
  return {
    async beforeCommit() {
      if (underWay === 0) sendSmall();
      // The client writes it to the connection in the first turn of the event loop.
      await setImmediate();
      await setImmediate();
    },
    during(request) {
      hasSent = true;
      awaited++;
      timer ??= setInterval(look, lookMs);
      const settled = () => {
        if (--awaited > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
      request.then(settled, settled);
    },
  };
}
