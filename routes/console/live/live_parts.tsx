import type { Row } from "../frame/api.ts";
import { Sid } from "../frame/parts.tsx";

/** Properties of parts that link to other pages or change something. */
export interface Around {
  below: string;
  csrf: string;
}

/** Link to a call, by its parties or, without them, its Sid. */
export const CallLink = ({ sid, calls, below }: { sid: unknown; calls: Row[]; below: string }) => {
  const call = calls.find((one) => one.sid === sid);
  return call === undefined
    ? <Sid sid={sid} below={below} />
    : <Sid sid={sid} below={below} label={`${call.from} → ${call.to}`} />;
};

/** Parties of a call or, without them, its Sid. */
export function partyOf(sid: unknown, calls: Row[]): string {
  const call = calls.find((one) => one.sid === sid);
  return call === undefined ? String(sid) : `${call.from} → ${call.to}`;
}

/** Level meter of a call's peer; a script moves it. */
export const Meter = ({ sid, about }: { sid: unknown; about: string }) => (
  <span
    class="meter"
    role="meter"
    data-level={String(sid)}
    aria-label={`Volume of ${about}`}
    aria-valuemin={-60}
    aria-valuemax={0}
    aria-valuenow={-60}
    aria-valuetext="not measured"
  >
    <span></span>
  </span>
);
