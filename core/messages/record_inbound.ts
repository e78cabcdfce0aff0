import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Change } from "../model/store.ts";
import { newBase, withDefaults } from "../model/resource.ts";
import type { IncomingPhoneNumber } from "../model/resources/incoming_phone_numbers.ts";
import { type Message, messages as definition } from "../model/resources/messages.ts";
import { arrivalOf } from "./arrival.ts";

/** A text from outside, as its account's record has it. */
export type InboundText =
  & Pick<Message, "accountSid" | "from" | "to" | "body">
  & Partial<Pick<Message, "sipHeaders" | "stirVerstat">>
  & { carrierId?: string | null };

/**
 * The Message of an incoming text, and the jobs of its number; several Messages for a text that is longer than
 * any carrier's. Without its number it has no jobs.
 */
export async function inboundChange(
  { accountSid, from, carrierId = null, ...text }: InboundText,
  number: IncomingPhoneNumber | null,
  ports: Ports,
): Promise<Required<Pick<Change<Message>, "record" | "also" | "jobs">>> {
  const sent = {
    ...text,
    from: from.slice(0, 255),
    direction: "inbound",
    status: "received",
    ...number !== null && { apiVersion: number.apiVersion },
  };
  const arrived = await Promise.all(
    piecesOf(text.body).map(async (body, at) => {
      const base = newBase(definition, accountSid, ports);
      const dateSent = base.dateCreated;
      const own = { body, dateSent, arrivalId: at === 0 ? carrierId : null };
      const record = { ...base, ...withDefaults(definition, { ...sent, ...own }) };
      const made = record as Message;
      const caused = number === null
        ? { also: [], jobs: [] }
        : await arrivalOf(made, number, ports);
      return { record: made, ...caused };
    }),
  );
  const [first, ...rest] = arrived;
  return {
    record: first!.record, // piecesOf() gives one piece at least.
    also: [
      ...rest.map(({ record }) => ({ into: "messages" as const, record })),
      ...arrived.flatMap(({ also }) => also),
    ],
    jobs: arrived.flatMap(({ jobs }) => jobs),
  };
}

/** A text in pieces that one record has room for. */
function piecesOf(text: string): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += limits.arrivingLength) {
    pieces.push(characters.slice(at, at + limits.arrivingLength).join(""));
  }
  return pieces;
}
