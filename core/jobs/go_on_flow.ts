import { z } from "zod";
import { standing } from "../access.ts";
import { goOn } from "../flows/go_on.ts";
import { exponential, job, type JobKind } from "../job.ts";
import { DocumentFault } from "../markup/fetch.ts";
import { notify } from "../notify.ts";

const args = z.object({
  accountSid: z.string(),
  callSid: z.string(),
  /** Where the flow goes on. */
  url: z.string(),
  /** What its last step brought. */
  params: z.record(z.string(), z.string()),
});

/** Goes on with a flow whose caller left inside a step: its result can still be told and sent. */
export const goOnFlow: JobKind<z.infer<typeof args>> = job({
  kind: "flow.goOn",
  args,
  lane: ({ accountSid }) => `flows:${accountSid}`,
  maxAttempts: 5,
  retryMs: exponential(1_000, 60_000, 4),
  async work({ accountSid, callSid, url, params }, ports, { id, madeAt, signal }) {
    const account = await ports.accounts.get(accountSid);
    const call = await ports.records.calls.get(accountSid, callSid);
    if (account === null || call === null) return;
    if (await standing(account, ports.accounts) !== "active") return;
    const cause = { at: madeAt, id };
    const source = { url, method: "POST", params } as const;
    try {
      await goOn({ account, call, source, cause, signal }, ports);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      const { fault, detail = "", exchange } = error;
      await notify({ accountSid, callSid, fault, detail, level: "error", exchange, cause }, ports);
    }
  },
});
