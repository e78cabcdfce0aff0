/**
 * Metrics of a process, by prom-client: each process has a registry, and serves it itself. Series are values
 * of modules, raised where the thing happens; gauges of the store are read at a scrape, every 5 s at most.
 *
 * Refused: the metrics of OpenTelemetry, which need a collector; an own writer of the text format.
 */
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

/** Metrics of this process, without those of prom-client that Deno cannot measure. */
export const registry = new Registry();

/** Metrics of prom-client that read files of `/proc`, which our processes may not, or are of Node alone. */
const unknown = [
  "process_resident_memory_bytes",
  "process_virtual_memory_bytes",
  "process_heap_bytes",
  "process_open_fds",
  "process_max_fds",
  "nodejs_active_resources",
  "nodejs_active_resources_total",
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
  "nodejs_heap_space_size_total_bytes",
  "nodejs_heap_space_size_used_bytes",
  "nodejs_heap_space_size_available_bytes",
  "nodejs_version_info",
];

/**
 * Collects processor time, memory, event loop and garbage collection of this process from now on.
 * `residentBytes` reads its resident memory.
 */
export function collectProcess(residentBytes: () => number): void {
  collectDefaultMetrics({ register: registry });
  unknown.forEach((name) => registry.removeSingleMetric(name));
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory size in bytes.",
    registers: [registry],
    collect() {
      this.set(residentBytes());
    },
  });
}

/** Upper bounds of durations, in seconds: requests, commits, jobs. */
export const durationBuckets = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
];

/** The metrics of this process in the text format of Prometheus, version 0.0.4. */
export async function metricsResponse(): Promise<Response> {
  const body = await registry.metrics();
  return new Response(body, { headers: { "Content-Type": registry.contentType } });
}
