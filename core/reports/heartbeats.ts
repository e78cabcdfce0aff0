/**
 * Heartbeats, and companions that send none. The silence of a companion is the time since this service last
 * saw one of its heartbeats, by the awake clock. A service that was stopped for 25 s, or whose disk was full,
 * would otherwise end the calls of all companions at its first sweep.
 *
 * A heartbeat counts when it comes, whether or not its commit succeeds. On a shared store, one that another
 * service took counts when its entry has changed. While the store cannot be read, no silence is counted. A
 * lost companion is found in 15 to 20 s; a service that was stopped finds it 15 s after it goes on. Clocks of
 * companions and of other services do not matter.
 */
import type { Companion, Heartbeat } from "../protocol/companion.ts";
import { forgetRegistrations } from "../numbers/gateway_registrations.ts";
import { closeConferencesOf, tidyConferences } from "../conferences/close.ts";
import type { HeartbeatAnswer } from "../protocol/registrations.ts";
import { isLost as isLostCompanion } from "../model/ports/companion_ports.ts";
import { forEachIsolated } from "../webhooks/for_each_isolated.ts";
import { withOrigin } from "../base/origin.ts";
import { limits } from "../base/limits.ts";
import type { Ports } from "../model/ports/ports.ts";
import { notification } from "../webhooks/notify.ts";
import { leaveQueue } from "../conferences/queue_membership_events.ts";
import type { Call } from "../model/resources/calls.ts";
import { breakOffAll } from "../recordings/finish.ts";
import { endStreams } from "../streams/stream_events.ts";
import { callTime } from "../calls/call_time.ts";
import { end } from "../calls/progress.ts";
import { isLive } from "../model/values/status.ts";
import { wallFrom } from "../base/steady_clock.ts";
import { iso8601 } from "../base/wire.ts";

/**
 * Handles a companion's heartbeat. Closes live calls of its earlier runs, which were lost at the restart.
 * Closes calls of this run that the heartbeat does not name and that have not changed for a while; all of
 * them when the companion stops. Hangs up legs whose calls have ended. The answer says whether the service
 * needs the whole list of registrations.
 */
export async function takeHeartbeat(
  { companion, legs, registered, bridgeUrl, sipUri, isDraining, shortage, isLast, fullTenants }:
    Heartbeat,
  ports: Ports,
): Promise<HeartbeatAnswer> {
  const now = ports.now();
  const before = await ports.companions.get(companion.id);
  const address = { ...bridgeUrl && { bridgeUrl }, ...sipUri && { sipUri } };
  const short = { ...shortage && { shortage }, ...fullTenants && { fullTenants } };
  const state = { ...isDraining && { isDraining }, ...short };
  await ports.companions.beat({ ...companion, ...address, ...state, seenAt: now, registered });

  const known = await ports.records.calls.group("live", companion.id);
  const named = new Set(legs.map(({ leg }) => leg));
  const isLost = (call: Call) =>
    isLast || call.companion?.runId !== companion.runId ||
    !named.has(call.sid) && callTime(call, ports) - call.dateUpdated > limits.legForgottenMs;
  const heardAt = ports.steadyNow() - (before?.silentMs ?? 0);
  const stuckCalls = await closeAll(known.filter(isLost), { heardAt, isLost }, ports);
  const stuckConferences = await closeConferencesOf(
    companion.id,
    ports,
    (conference) => isLast || conference.companion?.runId !== companion.runId,
  );
  await tidyConferences(companion, named, ports);

  const live = new Set(known.map(({ sid }) => sid));
  await forEachIsolated(legs.filter(({ leg }) => !live.has(leg)), {
    name: "hang up legs whose calls have ended",
    label: ({ leg }) => leg,
    async act({ leg, accountSid }) {
      const call = await ports.records.calls.get(accountSid, leg);
      if (call === null || isLive(call.status)) return;
      await ports.control.run(leg, [{ type: "hangup" }], { at: companion });
    },
  }, ports);
  if (isLast) {
    await forget([{ ...companion, seenAt: now, stuck: stuckCalls + stuckConferences }], ports);
  }
  return { wantsPresence: !isLast && !await ports.companions.hasPresence(companion) };
}

/**
 * Closes the calls of companions without a heartbeat for `limits.companionLostMs`, and assigns their
 * Gateways to other companions. When a companion sends one meanwhile, its further calls go on. A service
 * whose own commits fail, or failed within that time, closes none. A companion that answers requests is
 * not lost: the service that it reports to may be stopped or out of reach.
 */
