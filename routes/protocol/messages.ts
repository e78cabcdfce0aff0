import { type MessageAnswer, messageReport, trunkMessage } from "../../core/protocol/messages.ts";
import { heard } from "../../core/documents/new_leg.ts";
import { callerOf } from "../../core/reports/number_leg.ts";
import { receiveMessage } from "../../core/messages/receive_message.ts";
import { messageTaker } from "../../core/messages/take_message.ts";
import type { Ports } from "../../core/ports/ports.ts";

const answers = { taken: 202, unknown: 404, forbidden: 403 } as const;

/** What companions tell the service about text messages; gives null for what it cannot read. */
export function messageHandlers(ports: Ports) {
  const take = messageTaker(ports);
  return {
    async message(content: unknown) {
      const { data } = messageReport.safeParse(content);
      return data === undefined ? null : await take(data);
    },
    async trunkMessage(content: unknown): Promise<MessageAnswer | null> {
      const { data } = trunkMessage.safeParse(content);
      if (data === undefined) return null;
      const { dialled, gateway, body, id, headers } = data;
      const from = callerOf({ from: data.from, hops: 0 }, ports);
      const sipHeaders = heard(headers);
      const arriving = { dialled, gateway, from, body, carrierId: `sip ${id}`, sipHeaders };
      return { status: answers[await receiveMessage(arriving, ports)] };
    },
  };
}
