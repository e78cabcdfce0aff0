import { identifiedFetch } from "../net/identified_fetch.ts";
import { z } from "zod";
import { readText } from "../../base/exchange.ts";
import { Fault } from "../../base/faults.ts";
import { timeLimit } from "../../base/time_limit.ts";
import { limits } from "../../base/limits.ts";
import { aggregatorId } from "../../messages/aggregator.ts";
import { Undelivered } from "../../model/values/undelivered.ts";
import type { MessageRoute } from "../../model/ports/providers.ts";

/** Response of an aggregator that took a message; an empty one means that it is sent. */
const taken = z.object({
  /** `accepted`: a receipt follows. */
  status: z.enum(["sent", "accepted"]).optional(),
  /** Id of the message in its receipts; absent, the id that the service gave. */
  id: z.union([z.string(), z.number()]).transform(String)
    .pipe(z.string().min(1).max(limits.carrierIdLength)).optional(),
});

/**
 * The operator's aggregator over HTTP: a POST of `{id, from, to, body, account_sid}` for each
 * message, `id` the same when it is sent again. Its address is configured, so it may be a private one.
 */
export function smsAggregator({ url, token }: { url: string; token: string }): MessageRoute {
  return {
    reaches: ({ to }) => Promise.resolve(/^\+?\d+$/.test(to)),

    async send({ sid, accountSid, from, to, body }, signal) {
      using time = timeLimit(limits.aggregatorTimeoutMs, signal);
      const headers = {
        "content-type": "application/json",
        ...token !== "" && { authorization: `Bearer ${token}` },
      };
      const content = JSON.stringify({ id: sid, from, to, body, account_sid: accountSid });
      const request = { method: "POST", headers, body: content };
      const response = await identifiedFetch(url, { ...request, signal: time.signal }).catch(
        (cause) => {
          const why = time.isOver ? "does not answer in time" : "is out of reach";
          throw new Error(`the aggregator ${why}`, { cause });
        },
      );
      const { text } = await readText(response, limits.aggregatorAnswerBytes);
      if (response.ok) return deliveryOf(text, sid);
      const why = `the aggregator answered ${response.status}: ${text.slice(0, 200)}`;
      if (response.status === 429 || response.status === 503) throw new Undelivered(why);
      if (response.status < 500 && response.status !== 408) throw new Fault("messageRefused", why);
      throw new Error(why);
    },
  };
}

function deliveryOf(text: string, sid: string) {
  const { data } = taken.safeParse(jsonOf(text));
  return data?.status === "accepted" ? { carrierId: aggregatorId(data.id ?? sid) } : {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
