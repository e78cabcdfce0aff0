import type { IncomingRequestMessage } from "../base/sip_js.ts";
import type { Flow } from "../base/flow.ts";
import { transactionTimers } from "../base/limits.ts";
import type { Via } from "../text/via.ts";
import type { Clock } from "../base/clock.ts";
import { createExpiringMap } from "../base/expiring_map.ts";
import { again, type Put } from "../base/put.ts";
import type { SentMessage } from "./sent_message.ts";

/** The repeated responses of server transactions (RFC 3261 §17.2). */
export interface ServerRepeats {
  /** Sends a response, and again while that is due. */
  respond(flow: Flow, sent: SentMessage, put: Put): Promise<void>;
  absorbs(flow: Flow, request: IncomingRequestMessage): boolean;
}

interface Server {
  /** Repeats the last response; undefined while there is none. */
  put: Put | undefined;
  status: number;
  /** A provisional response went out, after which the client repeats nothing (§17.1.1.2). */
  proceeding: boolean;
  acknowledged: boolean;
  /** Number of times that the last response was repeated for a repeated request. */
  answeredAgain: number;
  /** Ends Timer G, or the delay of a 100. */
  stop(): void;
}

const { t1Ms, t2Ms, transactionMs, tryingMs, max } = transactionTimers;

export function createServerRepeats(clock: Clock): ServerRepeats {
  const servers = createExpiringMap<Server>({
    clock,
    ttlMs: transactionMs,
    max,
    onDrop: (server) => server.stop(),
  });

  return {
    respond(flow, sent, put) {
      const { status = 0, method } = sent;
      const key = keyOf(flow, sent.via, sent);
      const server = servers.get(key) ?? untouched();
      server.stop();
      server.stop = stopped;
      server.put = put;
      server.status = status;
      server.acknowledged = false;
      server.answeredAgain = 0;
      servers.set(key, server);
      if (status === 100 && !server.proceeding) {
        delayTrying(clock, server, put);
        return Promise.resolve();
      }
      if (status < 200) server.proceeding = true;
      if (method === "INVITE" && isRepeated(flow, server)) {
        const times = flow.logins.size > 0 ? Infinity : transactionTimers.unauthenticatedRepeats;
        startTimerG(clock, server, { put, times });
      } else if (isStateless(flow, server)) servers.delete(key);
      return put();
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
        servers.set(key, untouched());
        return false;
      }
      // A 2xx to an INVITE is repeated on the time-table of its dialog alone (RFC 6026 §7.1).
      const isAccepted = method === "INVITE" && server.status >= 200 && server.status < 300;
      const isDue = !isAccepted && !server.acknowledged && mayAnswerAgain(flow, server);
      if (server.put === undefined || !isDue) return true;
      server.answeredAgain++;
      again(server.put);
      return true;
    },
  };
}

/** Notes the ACK of a refusal, and whether it is a repeated one. */
function absorbsAck(server: Server | undefined): boolean {
  if (server === undefined || server.status < 300) return false;
  server.stop();
  const repeated = server.acknowledged;
  server.acknowledged = true;
  return repeated;
}

/**
 * A refusal of an unauthenticated source leaves nothing here, as of a stateless server (RFC 3261
 * §8.2.7, §26.3.2.4): the source address may be forged. A copy of the request is judged anew. A
 * client that got a provisional response repeats nothing, so that its refusal is repeated, but a
 * few times only.
 */
const isStateless = ({ logins }: Flow, { status, proceeding }: Server): boolean =>
  status >= 300 && logins.size === 0 && !proceeding;

/** Timer G runs for refusals of phones, and for those that follow a provisional response. */
const isRepeated = ({ logins }: Flow, { status, proceeding }: Server): boolean =>
  status >= 300 && (proceeding || logins.size > 0 && status !== 401 && status !== 407);

/**
 * Copies of a request that rang, from an unauthenticated source, draw its refusal three times in
 * all.
 */
const mayAnswerAgain = ({ logins }: Flow, { status, answeredAgain }: Server): boolean =>
  status < 300 || logins.size > 0 || answeredAgain < transactionTimers.unauthenticatedRepeats;

const untouched = (): Server => ({
  put: undefined,
  status: 0,
  proceeding: false,
  acknowledged: false,
  answeredAgain: 0,
  stop: stopped,
});

const stopped = () => {};

/** 100 goes out where no other response does within 200 ms (RFC 3261 §17.2.1). */
function delayTrying(clock: Clock, server: Server, put: Put): void {
  server.stop = clock.after(tryingMs, () => {
    server.proceeding = true;
    again(put);
  });
}

function startTimerG(
  clock: Clock,
  server: Server,
  { put, times }: { put: Put; times: number },
): void {
  let left = times;
  const until = clock.now() + transactionMs;
  let intervalMs: number = t1Ms;
  const repeat = () => {
    again(put);
    if (--left === 0) return;
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
): string => `${branch} ${callId} ${cseq} ${method} ${host}:${port} ${flow.id}`;
