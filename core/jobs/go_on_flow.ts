import { effectiveStatus } from "../accounts/access.ts";
import { goOn } from "../reports/go_on.ts";
import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { type ArgsOf, goOnFlow } from "../model/job_kinds.ts";
import { DocumentFault } from "../documents/fetch.ts";
import { notify } from "../webhooks/notify.ts";

/** Performs `goOnFlow`. */
export const goOnFlowHandler: JobHandler<ArgsOf<typeof goOnFlow>> = handler(goOnFlow, {
  maxAttempts: 5,
  retryMs: exponential(1_000, 60_000, 4),
  async work({ accountSid, callSid, url, params }, ports, { id, madeAt, signal }) {
    const account = await ports.accounts.get(accountSid);
    const call = await ports.records.calls.get(accountSid, callSid);
    if (account === null || call === null) return;
    if (await effectiveStatus(account, ports.accounts) !== "active") return;
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
