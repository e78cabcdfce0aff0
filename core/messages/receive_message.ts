import type { NumberQuery } from "../bridge_trunks.ts";
import { calledAs } from "../calls/route.ts";
import { numberOf } from "../gateways/find_number.ts";
import { limits } from "../limits.ts";
import { e164Of } from "../numbers/dialled.ts";
import type { Ports } from "../ports.ts";
import { newBase, withDefaults } from "../resource.ts";
import { type Message, messages as definition } from "../resources/messages.ts";
import { arrivalOf } from "./arrival.ts";

/** A text that comes for a number from outside. */
export interface Arriving extends NumberQuery {
  from: string;
  body: string;
  /** What the carrier knows it by: what is sent again is not received again. */
  carrierId?: string;
  sipHeaders?: Record<string, string>;
}

/**
 * Receives a text for a number: a Message of its account, or several where it is long, for each of
 * which SmsUrl is asked. `unknown` when nobody whom the source may reach has the number, `forbidden`
 * when its account is not active.
 */
export async function receiveMessage(
  arriving: Arriving,
  ports: Ports,
): Promise<"taken" | "unknown" | "forbidden"> {
  const { dialled, gateway, from, body } = arriving;
  const { carrierId = null, sipHeaders = null } = arriving as Partial<Message>;
  const { messages, incomingPhoneNumbers } = ports.records;
  const found = await numberOf({ dialled, gateway }, ports);
  const number = found && await incomingPhoneNumbers.get(found.accountSid, found.numberSid);
  if (found === null || number === null) return "unknown";
  if (!found.allowed) return "forbidden";
  if (carrierId !== null && (await messages.group("carrierIds", carrierId)).length > 0) {
    return "taken";
  }
  const at = ports.now();
  const to = calledAs(number, found.dialled);
  const arrived = await Promise.all(
    piecesOf(body).map(async (piece) => {
      const text = { from: from.slice(0, 255), to, body: piece, carrierId, sipHeaders };
      const received = { direction: "inbound", status: "received", dateSent: at };
      const base = newBase(definition, number.accountSid, ports);
      const record = { ...base, ...withDefaults(definition, { ...text, ...received }) } as Message;
      return { record, ...await arrivalOf(record, number, ports) };
    }),
  );
  const [first, ...rest] = arrived;
  await messages.insert({
    record: first!.record,
    also: [
      ...rest.map(({ record }) => ({ into: "messages", record })),
      ...arrived.flatMap(({ also }) => also),
    ],
    jobs: arrived.flatMap(({ jobs }) => jobs),
  });
  return "taken";
}

/**
 * Who sent a text, as a carrier names it: a number in E.164 form where it can be one, with or without
 * its `+`; else what the carrier said, such as a short code or a name.
 */
export const senderOf = (text: string, { settings }: Pick<Ports, "settings">): string =>
  e164Of(text, settings.trunks.country) ?? e164Of(`+${text}`, null) ?? text;

/** A text in parts that a Message has room for. */
function piecesOf(text: string): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += limits.messageLength) {
    pieces.push(characters.slice(at, at + limits.messageLength).join(""));
  }
  return pieces;
}
