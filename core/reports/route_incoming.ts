import type { LegEvent } from "../protocol/events.ts";
import type { Script } from "../protocol/script.ts";
import { limits } from "../base/limits.ts";
import { parseAddress } from "../model/values/address.ts";
import { firstScript, refuse, type ScriptContext } from "../documents/next_script.ts";
import { numberScript } from "./number_leg.ts";
import { routeTo } from "../calls/route.ts";
import { isLive } from "../model/values/status.ts";
import { takeOver } from "./take_over.ts";

/**
 * The script of a Client's call (spec, "Behaviour rules" of Client): the Client's markup if it has a
 * VoiceUrl or an application; else a dial of the Client or number. The companion has authenticated the
 * caller.
 */
export async function routeIncoming(
  event: LegEvent & { type: "incoming" },
  context: ScriptContext,
): Promise<Script> {
  const { call, ports } = context;
  const { accountSid } = call;
  if (event.replaces !== undefined) return await replaceScript(event.replaces, context);
  if (call.phoneNumberSid !== null) return await numberScript(context);
  if (call.url !== null) return await firstScript(context);

  const caller = await ports.records.clients.get(accountSid, event.clientSid);
  if (caller?.voiceApplicationSid) {
    const detail =
      `the application ${caller.voiceApplicationSid} of the caller has neither Flow nor RcmlUrl`;
    return await refuse({ fault: "noRoute", detail }, 404, context);
  }
  const address = parseAddress(event.uri);
  const account = await ports.accounts.get(accountSid);
  if (address === null || account === null) {
    return await refuse({ fault: "noRoute", detail: event.uri }, 404, context);
  }
  const routing = await routeTo(address, { account, from: call.from, call }, ports);
  if ("fault" in routing) return await refuse(routing, 404, context);
  const { rateMicros, ...called } = routing;
  const leg = ports.newSid("CA");
  return [{
    type: "dial",
    legs: [{ leg, accountSid, ...called, headers: event.headers, ...contextOf(rateMicros) }],
    // Softphones negotiate media with each other; towards a trunk the companion bridges codecs.
    media: routing.target.kind === "client" ? "proxied" : "anchored",
    timeoutS: limits.ringTimeoutS,
    timeLimitS: limits.dialTimeLimitS,
  }, { type: "hangup", cause: "script-end" }];
}

/** Takes the place of another leg of the same account, at whichever companion that is. */
async function replaceScript(leg: string, { call, ports }: ScriptContext): Promise<Script> {
  const { accountSid, from, companion } = call;
  const replaced = await ports.records.calls.get(accountSid, leg);
  if (replaced?.companion?.id !== companion?.id) {
    return await takeOver(replaced, { accountSid, from, media: "proxied" }, ports);
  }
  // Only the companion knows whether the leg is connected to another one.
  const isThere = replaced !== null && isLive(replaced.status);
  return isThere
    ? [{ type: "replace", leg }]
    : [{ type: "reject", status: 481, cause: "unreachable" }];
}

const contextOf = (rateMicros: number) =>
  rateMicros === 0 ? {} : { serviceContext: { rateMicros } };
