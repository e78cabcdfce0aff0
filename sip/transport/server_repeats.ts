import type { IncomingRequestMessage } from "sip.js/lib/core/index.js";
import type { Flow } from "../flow.ts";
import { transactionTimers } from "../limits.ts";
import type { Via } from "../via.ts";
import type { Clock } from "./clock.ts";
import { createExpiringMap } from "./expiring_map.ts";
import { again, type Put } from "./retransmission.ts";
import type { SentMessage } from "./sent_message.ts";

/** The repeated responses of server transactions (RFC 3261 §17.2). */
export interface ServerRepeats {
  responded(flow: Flow, sent: SentMessage, put: Put): void;
  absorbs(flow: Flow, request: IncomingRequestMessage): boolean;
}

interface Server {
  /** Repeats the last response; undefined while there is none. */
  put: Put | undefined;
  status: number;
  acknowledged: boolean;
  /** Ends Timer G. */
  stop(): void;
}

const { t1Ms, t2Ms, transactionMs, max } = transactionTimers;

export function createServerRepeats(clock: Clock): ServerRepeats {
  const servers = createExpiringMap<Server>({
    clock,
    ttlMs: transactionMs,
    max,
    onDrop: (server) => server.stop(),
  });

  const absorbsAck = (server: Server | undefined): boolean => {
    if (server === undefined || server.status < 300) return false;
    server.stop();
    const repeated = server.acknowledged;
    server.acknowledged = true;
    return repeated;
  };

  return {
    responded(flow, sent, put) {
      const { status = 0, method } = sent;
      const key = keyOf(flow, sent.via, sent);
      servers.get(key)?.stop();
      const server: Server = { put, status, acknowledged: false, stop() {} };
      if (method === "INVITE" && isRepeated(status)) startTimerG(clock, server, put);
      servers.set(key, server);
    },
    absorbs(flow, request) {
      const { method, callId, cseq } = request;
      const via = request.headers["Via"]?.[0]?.parsed as Via | undefined;
      if (via === undefined) return false;
      const invited = method === "ACK" ? "INVITE" : method;
      const key = keyOf(flow, via, { method: invited, callId, cseq });
      const server = servers.get(key);
      if (method === "ACK") return absorbsAck(server);
      if (server === undefined) {
        servers.set(key, { put: undefined, status: 0, acknowledged: false, stop() {} });
        return false;
      }
      // A 2xx to an INVITE is repeated on the time-table of its dialog alone (RFC 6026 §7.1).
      const isAccepted = method === "INVITE" && server.status >= 200 && server.status < 300;
      if (server.put !== undefined && !isAccepted && !server.acknowledged) again(server.put);
      return true;
    },
  };
}

/**
 * Challenges wait to be asked for again, so that nobody has us send many datagrams to an address
 * that is not theirs (RFC 3261 §26.3.2.4).
 */
const isRepeated = (status: number): boolean => status >= 300 && status !== 401 && status !== 407;

function startTimerG(clock: Clock, server: Server, put: Put): void {
  const until = clock.now() + transactionMs;
  let intervalMs: number = t1Ms;
  const repeat = () => {
    again(put);
    intervalMs = Math.min(intervalMs * 2, t2Ms);
    if (clock.now() + intervalMs < until) server.stop = clock.after(intervalMs, repeat);
  };
  server.stop = clock.after(intervalMs, repeat);
}

/** RFC 3261 §17.2.3; what clients of RFC 2543 have in place of a branch is always part of it. */
const keyOf = (
  flow: Flow,
  { host, port, branch }: Via,
  { method, callId, cseq }: Pick<SentMessage, "method" | "callId" | "cseq">,
): string => [flow.id, host, port, branch, callId, cseq, method].join("|");
