import type { Invitation, Script } from "../protocol/script.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { connectedChild } from "./second_leg.ts";
import { isLive } from "../model/values/status.ts";

/** The remote party of a leg: the caller of an inbound leg, else the callee. */
export const softphoneOf = ({ direction, from, to }: Call): string =>
  direction === "inbound" ? from : to;

/**
 * The call that replaces a leg at another companion in its conversation. Refused with 481 when that
 * leg has ended, or its companion is unknown. That companion decides whether the leg is connected:
 * its report of the answer may still be on its way. The call stays within the service and is free.
 */
export async function takeOver(
  replaced: Call | null,
  { media, ...leg }:
    & Pick<Invitation, "accountSid" | "from" | "headers" | "serviceContext">
    & { leg?: Invitation["leg"]; media: "anchored" | "proxied" },
  ports: Ports,
): Promise<Script> {
  const { id = "", runId } = replaced?.companion ?? {};
  const holder = await ports.companions.get(id);
  const sipUri = holder?.runId === runId ? holder?.sipUri : undefined;
  if (replaced === null || !isLive(replaced.status) || sipUri === undefined) {
    return [{ type: "reject", status: 481, cause: "unreachable" }];
  }
  const { sid, accountSid } = replaced;
  const target = { kind: "leg", leg: sid, accountSid, peer: { sipUri } } as const;
  const to = await partyOf(replaced, ports);
  return [{
    type: "dial",
    legs: [{ leg: ports.newSid("CA"), to, target, ...leg }],
    media,
    timeoutS: limits.ringTimeoutS,
    timeLimitS: limits.dialTimeLimitS,
  }, { type: "hangup", cause: "script-end" }];
}

/** The party that a leg is connected to. */
async function partyOf(call: Call, ports: Ports): Promise<string> {
  const { accountSid, parentCallSid, direction, from, to } = call;
  const other = parentCallSid === null
    ? await connectedChild(call, ports)
    : await ports.records.calls.get(accountSid, parentCallSid);
  if (other) return softphoneOf(other);
  return direction === "inbound" ? to : from;
}
