import { Fault } from "../base/faults.ts";
import type { Collection } from "../model/store.ts";
import type { Ports } from "../ports/ports.ts";
import type { Client } from "../resources/clients.ts";

/**
 * Clients whose Status and Password are in force at the companions before a change is answered.
 * Where a companion is out of reach, the job that the change has caused goes on trying.
 */
export function inForceAtOnce(
  clients: Collection<Client>,
  { control }: Pick<Ports, "control">,
): Collection<Client> {
  return {
    ...clients,
    async update(accountSid, sid, change) {
      let isConcerned = false;
      const client = await clients.update(accountSid, sid, (before) => {
        const changed = change(before);
        const { status, password } = changed.record;
        isConcerned = status !== before.status || password !== before.password;
        return changed;
      });
      if (isConcerned) await control.invalidate([client.login]).catch(ignoreOutage);
      return client;
    },
  };
}

function ignoreOutage(error: unknown): void {
  if (!(error instanceof Fault) || error.kind !== "unavailable") throw error;
}
