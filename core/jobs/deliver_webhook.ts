import { z } from "zod";
import { headerLines, readText, unanswered } from "../exchange.ts";
import { method } from "../fields.ts";
import { exponential, job, type JobKind } from "../job.ts";
import { limits } from "../limits.ts";
import { notification } from "../notify.ts";
import { signedRequest } from "../signature.ts";

const fault = "callbackFailed";

const args = z.object({
  accountSid: z.string(),
  callSid: z.string().nullable(),
  url: z.string(),
  method,
  params: z.record(z.string(), z.string()),
});

/**
 * Sends one status callback. An answer below 500 counts as received, one from 400 with a warning;
 * everything else is tried again. `X-Switchboard-Delivery` is the same on every attempt.
 */
export const deliverWebhook: JobKind<z.infer<typeof args>> = job({
  kind: "webhook.deliver",
  args,
  lane: ({ url }) => `wh:${URL.parse(url)?.host ?? "invalid"}`,
  maxAttempts: ({ callbackAttempts }) => callbackAttempts,
  retryMs: exponential(5_000, 3_600_000, 4), // With six attempts the last is after 28 minutes.

  async work(webhook, ports, run) {
    const account = await ports.accounts.get(webhook.accountSid);
    if (account === null) return;
    const timeout = AbortSignal.timeout(limits.callbackTimeoutMs);
    const request = await signedRequest(webhook, {
      authToken: account.authToken,
      now: ports.now(),
      signal: AbortSignal.any([run.signal, timeout]),
    });
    request.headers.set("x-switchboard-delivery", run.id);
    const response = await ports.fetch(request);
    const { text } = await readText(response, limits.callbackAnswerBytes);
    if (response.status >= 500) {
      throw new Error(`The server answered ${response.status}`);
    }
    if (response.status < 400) return;
    const exchange = { ...webhook, responseHeaders: headerLines(response), responseBody: text };
    const detail = `the server answered ${response.status}`;
    return [notification({ ...webhook, fault, detail, level: "warning", exchange }, ports)];
  },

  spent(webhook, ports, error) {
    const detail = `given up: ${error instanceof Error ? error.message : error}`;
    const exchange = unanswered(webhook);
    const notice = { ...webhook, fault, detail, level: "error", exchange } as const;
    return Promise.resolve([notification(notice, ports)]);
  },
});
