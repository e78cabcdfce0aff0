import { unanswered, withoutCredentials } from "../base/exchange.ts";
import { Fault } from "../base/faults.ts";
import { actionScript, type ScriptContext } from "../documents/next_script.ts";
import { notify } from "../webhooks/notify.ts";
import type { Action } from "../protocol/action.ts";
import type { Script } from "../protocol/script.ts";
import type { StreamOptions } from "../model/values/stream_options.ts";
import { createStream } from "./create_stream.ts";
import { streamParameters } from "./stream_events.ts";

/** The step of a Stream noun. One that cannot be opened leaves a Notification, and the call goes on. */
export async function streamScript(
  wanted: StreamOptions,
  action: Action | undefined,
  context: ScriptContext,
): Promise<Script> {
  const { call, ports, cause } = context;
  try {
    const { order } = await createStream(wanted, context, ports);
    return [{ type: "stream", stream: order, ...action && { action } }];
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "invalid") throw error;
    const { accountSid, sid: callSid } = call;
    const { fault, detail = "" } = error;
    const url = withoutCredentials(wanted.url);
    const exchange = unanswered({ url, method: "GET", params: {} });
    await notify({ accountSid, callSid, fault, detail, level: "error", exchange, cause }, ports);
    if (action === undefined) return [];
    return await actionScript(action, { StreamStatus: "failed", StreamError: detail }, context);
  }
}

/** Parameters of the request to a Connect's action, after a stream. */
export async function streamedParameters(
  { accountSid, sid }: { accountSid: string; sid: string },
  { records }: Pick<ScriptContext["ports"], "records">,
): Promise<Record<string, string>> {
  const stream = await records.streams.get(accountSid, sid);
  return stream === null ? {} : { ...streamParameters(stream), StreamStatus: stream.status };
}
