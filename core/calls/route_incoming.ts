import type { LegEvent, Script } from "../bridge.ts";
import { limits } from "../limits.ts";
import { notify } from "../notify.ts";
import { targetOf } from "./address.ts";
import { type Asking, firstScript } from "./next_script.ts";

/**
 * What a Client's call does (spec, "Behaviour rules" of Client): markup when the Client has a
 * VoiceUrl or an application, else it is proxied to the Client it dialled. Only registered Clients
 * get this far: the companion has authenticated the caller.
 */
export async function routeIncoming(
  event: LegEvent & { type: "incoming" },
  asking: Asking,
): Promise<Script> {
  const { call, ports } = asking;
  const { accountSid } = call;
  if (call.url !== null) return await firstScript(asking);

  const caller = await ports.records.clients.get(accountSid, event.clientSid);
  if (caller?.voiceApplicationSid) {
    const detail = `the application ${caller.voiceApplicationSid} of the caller has no RcmlUrl`;
    return await notRouted(detail, 404, asking);
  }
  const target = targetOf(event.uri, ports.settings.sipDomain);
  const callee = target && await ports.records.clients.holder("login", target.login);
  if (!callee || callee.status === "0") {
    return await notRouted(event.uri, 404, asking);
  }
  return [{
    type: "dial",
    legs: [{
      leg: ports.newSid("CA"),
      accountSid,
      from: call.from,
      to: `client:${callee.login}`,
      target: { kind: "client", login: callee.login },
      headers: event.headers,
    }],
    media: "proxied",
    timeoutS: limits.ringTimeoutS,
    timeLimitS: limits.dialTimeLimitS,
  }, { type: "hangup" }];
}

async function notRouted(detail: string, status: number, { call, ports }: Asking): Promise<Script> {
  const { accountSid, sid: callSid } = call;
  const subject = { accountSid, callSid, fault: "noRoute" } as const;
  await notify({ ...subject, detail, level: "error" }, ports);
  return [{ type: "reject", status }];
}
