/**
 * One attempt at a webhook. Its cost was measured by leaving parts out, in bursts of 1,000 in turn
 * in one process (2026-11-27, rough): both HMACs take 7 % of some 460 µs of the main thread, the
 * index of Deliveries by status 6 %, finer counters 5 %. AbortSignals of time limits and leases
 * take 3 %, spans 1 %. It makes 430 allocations of the C library, half of them for the store, and
 * 110 kB of objects of V8. Not taken, together 3 %: `querystring` for the form, random numbers of
 * Sids fetched a thousand at a time, Sids read from hex without native code.
 */
import {
  type Exchange,
  headerLines,
  masked,
  reasonOf,
  secretsOf,
  textOf,
} from "../base/exchange.ts";
import type { JobRun } from "../model/ports/job_handler.ts";
import { outside } from "../base/loop_work.ts";
import { limits } from "../base/limits.ts";
import { webhookAttempts, webhookDuration } from "../metrics/service_metrics.ts";
import type { Ports } from "../model/ports/ports.ts";
import { tokensOf } from "../accounts/access.ts";
import { tenantOf } from "../accounts/tenant.ts";
import type { Account } from "../model/resources/accounts.ts";
import type { Delivery, DeliveryAttempt } from "../model/resources/deliveries.ts";
import { signedRequest, signerOf } from "../base/signature.ts";
import { timeLimit } from "../base/time_limit.ts";
import { shownRequest, signableOf } from "./request.ts";

/** Outcome of one request: as the Delivery stores it, and as a Notification shows it. */
export interface Attempt {
  made: DeliveryAttempt;
  exchange: Exchange;
}

/** An attempt that is to be repeated; `cause` is the error of one without a response. */
export class AttemptFailed extends Error {
  override readonly name = "AttemptFailed";
  readonly made: DeliveryAttempt;
  readonly exchange: Exchange;

  constructor(message: string, { made, exchange }: Attempt, options?: ErrorOptions) {
    super(message, options);
    this.made = { ...made, error: message };
    this.exchange = exchange;
  }
}

/** Sends the request of a Delivery. Throws AttemptFailed unless the status is below 500. */
export async function attemptOf(
  delivery: Delivery,
  account: Account,
  { ports, run }: { ports: Ports; run: JobRun },
): Promise<Attempt> {
  const signable = signableOf(delivery);
  const hidden = [...tokensOf(account), ...secretsOf(signable.url)];
  const startTime = ports.now();
  const begunAt = ports.steadyNow();
  const timed = () => ({ startTime, duration: Math.round(ports.steadyNow() - begunAt) });
  const request = shownRequest(delivery);
  using time = timeLimit(limits.callbackTimeoutMs, run.signal);
  try {
    const keyed = { authToken: account.authToken, now: startTime };
    const signed = signedRequest(signable, { ...keyed, signal: time.signal });
    const headers = { ...signed.headers, "x-switchboard-delivery": delivery.sid };
    const { answer, text } = await outside(async () => {
      const request = { ...signed, headers, tenant: tenantOf(account) };
      const answer = await ports.fetch(request, signerOf(signable, keyed));
      return { answer, ...await textOf(answer, limits.callbackAnswerBytes) };
    });
    const exchange = {
      ...request,
      responseHeaders: masked(headerLines(answer), hidden),
      responseBody: masked(text, hidden),
    };
    const attempt = { made: { ...timed(), ...answerOf(answer.status, exchange) }, exchange };
    measure(attempt);
    if (answer.status < 500) return attempt;
    throw new AttemptFailed(`the server answered ${answer.status}`, attempt);
  } catch (error) {
    if (error instanceof AttemptFailed || run.signal.aborted) throw error;
    const nothing = { status: null, responseHeaders: null, responseBody: null, error: null };
    const attempt = { made: { ...timed(), ...nothing }, exchange: request };
    measure(attempt);
    const message = time.isOver
      ? `no complete response within ${limits.callbackTimeoutMs / 1_000} s`
      : reasonOf(error, hidden).slice(0, limits.deliveryErrorLength);
    throw new AttemptFailed(message, attempt, { cause: error });
  }
}

function measure({ made: { status, duration } }: Attempt): void {
  const outcome = status === null ? "none" : `${Math.floor(status / 100)}xx`;
  webhookAttempts.inc({ outcome });
  webhookDuration.observe(duration / 1_000);
}

const answerOf = (status: number, { responseHeaders, responseBody }: Exchange) => ({
  status,
  responseHeaders: responseHeaders.slice(0, limits.deliveryAnswerLength),
  responseBody: responseBody.slice(0, limits.deliveryAnswerLength),
  error: null,
});
