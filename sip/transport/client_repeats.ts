import type { IncomingResponseMessage } from "../base/sip_js.ts";
import { transactionTimers } from "../base/limits.ts";
import type { Clock } from "../base/clock.ts";
import { createExpiringMap } from "../base/expiring_map.ts";
import { again, type Put } from "../base/put.ts";
import type { SentMessage } from "./sent_message.ts";

/** The repeated requests and ACKs of client transactions (RFC 3261 §17.1). */
export interface ClientRepeats {
  requested(sent: SentMessage, put: Put): void;
  acknowledged(sent: SentMessage, put: Put): void;
  absorbs(response: IncomingResponseMessage): boolean;
}

interface Client {
  /** A non-INVITE request goes on after a provisional response, at the interval T2 (§17.1.2.2). */
  proceed(): void;
  stop(): void;
}

const { t1Ms, t2Ms, transactionMs, max } = transactionTimers;

export function createClientRepeats(clock: Clock): ClientRepeats {
  const clients = createExpiringMap<Client>({
    clock,
    ttlMs: transactionMs,
    max,
    onDrop: (client) => client.stop(),
  });
  /** By branch; that of the ACK to a refusal is its INVITE's (Timer D, §17.1.1.2). */
  const acks = createExpiringMap<Put>({ clock, ttlMs: transactionMs, max });
  /** The branch that was refused last. The core answers with an ACK at once. */
  let refused: string | undefined;

  return {
    requested({ method, via }, put) {
      clients.set(keyOf(via.branch, method), startClient(clock, method, put));
    },
    acknowledged({ via: { branch } }, put) {
      // The dialog repeats the ACK to a 2xx.
      if (branch !== undefined && branch === refused) acks.set(branch, put);
    },
    absorbs({ statusCode = 0, method, viaBranch }) {
      const key = keyOf(viaBranch, method);
      const client = clients.get(key);
      if (statusCode < 200) {
        client?.proceed();
        return false;
      }
      client?.stop();
      clients.delete(key);
      if (method !== "INVITE" || statusCode < 300) return false;
      refused = viaBranch;
      const ack = acks.get(viaBranch);
      if (ack !== undefined) again(ack);
      return ack !== undefined;
    },
  };
}

const keyOf = (branch: string | undefined, method: string): string => `${branch} ${method}`;

/** Timer A doubles without a bound (§17.1.1.2), Timer E up to T2 (§17.1.2.2). */
function startClient(clock: Clock, method: string, put: Put): Client {
  let intervalMs: number = t1Ms;
  let stop = () => {};
  const isInvite = method === "INVITE";
  const repeat = () => {
    again(put);
    intervalMs = isInvite ? intervalMs * 2 : Math.min(intervalMs * 2, t2Ms);
    stop = clock.after(intervalMs, repeat);
  };
  stop = clock.after(intervalMs, repeat);
  return {
    proceed() {
      if (isInvite) stop();
      else intervalMs = t2Ms;
    },
    stop: () => stop(),
  };
}
