import type { NumberQuery } from "../protocol/trunks.ts";
import { calledAs } from "../calls/route.ts";
import { Fault } from "../base/faults.ts";
import { numberOf } from "../numbers/find_number.ts";
import { e164Of } from "../model/values/dialled.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type Part, takePart } from "./join_parts.ts";
import { inboundChange } from "./record_inbound.ts";

/** A text for a number from outside, or a part of one. */
export interface Arriving extends NumberQuery {
  from: string;
  body: string;
  /** The carrier's id: a repeat is not received again. */
  carrierId?: string;
  sipHeaders?: Record<string, string>;
  stirVerstat?: string | null;
  /** Absent for a text in one part. */
  part?: Part;
}

/**
 * Receives a text for a number: it becomes a Message of the number's account and SmsUrl is requested;
 * for a part, once all parts have arrived. `unknown` when no account that the source may reach has the
 * number, `forbidden` when the account is not active.
 */
export async function receiveMessage(
  arriving: Arriving,
  ports: Ports,
): Promise<"taken" | "unknown" | "forbidden"> {
  const { dialled, gateway, from, body, carrierId = null, part } = arriving;
  const { sipHeaders = null, stirVerstat = null } = arriving;
  const { messages, incomingPhoneNumbers, removedRecords } = ports.records;
  const found = await numberOf({ dialled, gateway }, ports);
  const number = found && await incomingPhoneNumbers.get(found.accountSid, found.numberSid);
  if (found === null || number === null) return "unknown";
  if (!found.allowed) return "forbidden";
  if (carrierId !== null) {
    const known = await messages.holder("arrivalId", carrierId) ??
      await removedRecords.holder("arrivalId", carrierId);
    if (known !== null) return "taken";
  }
  const { accountSid } = number;
  const text = { accountSid, from, to: calledAs(number, found.dialled), body };
  if (part !== undefined) await takePart(text, part, number, ports);
  else {
    const change = await inboundChange(
      { ...text, carrierId, sipHeaders, stirVerstat },
      number,
      ports,
    );
    await messages.insert(change).catch(throwUnlessTaken); // It came twice at once.
  }
  return "taken";
}

function throwUnlessTaken(error: unknown): void {
  const isTaken = error instanceof Fault && error.fault === "alreadyExists";
  if (!isTaken) throw error;
}

/**
 * The sender of a text, as the carrier gives it: a number in E.164 form if it can be one, with or
 * without `+`; else the carrier's value, such as a short code or a name.
 */
export const senderOf = (text: string, { settings }: Pick<Ports, "settings">): string =>
  e164Of(text, settings.trunks.country) ?? e164Of(`+${text}`, null) ?? text;
