import type { Companion } from "../bridge.ts";
import { isLive } from "../calls/status.ts";
import { limits } from "../limits.ts";
import type { Ports } from "../ports.ts";
import type { Conference, Member } from "../resources/conferences.ts";
import { completed, left } from "./membership.ts";

/** Ends a Conference whose room is gone, and takes out everybody whom nobody will report on. */
export async function closeConference(
  { accountSid, sid, members }: Conference,
  ports: Ports,
): Promise<void> {
  const at = ports.now();
  const { conferences } = ports.records;
  await conferences.update(
    accountSid,
    sid,
    (found) => completed({ record: found }, "companion-lost", at),
  );
  for (const { callSid } of members) {
    await conferences.update(accountSid, sid, (found) => left(found, callSid, at));
  }
}

/** Closes all Conferences of a companion, or those of another run of it. */
export async function closeConferencesOf(
  companionId: string,
  ports: Ports,
  isLost: (conference: Conference) => boolean = () => true,
): Promise<void> {
  const live = await ports.records.conferences.group("live", companionId);
  for (const conference of live.filter(isLost)) await closeConference(conference, ports);
}

/**
 * Takes those out of the Conferences of a companion that its heartbeat does not name, once their
 * calls have ended, and those who were let in and did not come.
 */
export async function tidyConferences(
  { id }: Companion,
  named: ReadonlySet<string>,
  ports: Ports,
): Promise<void> {
  const now = ports.now();
  const { calls, conferences } = ports.records;
  for (const { accountSid, sid, members } of await conferences.group("live", id)) {
    const isGone = async ({ callSid, at, hasJoined }: Member) => {
      if (!hasJoined) return now - at > limits.legForgottenMs;
      if (named.has(callSid)) return false;
      const call = await calls.get(accountSid, callSid);
      return call === null || !isLive(call.status);
    };
    for (const member of members) {
      if (!await isGone(member)) continue;
      await conferences.update(accountSid, sid, (found) => left(found, member.callSid, now));
    }
  }
}
