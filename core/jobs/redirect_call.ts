import type { Script } from "../protocol/script.ts";
import { firstScript } from "../documents/next_script.ts";
import { secondLegParameters } from "../reports/second_leg.ts";
import { withPeers } from "../companions/companions.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import type { Call } from "../model/resources/calls.ts";
import { type ArgsOf, redirectCall } from "../model/job_kinds.ts";

/**
 * Performs `redirectCall`. A document may take long: after a later redirection it is neither requested nor
 * performed.
 */
export const redirectCallHandler: JobHandler<ArgsOf<typeof redirectCall>> = handler(redirectCall, {
  maxAttempts: 5,
  retryMs: exponential(250, 4_000),
  async work({ accountSid, callSid, redirect, both = false }, ports, { id, madeAt, signal }) {
    const isWanted = (call: Call | null): call is Call =>
      call?.status === "in-progress" && (redirect === undefined || call.redirects === redirect);
    const call = await ports.records.calls.get(accountSid, callSid);
    if (!isWanted(call)) return; // It ended meanwhile, or is redirected again.
    const { url, method, companion: at } = call;
    const other: Script = both && url !== null
      ? [{ type: "next", action: { url, method, hops: 0 } }]
      : [];
    const params = await secondLegParameters(call, ports);
    const context = { call, ports, signal, params, cause: { at: madeAt, id } };
    const script = await withPeers(await firstScript(context), { at }, ports);
    if (!isWanted(await ports.records.calls.get(accountSid, callSid))) return;
    await ports.control.run(callSid, script, { at, ...both && { other } });
  },
});
