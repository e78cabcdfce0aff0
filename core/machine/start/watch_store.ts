import type { StoreFailure } from "../../base/store_failure.ts";
import { iso8601 } from "../../base/wire.ts";
import { storeWritable } from "../../metrics/service_metrics.ts";
import { notify } from "../../webhooks/notify.ts";
import type { Ports } from "../../model/ports/ports.ts";

/** A failure of the store that is over, with its end in ms. */
interface Past extends StoreFailure {
  endedAt: number;
}

/** Past failures whose Notifications could not be written yet; older ones are in the log alone. */
const mostPast = 10;

/** One Notification for the failures of a minute. */
const minuteMs = 60_000;

/**
 * Tells the operator of each failure of the store: by the log and `switchboard_store_writable` at once,
 * by a Notification of the root account once it can be written. Returns what waits for its
 * Notification to be written.
 */
export function watchStore(ports: Ports): { told(): Promise<void> } {
  const past: Past[] = [];
  let failing: StoreFailure | null = null;
  let telling = Promise.resolve();
  storeWritable.set(1);

  async function tell(): Promise<void> {
    const [root] = await ports.accounts.children("");
    for (let one = past[0]; one !== undefined && root !== undefined; one = past[0]) {
      await notify({
        accountSid: root.sid,
        callSid: null,
        fault: "storeUnwritable",
        detail: `${one.reason}; from ${iso8601(one.since)} until ${iso8601(one.endedAt)}`,
        level: "error",
        cause: { at: one.since, id: `store ${Math.floor(one.since / minuteMs)}` },
      }, ports);
      past.shift();
    }
  }

  ports.store.onChange((failure) => {
    storeWritable.set(failure === null ? 1 : 0);
    if (failure !== null) {
      failing = failure;
      const { kind, reason } = failure;
      return ports.log("The store cannot write", { level: "error", kind, reason });
    }
    if (failing === null) return;
    const ended = { ...failing, endedAt: ports.now() };
    failing = null;
    ports.log("The store can write again", { failedForMs: ended.endedAt - ended.since });
    if (past.length === mostPast) past.shift();
    past.push(ended);
    // It may fail again meanwhile: then this one is reported after the next failure.
    telling = telling.then(tell).catch((error) =>
      ports.log("Cannot write the Notification of a failure of the store yet", { error })
    );
  });
  return { told: () => telling };
}
