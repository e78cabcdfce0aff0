import { z } from "zod";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { receiveMessage, senderOf } from "./receive_message.ts";
import { takeReceipt } from "./take_receipt.ts";

/** The requests of the operator's HTTP aggregator to the service. */

const id = z.union([z.string(), z.number()]).transform(String)
  .pipe(z.string().min(1).max(limits.carrierIdLength));

/** An inbound message for a number; a repeat has the same `id`. */
export const aggregatorMessage = z.object({
  id,
  from: z.string().trim().min(1).max(255),
  to: z.string().trim().min(1).max(255),
  body: z.string().min(1).max(limits.arrivingLength),
});

/** The receipt of a message that was `accepted`. */
export const aggregatorReceipt = z.object({
  id,
  status: z.enum(["sent", "failed"]),
  reason: z.string().max(500).optional(),
});

/** The id of an aggregator's message in the store. */
export const aggregatorId = (id: string): string => `http ${id}`;

/** Receives a message of the aggregator; see `receiveMessage`. */
export function takeAggregatorMessage(
  { id, from, to, body }: z.infer<typeof aggregatorMessage>,
  ports: Ports,
) {
  const arriving = { dialled: [to], gateway: null, from: senderOf(from, ports), body };
  return receiveMessage({ ...arriving, carrierId: aggregatorId(id) }, ports);
}

/** Takes a receipt of the aggregator; false when no message waits for it. */
export const takeAggregatorReceipt = (
  { id, status, reason }: z.infer<typeof aggregatorReceipt>,
  ports: Ports,
): Promise<boolean> =>
  takeReceipt({ carrierId: aggregatorId(id), status, ...reason && { reason } }, ports);
