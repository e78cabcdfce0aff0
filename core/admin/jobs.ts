import type { Row } from "./table.ts";
import type { Json, Service } from "./service.ts";

const path = "Supervisor.json/jobs";

/** The jobs by kind. */
export async function listJobs(service: Service): Promise<Row[]> {
  const { kinds } = await service.get<{ kinds: Json[] }>(path);
  return kinds.map(({ kind, waiting, due, leased, dead, oldest_due }) => ({
    kind,
    waiting,
    due,
    leased,
    dead,
    "oldest due": oldest_due,
  }));
}

/** The jobs whose attempts have all failed. */
export async function listDeadJobs(service: Service): Promise<Row[]> {
  const { dead } = await service.get<{ dead: Json[] }>(path);
  return dead.map(({ id, kind, attempts, date_created, error }) => ({
    id,
    kind,
    attempts,
    since: date_created,
    error,
  }));
}

/** Makes a dead job due again. */
export const retryJob = async (service: Service, id: string): Promise<Row[]> => [
  await service.post(path, { Retry: id }),
];