export async function closeLostCompanions(ports: Ports): Promise<void> {
  if (ports.store.wellForMs() < limits.companionLostMs) return; // Heartbeats were not stored.
  const lost = (await ports.companions.list()).filter(isLostCompanion);
  const closed: Closed[] = [];
  for (const { id, runId, seenAt, silentMs } of lost) {
    const heardAt = ports.steadyNow() - silentMs;
    if (await ports.control.look({ id, runId }) === "there") {
      const isRecent = silentMs <= limits.companionLostMs + limits.sweepMs;
      if (isRecent) {
        ports.log("A companion answers and does not report: its calls go on", { companion: id });
      }
      continue;
    }
    ports.log("Ending the calls of a companion that stopped", { companion: id });
    const isSilent = async () => {
      const known = await ports.companions.get(id);
      return known === null || known.runId === runId && isLostCompanion(known);
    };
    const isLost = (call: Call) => call.companion?.id === id;
    const live = await ports.records.calls.group("live", id);
    const calls = await closeAll(whilst(isSilent, live), { heardAt, isLost }, ports);
    const stuck = calls + (await isSilent() ? await closeConferencesOf(id, ports) : 0);
    if (await isSilent()) closed.push({ id, runId, seenAt, stuck });
    else ports.log("The companion is heard again: its other calls go on", { companion: id });
  }
  await forget(closed, ports);
}

/** The items up to the first before which the condition no longer holds. */
async function* whilst<T>(holds: () => Promise<boolean>, items: T[]): AsyncGenerator<T> {
  for (const item of items) {
    if (!await holds()) return;
    yield item;
  }
}

/** A companion that is gone, and how many of its calls and conferences could not be closed. */
interface Closed extends Companion {
  /** Time of its last heartbeat, in ms. */
  seenAt: number;
  stuck: number;
}

/**
 * Removes lost companions, and assigns their Gateways to others. A companion with calls or conferences that
 * could not be closed stays in the store: the next sweep tries again.
 */
async function forget(companions: Closed[], ports: Ports): Promise<void> {
  let isChanged = false;
  for (const { stuck, ...companion } of companions) {
    const kept = await forgetRegistrations(companion.id, ports);
    if (stuck === 0) await ports.companions.forget(companion);
    isChanged ||= kept > 0 || stuck === 0;
  }
  if (!isChanged) return;
  await ports.control.gatewaysChanged().catch((error) =>
    ports.log("Cannot hand the Gateways over to another companion", { error })
  );
}

/** The lost calls; `heardAt`: last heartbeat of their companion by the steady clock, in ms. */
interface Loss {
  heardAt: number;
  /** Asked again of the call as it is when it is closed: it may have been reported on meanwhile. */
  isLost(call: Call): boolean;
}

/** Returns how many could not be closed. */
const closeAll = (calls: Iterable<Call> | AsyncIterable<Call>, loss: Loss, ports: Ports) =>
  forEachIsolated(calls, {
    name: "close lost calls",
    label: ({ sid }) => sid,
    act: (call) => {
      const { requestId } = call;
      return withOrigin(requestId ? { requestId } : null, () => close(call, loss, ports));
    },
  }, ports);

/**
 * Ends a call that no companion reports on any more: an answered call is completed, others fail. The
 * call ends at the last heartbeat of its companion (`heardAt`, in ms); later time is not charged.
 */
async function close(lost: Call, { heardAt, isLost }: Loss, ports: Ports): Promise<void> {
  const { accountSid, sid } = lost;
  const closed = await ports.records.calls.update(accountSid, sid, (call) => {
    if (!isLive(call.status) || !isLost(call)) return { record: call };
    const at = Math.max(callTime(call, ports, heardAt), call.answeredAt ?? call.dateCreated);
    const why = { by: "service", cause: "companion-lost" } as const;
    const ended = end(call, "failed", { at, instanceId: ports.settings.instanceId }, why);
    const detail = `the last heartbeat of the companion came at ${iso8601(at)}`;
    const notice = { accountSid, callSid: sid, fault: "companionLost", detail } as const;
    return { ...ended, also: [notification({ ...notice, level: "error" }, ports)] };
  });
  if (isLive(closed.status)) return;
  await leaveQueue(lost, lost.queueSid, ports);
  await breakOffAll(lost, ports);
  if (closed.hasStreams !== false) await endStreams(closed, wallFrom(heardAt, ports), ports);
}
