import type { Row } from "../frame/api.ts";
import { Sid } from "../frame/parts.tsx";

/** What parts of the page need to lead to others, and to change something. */
export interface Around {
  below: string;
  csrf: string;
}

/** A way to a call by its parties, where they are known; else by its Sid. */
export const CallLink = ({ sid, calls, below }: { sid: unknown; calls: Row[]; below: string }) => {
  const call = calls.find((one) => one.sid === sid);
  return call === undefined
    ? <Sid sid={sid} below={below} />
    : <Sid sid={sid} below={below} label={`${call.from} → ${call.to}`} />;
};

/** The parties of a call, where they are known; else its Sid. */
export function partyOf(sid: unknown, calls: Row[]): string {
  const call = calls.find((one) => one.sid === sid);
  return call === undefined ? String(sid) : `${call.from} → ${call.to}`;
}

/** How loud the peer of a call speaks; a script moves it. */
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
