import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { MessageRoute } from "../model/ports/providers.ts";
import { received } from "./received.ts";

/** Route to every device of a Client, by the companions where they are registered. */
export const clientRoute = (ports: Ports): MessageRoute => ({
  reaches: async ({ to }) => (await clientOf(to, ports))?.status === "1",

  /**
   * Sent when one device accepted it, delivered when it answered 200 (RFC 3428 §7). Throws `notRegistered`
   * or `messageRefused`, which are not retried.
   */
  async send(message) {
    const { sid, from, to, body, accountSid, notified } = message;
    const client = await clientOf(to, ports);
    const statuses = client === null ? [] : await ports.control.message({
      sid,
      login: client.login,
      from,
      body,
      ...notified?.wants.includes("display") && { wantsDisplay: true },
    });
    if (client === null || statuses.length === 0) throw new Fault("notRegistered", to);
    if (!statuses.some((status) => status < 300)) {
      const answers = `its phones answered ${statuses.join(", ")}`;
      if (statuses.some(isPassing)) throw new Error(answers);
      throw new Fault("messageRefused", answers);
    }
    // 202 says that the text goes on to somewhere, such as a store of the device (RFC 3428 §8).
    const delivered = statuses.some((status) => status < 300 && status !== 202)
      ? { isDelivered: true } as const
      : {};
    if (client.accountSid === accountSid) return delivered;
    return { ...delivered, also: [received(message, client, ports)] };
  },
});

/** A status that another attempt may change. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 480 || status === 486 || status >= 500 && status < 600;

async function clientOf(to: string, { records }: Ports) {
  const login = /^client:(.+)$/.exec(to)?.[1];
  return login === undefined ? null : await records.clients.holder("login", login);
}
