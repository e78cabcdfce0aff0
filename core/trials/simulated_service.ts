import type { Answer, OutgoingRequest } from "../base/outgoing.ts";
import { askService, type Served } from "../documents/external_service.ts";
import type { Variables } from "../model/flows/expand.ts";
import type { StepOf } from "../model/flows/steps.ts";
import { addResult, type Run, takeInput } from "./run_flow.ts";

/** Statuses whose response has no body (RFC 9110 §6.4.1). */
const withoutBody = new Set([204, 205, 304]);

/** The result of a request to an external service whose response is the next input; none is sent. */
export async function simulatedService(
  step: StepOf<"externalService">,
  known: Variables,
  run: Run,
): Promise<Served> {
  const stop = new AbortController();
  const served = await askService(step, known, {
    signal: stop.signal,
    ports: { fetch: (request) => respond(request, run, stop) },
  });
  addResult(run, served.variables);
  return served;
}

async function respond(
  { method, url, body }: OutgoingRequest,
  run: Run,
  stop: AbortController,
): Promise<Answer> {
  const shown = run.steps.at(-1);
  if (shown !== undefined) shown.request = { method, url: url.href, body: body || null };
  try {
    const input = takeInput(run, ["response", "noResponse"]);
    if (input.type === "noResponse") return await Promise.reject(new Error("no response in time"));
    const { status, body: text = "" } = input;
    const content = withoutBody.has(status) ? "" : text;
    return { url: url.href, status, headers: [], body: new TextEncoder().encode(content) };
  } catch (error) {
    // An input that is missing ends the dry run, and is no failure of the service.
    if (error instanceof Error && error.name === "RunOver") stop.abort(error);
    throw error;
  }
}
