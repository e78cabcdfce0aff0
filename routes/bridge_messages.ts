import { messageReport } from "../core/bridge_messages.ts";
import { messageTaker } from "../core/messages/take_message.ts";
import type { Ports } from "../core/ports.ts";

/** What companions tell the service about text messages; gives null for what it cannot read. */
export function messageHandlers(ports: Ports) {
  const take = messageTaker(ports);
  return {
    async message(content: unknown) {
      const { data } = messageReport.safeParse(content);
      return data === undefined ? null : await take(data);
    },
  };
}
