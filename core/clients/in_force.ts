import { Fault } from "../base/faults.ts";
import type { Collection } from "../model/store.ts";
import type { Ports } from "../ports/ports.ts";
import type { Client } from "../resources/clients.ts";

/**
 * Clients whose creation, removal, Status and Password are in force at the companions before the
 * request is answered: a companion keeps what it was told of a login for a while, also that no Client
 * has it. Where a companion is out of reach, the job that a change has caused goes on trying.
 */
export function inForceAtOnce(
  clients: Collection<Client>,
  { control }: Pick<Ports, "control">,
): Collection<Client> {
  const forget = ({ login }: Client) => control.invalidate([login]).catch(ignoreOutage);
  return {
    ...clients,
    async insert(change) {
      const client = await clients.insert(change);
      await forget(client);
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
