import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";

/** Markup parameters about the leg that a call's Dial placed, while the two are connected. */
export async function secondLegParameters(
  call: Call,
  ports: Ports,
): Promise<Record<string, string>> {
  const talking = await connectedChild(call, ports);
  return talking === undefined ? {} : { OutboundCallSid: talking.sid };
}

/** The leg that a call's Dial placed, while the two are connected. */
export async function connectedChild(
  { accountSid, sid }: Call,
  { records }: Ports,
): Promise<Call | undefined> {
  const where = [{ field: "parentCallSid", op: "equals", value: sid }] as const;
  const query = { where: [...where], skip: 0, limit: limits.dialLegs };
  const { items } = await records.calls.list(accountSid, query);
  return items.find(({ status }) => status === "in-progress");
}
