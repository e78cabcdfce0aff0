import { plainReason } from "../base/plain_reason.ts";
import { effectiveStatus, isTest } from "../accounts/access.ts";
import { tenantField } from "../accounts/tenant.ts";
import type { Invitation, Script } from "../protocol/script.ts";
import type { UssdStep } from "../protocol/ussd.ts";
import { actionScript, firstScript, type ScriptContext } from "../documents/next_script.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, pushUssd } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import type { Call } from "../model/resources/calls.ts";
import { placeSimulated } from "../trials/simulation/place.ts";
import { fail, lateness, place, routeOf } from "./dial_call.ts";

/** Performs `pushUssd`. */
export const pushUssdHandler: JobHandler<ArgsOf<typeof pushUssd>> = handler(pushUssd, {
  maxAttempts: limits.dialAttempts, // Its age comes first.
  retryMs: exponential(250, 4_000),

  async work({ accountSid, callSid }, ports, run) {
    const { id, madeAt, signal } = run;
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call?.status !== "queued") return; // Canceled meanwhile, or this is a second run.
    const account = await ports.accounts.get(accountSid);
    if (account === null || await effectiveStatus(account, ports.accounts) !== "active") {
      return await fail(call, ports, { fault: "accountInactive", detail: accountSid });
    }
    const routing = await routeOf(call, account, ports);
    if ("fault" in routing) return await fail(call, ports, routing);
    if (routing.target.kind !== "trunk") {
      return await fail(call, ports, {
        fault: "noRoute",
        detail: `${call.to} is a Client or number of this service; a USSD dialogue needs a trunk`,
      });
    }
    const late = lateness(call, run, ports);
    if (late !== undefined) return await fail(call, ports, late);
    const { rateMicros: _, limited: __, endsAfterMs: ___, ...called } = routing; // No minutes are talked.
    const cause = { at: madeAt, id };
    const instead = { type: "reject", status: 500 } as const;
    const script = await openingScript({ call, ports, signal, cause, instead });
    if (script[0]?.type === "reject") return await fail(call, ports); // A Notification exists.
    const of = { accountSid, ...tenantField(account) };
    const begun = withInvitation({ leg: callSid, ...of, ...called }, script, call);
    if (begun !== null && isTest(account)) return await placeSimulated(call, begun, ports);
    if (begun !== null) return await place(call, begun, called.target, ports);
    const detail = "the document must begin with UssdMessage or UssdCollect";
    await fail(call, ports, { fault: "documentInvalid", detail });
  },

  async spent({ accountSid, callSid }, ports, error) {
    const call = await ports.records.calls.get(accountSid, callSid);
    const detail = plainReason(error);
    if (call?.status === "queued") await fail(call, ports, { fault: "notDialled", detail });
    return [];
  },
});

/** The script of the first document that is more than a redirect. */
async function openingScript(context: ScriptContext): Promise<Script> {
  let script = await firstScript(context);
  for (let [first] = script; first?.type === "next"; [first] = script) {
    script = await actionScript(first.action, {}, context);
  }
  return script;
}

/** The script that begins with its first text in the INVITE; null where it begins otherwise. */
function withInvitation(invitation: Invitation, script: Script, call: Call): Script | null {
  const at = script.findIndex(({ type }) => type === "ussd");
  const before = script.slice(0, at);
  const isFirst = at >= 0 &&
    before.every((step) => step.type === "note" && step.action === undefined);
  if (!isFirst) return null;
  const { message, collect } = script[at] as UssdStep;
  const shown = { ...script[at] as UssdStep, invited: true };
  return [
    {
      type: "invite",
      invitation: { ...invitation, ussd: { message, collect } },
      timeoutS: call.timeout,
    },
    ...before,
    shown,
    ...script.slice(at + 1),
  ];
}
