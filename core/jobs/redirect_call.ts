import { z } from "zod";
import type { Script } from "../bridge_script.ts";
import { firstScript } from "../calls/next_script.ts";
import { secondLegParameters } from "../calls/second_leg.ts";
import { withPeers } from "../companions.ts";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({
  accountSid: z.string(),
  callSid: z.string(),
  /** Whom the call talks to gets a document of the Url as well, as the call that it is. */
  both: z.boolean().optional(),
});

/** Gives a live call the script of its new Url, whatever it was doing. */
export const redirectCall: JobKind<z.infer<typeof args>> = job({
  kind: "call.redirect",
  args,
  lane: ({ accountSid }) => `documents:${accountSid}`,
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
    const asking = { call, ports, signal, params, cause: { at: madeAt, id } };
    const script = await withPeers(await firstScript(asking), at, ports);
    await ports.bridge.run(callSid, script, { at, ...both && { other } });
  },
});
