import { z } from "zod";
import { batches, subtree } from "../accounts/walk.ts";
import { exponential, job, type JobKind } from "../job.ts";

const args = z.object({ accountSid: z.string() });

/**
 * Has the companion look the Clients and Gateways of an account and its descendants up again: its
 * Status changed.
 */
export const forgetAccount: JobKind<z.infer<typeof args>> = job({
  kind: "account.forget",
  args,
  lane: () => "accounts",
  maxAttempts: 10,
  retryMs: exponential(250, 30_000),

  async work({ accountSid }, ports, { signal }) {
    for await (const sid of subtree(accountSid, ports.accounts)) {
      for await (const clients of batches(ports.records.clients, sid)) {
        signal.throwIfAborted();
        await ports.bridge.invalidate(clients.map(({ login }) => login));
      }
    }
    await ports.bridge.gatewaysChanged();
  },
});
