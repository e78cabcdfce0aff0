import { unanswered, withoutCredentials } from "../base/exchange.ts";
import { Fault, faults } from "../base/faults.ts";
import { sidOfCause } from "../base/sid.ts";
import { signedHandshake } from "../base/signature.ts";
import { actionScript, type ScriptContext } from "../documents/next_script.ts";
import type { AlsoInserted } from "../model/record_types.ts";
import { notification, notify } from "../webhooks/notify.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Action } from "../protocol/action.ts";
import type { ConversationOrder, ConversedEvent } from "../protocol/streams.ts";
import type { Script } from "../protocol/script.ts";
import type { Call } from "../model/resources/calls.ts";
import type { ConversationOptions } from "../model/values/stream_options.ts";
import { assertSocketUrl } from "./socket_url.ts";

/** Conversations by text: the step of a ConversationRelay, and the parameters of its `action`. */

/** The step of the noun. One that cannot be opened leaves a Notification, and the call goes on. */
export async function conversationScript(
  wanted: ConversationOptions,
  action: Action | undefined,
  context: ScriptContext,
): Promise<Script> {
  const { call, ports, cause } = context;
  try {
    const conversation = await orderOf(wanted, context);
    return [{ type: "converse", conversation, ...action && { action } }];
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== "invalid") throw error;
    const { accountSid, sid: callSid } = call;
    const { fault, detail = "" } = error;
    const exchange = unanswered({ url: withoutCredentials(wanted.url), method: "GET", params: {} });
    await notify({ accountSid, callSid, fault, detail, level: "error", exchange, cause }, ports);
    if (action === undefined) return [];
    return await actionScript(action, failedParameters(faults[fault].code, detail), context);
  }
}

async function orderOf(
  { url, parameters, settings }: ConversationOptions,
  { call, ports, cause }: ScriptContext,
): Promise<ConversationOrder> {
  const { accountSid } = call;
  assertSocketUrl(url, ports.settings, { mayHaveQuery: true });
  const account = await ports.accounts.get(accountSid);
  if (account === null) throw new Fault("notFound", accountSid);
  const sid = cause === undefined ? ports.newSid("VX") : sidOfCause("VX", cause);
  const signed = signedHandshake(url, { authToken: account.authToken, now: ports.now() });
  return { sid, ...signed, setup: setupOf(sid, call, parameters), settings };
}

/** The first message to the server. */
const setupOf = (sid: string, call: Call, customParameters: Record<string, string>) => ({
  type: "setup",
  sessionId: sid,
  accountSid: call.accountSid,
  parentCallSid: call.parentCallSid ?? "",
  callSid: call.sid,
  from: call.from,
  to: call.to,
  forwardedFrom: call.forwardedFrom ?? "",
  callType: callTypeOf(call),
  callerName: call.callerName ?? "",
  direction: call.direction,
  callStatus: "IN-PROGRESS",
  customParameters,
});

/** Type of the remote party: a Client, a SIP address or the telephone network. */
function callTypeOf({ direction, from, to }: Call): string {
  const party = direction === "inbound" ? from : to;
  if (party.startsWith("client:")) return "CLIENT";
  return /^sips?:/.test(party) ? "SIP" : "PSTN";
}

const failedParameters = (code: number, message: string): Record<string, string> => ({
  SessionStatus: "failed",
  ErrorCode: String(code),
  ErrorMessage: message,
});

const faultOf = {
  unreachable: "conversationUnreachable",
  messages: "conversationMessages",
} as const;

/** Parameters of the request to a Connect's action, after a conversation. */
export function conversedParameters(event: ConversedEvent): Record<string, string> {
  const { sid, how, durationS, handoffData, fault, message = "" } = event;
  return {
    SessionId: sid,
    SessionDuration: String(durationS),
    ...fault === undefined
      ? { SessionStatus: how }
      : failedParameters(faults[faultOf[fault]].code, message),
    ...handoffData !== undefined && { HandoffData: handoffData },
  };
}

/** The Notification of a conversation that failed. */
export function conversedNotices(
  { accountSid, sid: callSid }: Call,
  { sid, url, fault, message }: ConversedEvent,
  ports: Ports,
): AlsoInserted[] {
  if (fault === undefined) return [];
  const exchange = unanswered({ url, method: "GET", params: {} });
  const detail = `${sid}: ${message ?? ""}`;
  const notice = { accountSid, callSid, fault: faultOf[fault], detail, exchange } as const;
  return [notification({ ...notice, level: "error" }, ports)];
}
