import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import { timeLimit } from "../base/time_limit.ts";
import type { Collection } from "../model/store.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Client } from "../model/resources/clients.ts";

/**
 * Clients whose creation, removal, Status and Password are in force at the companions before the
 * request is answered: a companion caches the credentials of a login for a while, also their absence.
 * The response waits for `limits.inForceMs` at most: where a companion is out of reach or hangs,
 * the job that a change has caused goes on trying. A creation has no job: a companion caches
 * an absent login for 5 s only, and none is asked unless one of them may have done so.
 */
export function inForceAtOnce(
  clients: Collection<Client>,
  { control, absentLogins }: Pick<Ports, "control" | "absentLogins">,
): Collection<Client> {
  async function forget({ login }: Client): Promise<void> {
    using time = timeLimit(limits.inForceMs);
    const late = Promise.withResolvers<void>();
    time.signal.addEventListener("abort", () => late.resolve());
    await Promise.race([control.invalidate([login]).catch(ignoreOutage), late.promise]);
  }
  return {
    ...clients,
    async insert(change) {
      const client = await clients.insert(change);
      if (absentLogins.mayBeCached(client.login)) await forget(client);
      return client;
    },
    async update(accountSid, sid, change) {
      let isConcerned = false;
      const client = await clients.update(accountSid, sid, (before) => {
        const changed = change(before);
        const { status, password } = changed.record;
        isConcerned = status !== before.status || password !== before.password;
        return changed;
      });
      if (isConcerned) await forget(client);
      return client;
    },
    async remove(accountSid, sid, change) {
      const client = await clients.get(accountSid, sid);
      await clients.remove(accountSid, sid, change);
      if (client !== null) await forget(client);
    },
  };
}

function ignoreOutage(error: unknown): void {
  if (!(error instanceof Fault) || error.kind !== "unavailable") throw error;
}
