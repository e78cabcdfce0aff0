import type { Endpoint, Flow } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { hostPort } from "./local_name.ts";

/**
 * The flows of a socket without connections, by their peers. A binding, a dialog or a transaction
 * holds its flow. A flow without a holder is dropped.
 */
export interface FlowTable {
  /** The flow to a peer, made where it is needed; undefined while there are too many in use. */
  get(remote: Endpoint): Flow | undefined;
}

export interface FlowTableOptions {
  clock: Clock;
  max: number;
  create(remote: Endpoint): Flow;
}

export function createFlowTable({ clock, max, create }: FlowTableOptions): FlowTable {
  const flows = new Map<string, WeakRef<Flow>>();
  let purgedAt = -Infinity;

  const purge = () => {
    // So many peers at once are a flood: to look at all of them for each datagram would help it.
    if (clock.now() - purgedAt < sipLimits.udpPurgeMs) return;
    purgedAt = clock.now();
    for (const [key, flow] of flows) if (flow.deref() === undefined) flows.delete(key);
  };

  return {
    get(remote) {
      const key = hostPort(remote.host, remote.port);
      const known = flows.get(key)?.deref();
      if (known !== undefined) return known;
      if (flows.size >= max) purge();
      if (flows.size >= max) return undefined;
      const flow = create(remote);
      flows.set(key, new WeakRef(flow));
      return flow;
    },
  };
}
