import { type HttpOptions, serveHttp } from "./http_server.ts";
import { netLimits } from "./limits.ts";
import { createPlaces } from "./places.ts";
import { forPrograms } from "../../base/safe_headers.ts";
import { metricsResponse } from "../../metrics/registry.ts";

/** Address of the listener of metrics; `name` is the variable of the port. */
export interface MetricsAddress {
  hostname: string;
  port: number;
  name: string;
  log: HttpOptions["log"];
}

/**
 * Serves `GET /metrics` without credentials; nothing where the port is 0. `refresh` brings the gauges
 * up to date. Rejects when the address cannot be had.
 */
export async function listenMetrics(
  { log, ...address }: MetricsAddress,
  refresh: () => Promise<void> | void,
): Promise<{ shutdown(): Promise<void> }> {
  if (address.port === 0) return { shutdown: () => Promise.resolve() };
  const places = createPlaces(netLimits.internalConnections);
  return await serveHttp({ address, places, log }, async (request) => {
    if (new URL(request.url).pathname !== "/metrics") {
      return forPrograms(new Response("Metrics are at /metrics\n", { status: 404 }));
    }
    await refresh();
    return forPrograms(await metricsResponse());
  });
}
