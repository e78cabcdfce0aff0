import type { MessageAnswer, TrunkMessage } from "../../core/protocol/messages.ts";
import { heard } from "../../core/documents/new_leg.ts";
import { callerOf } from "../../core/reports/number_leg.ts";
import { receiveMessage } from "../../core/messages/receive_message.ts";
import type { Ports } from "../../core/model/ports/ports.ts";

const statuses = { taken: 202, unknown: 404, forbidden: 403 } as const;

/** Takes a SIP MESSAGE from a trunk to a number; returns the SIP status of the response. */
export async function takeTrunkMessage(
  { dialled, gateway, body, id, from: sender, ...said }: TrunkMessage,
  ports: Ports,
): Promise<MessageAnswer> {
  const from = callerOf({ from: sender, hops: 0 }, ports);
  // A customer's trunk must not use up the ids that a carrier's texts come under.
  const carrierId = gateway === null ? `sip ${id}` : `sip ${gateway.gatewaySid} ${id}`;
  const arriving = { dialled, gateway, from, body, carrierId, ...heard(said) };
  return { status: statuses[await receiveMessage(arriving, ports)] };
}
