import {
  type IncomingMessage,
  IncomingRequestMessage,
  IncomingResponseMessage,
} from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import { createClientRepeats } from "./client_repeats.ts";
import type { Clock } from "../base/clock.ts";
import type { Put } from "../base/put.ts";
import type { SentMessage } from "./sent_message.ts";
import { createServerRepeats } from "./server_repeats.ts";

/**
 * Retransmission (RFC 3261 §17) between sip.js and the UDP socket. The library has no Timers A, E and G, and
 * forgets a transaction where Timers D, I, J and K would hold it. Timers B, F and H, the 2xx of an INVITE
 * (§13.3.1.4) and the ACK to it are the library's. Two responses are exceptions. A challenge is not repeated
 * without a repeated request (§26.3.2.4). A 100 (Trying) waits for 200 ms, since a client that has it would
 * not repeat a request whose challenge was lost. The `maddr` parameter of a Via is not supported.
 */
export interface Retransmission {
  /** Sends a message of ours, and again while that is due. */
  send(flow: Flow, sent: SentMessage, put: Put): Promise<void>;
  /** True when a message is a repetition that was handled here. */
  absorbs(flow: Flow, message: IncomingMessage): boolean;
}

export function createRetransmission(clock: Clock): Retransmission {
  const clients = createClientRepeats(clock);
  const servers = createServerRepeats(clock);
  return {
    send(flow, sent, put) {
      if (sent.status !== undefined) return servers.respond(flow, sent, put);
      if (sent.method === "ACK") clients.acknowledged(sent, put);
      else clients.requested(sent, put);
      return put();
    },
    absorbs(flow, message) {
      if (message instanceof IncomingResponseMessage) return clients.absorbs(message);
      return message instanceof IncomingRequestMessage && servers.absorbs(flow, message);
    },
  };
}
