import { z } from "zod";
import { firstScript } from "../calls/next_script.ts";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({ accountSid: z.string(), callSid: z.string() });

/** Gives a live call the script of its new Url, whatever it was doing. */
export const redirectCall: JobKind<z.infer<typeof args>> = job({
  kind: "call.redirect",
  args,
  lane: ({ accountSid }) => `documents:${accountSid}`,
  maxAttempts: 5,
  retryMs: exponential(250, 4_000),
  async work({ accountSid, callSid }, ports, { signal }) {
    const call = await ports.records.calls.get(accountSid, callSid);
    if (call?.status !== "in-progress") return; // It ended meanwhile.
    const script = await firstScript({ call, ports, signal });
    await ports.bridge.run(callSid, script, call.companion);
  },
});
