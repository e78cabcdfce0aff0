import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { MessageRoute } from "../model/ports/providers.ts";
import { received } from "./received.ts";

/** The way to every device of a Client, by the companions that they are registered with. */
export const clientRoute = (ports: Ports): MessageRoute => ({
  reaches: async ({ to }) => (await clientOf(to, ports))?.status === "1",

  /** Sent when one device accepted it. Throws `notRegistered` or `messageRefused`: not retried. */
  async send(message) {
    const { sid, from, to, body, accountSid } = message;
    const client = await clientOf(to, ports);
    const statuses = client === null
      ? []
      : await ports.control.message({ sid, login: client.login, from, body });
    if (client === null || statuses.length === 0) throw new Fault("notRegistered", to);
    if (!statuses.some((status) => status < 300)) {
      const answers = `its phones answered ${statuses.join(", ")}`;
      if (statuses.some(isPassing)) throw new Error(answers);
      throw new Fault("messageRefused", answers);
    }
    if (client.accountSid === accountSid) return {};
    return { also: [received(message, client, ports)] };
  },
});

/** A status that another attempt may change. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 480 || status === 486 || status >= 500 && status < 600;

async function clientOf(to: string, { records }: Ports) {
  const login = /^client:(.+)$/.exec(to)?.[1];
  return login === undefined ? null : await records.clients.holder("login", login);
}
