import type { Heartbeat } from "../bridge.ts";
import { limits } from "../limits.ts";
import type { Ports } from "../ports.ts";
import type { Call } from "../resources/calls.ts";
import { end } from "./progress.ts";
import { isLive } from "./status.ts";

/**
 * Takes a companion's heartbeat. A new run means that it was started again: what its last run held
 * is closed. A live call that this run does not name, and nobody has touched for a while, is closed
 * too; a leg whose call has ended is hung up.
 */
export async function takeHeartbeat({ companion, legs }: Heartbeat, ports: Ports): Promise<void> {
  const now = ports.now();
  const lastRun = await ports.companions.beat({ ...companion, seenAt: now });
  if (lastRun !== null) await closeRun(lastRun, ports);

  const known = await ports.records.calls.group("live", companion.runId);
  const named = new Set(legs.map(({ leg }) => leg));
  const isForgotten = (call: Call) =>
    !named.has(call.sid) && now - call.dateUpdated > limits.legForgottenMs;
  for (const call of known.filter(isForgotten)) await close(call, ports);

  const live = new Set(known.map(({ sid }) => sid));
  for (const { leg, accountSid } of legs.filter(({ leg }) => !live.has(leg))) {
    const call = await ports.records.calls.get(accountSid, leg);
    if (call !== null && !isLive(call.status)) await ports.bridge.run(leg, [{ type: "hangup" }]);
  }
}

/** Closes the calls of companions that were not heard of since `limits.companionLostMs`. */
export async function sweepCompanions(ports: Ports): Promise<void> {
  const oldest = ports.now() - limits.companionLostMs;
  for (const { id, runId, seenAt } of await ports.companions.list()) {
    if (seenAt >= oldest) continue;
    ports.log("Closing the calls of a companion that is gone", { companion: id });
    await closeRun(runId, ports);
    await ports.companions.forget(id, runId);
  }
}

async function closeRun(runId: string, ports: Ports): Promise<void> {
  for (const call of await ports.records.calls.group("live", runId)) await close(call, ports);
}

/** Ends a call that nobody will report on: an answered one is completed, another has failed. */
async function close({ accountSid, sid }: Call, ports: Ports): Promise<void> {
  const moment = { at: ports.now(), instanceId: ports.settings.instanceId };
  await ports.records.calls.update(accountSid, sid, (call) => end(call, "failed", moment));
}
