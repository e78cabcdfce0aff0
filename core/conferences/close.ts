import type { Companion } from "../protocol/companion.ts";
import { isLive } from "../model/values/status.ts";
import { forEachIsolated } from "../webhooks/for_each_isolated.ts";
import { endConference } from "../model/job_kinds.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Conference, Member } from "../model/resources/conferences.ts";
import { completed, left } from "./membership.ts";

/**
 * Ends a Conference whose media are gone, and removes the participants that no companion reports any
 * more. A companion that `mayLive` (it may only hang) is ordered to end the media as well. A Conference
 * never gets another companion, so its media do not come back.
 */
export async function closeConference(
  { accountSid, sid, members, companion }: Conference,
  ports: Ports,
  { mayLive }: { mayLive: boolean },
): Promise<void> {
  const at = ports.now();
  const { conferences } = ports.records;
  const jobs = mayLive && companion !== null
    ? [endConference({ accountSid, conferenceSid: sid, companion })]
    : [];
  // Completed last: after a crash the next sweep finds the Conference live and continues.
  for (const { callSid } of members) {
    await conferences.update(
      accountSid,
      sid,
      (found) => left(found, callSid, { at, isLost: true }),
    );
  }
  await conferences.update(accountSid, sid, (found) => {
    if (found.status === "completed") return { record: found };
    const change = completed({ record: found }, { reason: "companion-lost" }, at);
    return { ...change, jobs: [...change.jobs ?? [], ...jobs] };
  });
}

/**
 * Closes all Conferences of a companion that sends no heartbeats, or those that it no longer has.
 * Returns how many could not be closed.
 */
export async function closeConferencesOf(
  companionId: string,
  ports: Ports,
  isLost?: (conference: Conference) => boolean,
): Promise<number> {
  const live = await ports.records.conferences.group("live", companionId);
  return await forEachIsolated(isLost === undefined ? live : live.filter(isLost), {
    name: "close lost conferences",
    label: ({ sid }) => sid,
    act: (conference) => closeConference(conference, ports, { mayLive: isLost === undefined }),
  }, ports);
}

/**
 * Removes participants that the companion's heartbeat does not name: those whose calls have ended, and
 * those that were admitted and did not join.
 */
export async function tidyConferences(
  { id }: Companion,
  named: ReadonlySet<string>,
  ports: Ports,
): Promise<void> {
  await forEachIsolated(await ports.records.conferences.group("live", id), {
    name: "tidy conferences",
    label: ({ sid }) => sid,
    act: (conference) => tidy(conference, named, ports),
  }, ports);
}

async function tidy(
  { accountSid, sid, members }: Conference,
  named: ReadonlySet<string>,
  ports: Ports,
): Promise<void> {
  const now = ports.now();
  const { calls, conferences } = ports.records;
  const isGone = async ({ callSid, at, hasJoined }: Member) => {
    if (!hasJoined) return ports.steadyNow() - at > limits.legForgottenMs;
    if (named.has(callSid)) return false;
    const call = await calls.get(accountSid, callSid);
    return call === null || !isLive(call.status);
  };
  for (const member of members) {
    if (!await isGone(member)) continue;
    const { callSid, hasJoined } = member;
    await conferences.update(accountSid, sid, (found) => {
      // It may have joined meanwhile.
      const isSame = found.members.some((one) =>
        one.callSid === callSid && one.hasJoined === hasJoined
      );
      return isSame ? left(found, callSid, { at: now }) : { record: found };
    });
  }
}
