import type { Script } from "../protocol/script.ts";
import { firstScript } from "../documents/next_script.ts";
import { secondLegParameters } from "../reports/second_leg.ts";
import { withPeers } from "../companions/companions.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../ports/job_handler.ts";
import { type ArgsOf, redirectCall } from "../model/job_kinds.ts";

/** Performs `redirectCall`. */
export const redirectCallHandler: JobHandler<ArgsOf<typeof redirectCall>> = handler(redirectCall, {
  maxAttempts: 5,
  retryMs: exponential(250, 4_000),
  async work({ accountSid, callSid, both = false }, ports, { id, madeAt, signal }) {
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call?.status !== "in-progress") return; // It ended meanwhile.
    const { url, method, companion: at } = call;
    const other: Script = both && url !== null
      ? [{ type: "next", action: { url, method, hops: 0 } }]
      : [];
    const params = await secondLegParameters(call, ports);
    const context = { call, ports, signal, params, cause: { at: madeAt, id } };
    const script = await withPeers(await firstScript(context), { at }, ports);
    await ports.control.run(callSid, script, { at, ...both && { other } });
  },
});
