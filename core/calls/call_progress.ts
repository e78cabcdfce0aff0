import type { Call } from "../model/resources/calls.ts";
import type { Requester } from "../model/resources/internal/call_end.ts";
import { isLive } from "../model/values/status.ts";

/** Times at which a call reached its stages, and the side that ended it. Dates are ISO 8601 in UTC. */
export interface CallProgress {
  call_sid: string;
  status: Call["status"];
  date_created: string;
  date_ringing: string | null;
  date_answered: string | null;
  date_ended: string | null;
  /** Seconds from the first ringing to the answer, or to the end without one. */
  ring_duration: number | null;
  disconnected_by: "caller" | "callee" | "service" | null;
  disconnect_cause: string | null;
  disconnect_text: string | null;
  sip_response_code: number | null;
  /** Sid of the account or of the API key whose request ended the call; null for any other end. */
  requested_by_sid: string | null;
  requested_by_name: string | null;
  requested_by_path: Requester["path"] | null;
  /** The Gateway of its account that it left by, once it has ended; null for any other way. */
  gateway_sid: string | null;
  gateway_name: string | null;
}

/** The progress of a call. Fields that its companion did not report are null. */
export function progressOf(call: Call): CallProgress {
  const { sid, status, dateCreated, answeredAt, endTime, direction } = call;
  // A call stored by a version without these fields has none.
  const ringingAt = call.ringingAt ?? null;
  // A live call may be about to be hung up by a request.
  const disconnection = isLive(status) ? null : call.disconnection ?? null;
  const requester = disconnection?.requester ?? null;
  const peer = direction === "inbound" ? "caller" : "callee";
  const rungUntil = answeredAt ?? endTime;
  return {
    call_sid: sid,
    status,
    date_created: new Date(dateCreated).toISOString(),
    date_ringing: isoOf(ringingAt),
    date_answered: isoOf(answeredAt),
    date_ended: isoOf(endTime),
    ring_duration: ringingAt === null || rungUntil === null
      ? null
      : Math.max(0, rungUntil - ringingAt) / 1_000,
    disconnected_by: disconnection && (disconnection.by === "remote" ? peer : "service"),
    disconnect_cause: disconnection && disconnection.cause,
    disconnect_text: disconnection?.text ?? null,
    sip_response_code: disconnection?.sipStatus ?? null,
    requested_by_sid: requester && requester.sid,
    requested_by_name: requester && requester.name,
    requested_by_path: requester && requester.path,
    gateway_sid: call.leftBy?.name === undefined ? null : call.leftBy.sid,
    gateway_name: call.leftBy?.name ?? null,
  };
}

const isoOf = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString();
