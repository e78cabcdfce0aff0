import {
  type IncomingRequestMessage,
  TransactionState,
  type UserAgentServer,
} from "sip.js/lib/core/index.js";
import { ShortLivedMap } from "../../core/base/short_lived_map.ts";

/** Protected members of a request that sip.js serves. */
interface OpenServer {
  readonly message: IncomingRequestMessage;
  readonly transaction: { readonly state: TransactionState };
}

const refused = [
  TransactionState.Completed,
  TransactionState.Confirmed,
  TransactionState.Terminated,
];

/**
 * The server transactions of the core by their keys, and those of new calls and texts also by what
 * copies of one request share that came by different ways (RFC 3261 §8.2.2.2).
 */
export class ServerTransactions extends ShortLivedMap<string, UserAgentServer> {
  readonly #keys = new Map<string, string>();

  /**
   * The key of the transaction in which another copy of a request is served. One that was refused is
   * none: after that a proxy may well try the same with another of our addresses.
   */
  serving(message: IncomingRequestMessage): string | undefined {
    const key = this.#keys.get(requestKey(message));
    const server = key === undefined ? undefined : insides(this.get(key));
    return server === undefined || refused.includes(server.transaction.state) ? undefined : key;
  }
  /** The key of the INVITE with the ids of a CANCEL or ACK, refused or not. */
  ofInvite(message: IncomingRequestMessage): string | undefined {
    return this.#keys.get(requestKey(message, "INVITE"));
  }
  override set(key: string, server: UserAgentServer): this {
    const { message } = insides(server)!; // A server that is given.
    if (mayBeForked(message)) this.#keys.set(requestKey(message), key);
    return super.set(key, server);
  }
  override delete(key: string): boolean {
    const message = insides(this.get(key))?.message;
    if (message !== undefined && mayBeForked(message)) {
      const shared = requestKey(message);
      if (this.#keys.get(shared) === key) this.#keys.delete(shared);
    }
    return super.delete(key);
  }
  override clear(): void {
    this.#keys.clear();
    super.clear();
  }
  /** None: the library walks through all of them for what `serving` tells at once. */
  override *values(): MapIterator<UserAgentServer> {}
}

/** True when copies of a request may come by different routes. */
export const mayBeForked = ({ method, toTag }: IncomingRequestMessage): boolean =>
  !toTag && (method === "INVITE" || method === "MESSAGE");

const requestKey = (
  { callId, fromTag, cseq, method: own }: IncomingRequestMessage,
  method = own,
): string => `${callId}|${fromTag}|${cseq}|${method}`;

/** A server's members that the library declares as protected. */
const insides = (server: UserAgentServer | undefined) =>
  server as unknown as OpenServer | undefined;
