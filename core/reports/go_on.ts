import { callParameters } from "../calls/parameters.ts";
import { limits } from "../base/limits.ts";
import { endsOf } from "../documents/compile.ts";
import { compileAnswer } from "../documents/compile_answer.ts";
import type { Element } from "../markup/parse.ts";
import { keep, performAction, type PerformedAction } from "../messages/perform_action.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Call } from "../model/resources/calls.ts";
import type { Cause } from "../base/sid.ts";
import type { Signable } from "../base/signature.ts";
import { tenantOf } from "../accounts/tenant.ts";
import { isFlow } from "../model/flows/address.ts";
import { flowDocument } from "../documents/flow_document.ts";

/** A flow whose caller hung up during a step that has a result. */
export interface Left {
  account: Account;
  call: Call;
  source: Signable;
  cause: Cause;
  signal: AbortSignal;
}

/** True for a verb that needs no live call. */
const isUnattended = ({ name, text }: Element): boolean =>
  name === "Sms" || name === "Email" || name === "Redirect" && isFlow(text);

/** The verbs of a flow up to the first that needs a live call. */
export function unattendedVerbs(verbs: readonly Element[]): readonly Element[] {
  const attended = verbs.findIndex((verb) => !isUnattended(verb));
  return attended < 0 ? verbs : verbs.slice(0, attended);
}

/**
 * Continues a flow after its call ended, up to the first step that needs a live call: a recording can
 * still be reported and sent. Throws a DocumentFault.
 */
export async function goOn(left: Left, ports: Ports): Promise<void> {
  const { account, call, cause, signal } = left;
  const known = callParameters(call, ports.settings);
  const of = { accountSid: account.sid, tenant: tenantOf(account), callSid: call.sid };
  const context = { ...of, known, signal, cause };
  let source: Signable | null = left.source;
  for (let hops = 0; source !== null && hops < limits.documentHops; hops++) {
    const document = await flowDocument(source, context, ports);
    const verbs = unattendedVerbs(document.verbs);
    source = await perform(verbs, { documentUrl: document.url, hops }, left, ports);
  }
}

/** Resolves with the place where the flow continues; null where it ends. */
async function perform(
  verbs: readonly Element[],
  place: { documentUrl: string; hops: number },
  { call, cause }: Left,
  ports: Ports,
): Promise<Signable | null> {
  const { accountSid, sid: callSid } = call;
  const { steps } = await compileAnswer(verbs, { ...place, ends: endsOf(call) });
  for (const [at, step] of steps.entries()) {
    if (step.type === "next") return { ...step.action, params: {} };
    const ordering = {
      accountSid,
      callSid,
      cause: { ...cause, id: `${cause.id} ${place.hops} ${at}` },
    };
    const made: PerformedAction = await performAction(step.serviceContext, ordering, ports);
    await keep(made, ports);
    if (step.action !== undefined) return { ...step.action, params: made.params };
  }
  return null;
}
