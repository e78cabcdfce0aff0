import { z } from "zod";
import { liveCompanions } from "../companions/companions.ts";
import { flag } from "../base/fields.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Call } from "../model/resources/calls.ts";
import { version } from "../base/version.ts";
import { rfc2822 } from "../base/wire.ts";

/** Parameters of a request for metrics, and of one for live calls. */
export const metricsQuery = z.object({ liveCallDetails: flag.optional() });
export const liveCallsQuery = z.object({});

/** Metrics of the running instance, by the names of the wire. */
export async function metrics(ports: Ports, withCalls: boolean): Promise<Record<string, unknown>> {
  const calls = await liveCalls(ports);
  const incoming = calls.filter(({ direction }) => direction === "inbound").length;
  const { instanceId, revision } = ports.settings;
  return {
    InstanceId: instanceId,
    Version: version,
    Revision: revision,
    Metrics: {
      ...ports.counters,
      LiveCalls: calls.length,
      LiveIncomingCalls: incoming,
      LiveOutgoingCalls: calls.length - incoming,
      RegisteredUsers: await registeredUsers(ports),
    },
    ...(withCalls ? { LiveCallDetails: calls.map(details) } : {}),
  };
}

/** Clients with a device at any companion; a Client at several companions counts once. */
async function registeredUsers(ports: Ports): Promise<number> {
  const live = await liveCompanions(ports);
  return live.length > 1 ? await ports.companions.countRegistered(live) : live[0]?.registered ?? 0;
}

/** The live calls of all accounts that a companion holds, as LiveCallDetails has them. */
export const liveCallDetails = async (ports: Ports): Promise<Record<string, unknown>[]> =>
  (await liveCalls(ports)).map(details);

async function liveCalls({ companions, records }: Ports): Promise<Call[]> {
  const held = (await companions.list()).map(({ id }) => records.calls.group("live", id));
  return (await Promise.all(held)).flat();
}

const details = (call: Call) => ({
  sid: call.sid,
  account_sid: call.accountSid,
  State: call.status,
  direction: call.direction,
  date_created: rfc2822(call.dateCreated),
  from: call.from,
  to: call.to,
  /** The Call-ID of the INVITE that began it. */
  "Initial Invite": call.sipCallId,
});
