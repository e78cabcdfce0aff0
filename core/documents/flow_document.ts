import { type Exchange, unanswered } from "../base/exchange.ts";
import type { FaultName } from "../base/faults.ts";
import type { Document } from "./fetch.ts";
import { type Cause, notify } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Signable } from "../base/signature.ts";
import { type FlowPlace, flowUrl, readFlowUrl, shownUrl } from "../model/flows/address.ts";
import { readFlow } from "../model/flows/check_flow.ts";
import type { Variables } from "../model/flows/expand.ts";
import { askService } from "./external_service.ts";
import { broken, walkFlow } from "./flow_walk.ts";
import { linkTo } from "../recordings/link.ts";
import type { Flow } from "../model/flows/steps.ts";

/** The call or message that a flow runs for. */
export interface FlowContext {
  accountSid: string;
  /** The account right under the root. */
  tenant: string;
  callSid: string | null;
  /** Parameters of the call or message that every request for markup carries. */
  known: Variables;
  signal: AbortSignal;
  cause?: Cause | undefined;
}

/**
 * The next document of a flow: its steps from a place on, up to a step with a result that the flow
 * needs. `params` is the result of the step before. Throws a DocumentFault.
 */
export async function flowDocument(
  { url, params }: Signable,
  context: FlowContext,
  ports: Ports,
): Promise<Document> {
  const { accountSid, known, callSid, tenant, signal } = context;
  const { RecordingSid: sid } = params; // Its steps send the address to people, who have no credentials.
  const linked = sid === undefined
    ? params
    : { ...params, RecordingUrl: await linkTo({ accountSid, sid }, ports) };
  const place = readFlowUrl(url);
  const flow = await flowOf(place, context, ports);
  const warn = (fault: FaultName, detail: string, exchange: Exchange = flowExchange(place)) =>
    notify({
      accountSid,
      callSid,
      cause: context.cause,
      exchange,
      fault,
      detail,
      level: "warning",
    }, ports);
  const { verbs, skipped } = await walkFlow(
    { flow, place, params: linked, known, isCall: callSid !== null, at: ports.now() },
    {
      ask: (step, known) => askService(step, known, { signal, tenant, ports }),
      warn: (detail, exchange) => warn("serviceFailed", detail, exchange),
    },
  );
  if (skipped.length > 0) await warn("markupSkipped", skipped.join("; "));
  const { applicationSid } = place;
  return { url: flowUrl({ applicationSid, step: null, phase: "begin", variables: {} }), verbs };
}

async function flowOf(place: FlowPlace, context: FlowContext, ports: Ports): Promise<Flow> {
  const { applicationSid } = place;
  const application = await ports.records.applications.get(context.accountSid, applicationSid);
  if (application?.flow) return readFlow(application.flow);
  throw broken(place, "flowFailed", `the application ${applicationSid} has none any more`);
}

const flowExchange = (place: FlowPlace): Exchange =>
  unanswered({ url: shownUrl(flowUrl(place)), method: "", params: {} });
