import { registry } from "./registry.ts";

/** The metrics of this process in the text format of Prometheus, version 0.0.4. */
export async function metricsResponse(): Promise<Response> {
  const body = await registry.metrics();
  return new Response(body, { headers: { "Content-Type": registry.contentType } });
}
