import type { Row } from "./table.ts";
import type { Json, Service } from "./service.ts";

/** The live calls of all accounts. */
export async function listCalls(service: Service): Promise<Row[]> {
  const calls = await service.get<Json[]>("Supervisor.json/livecalls");
  return calls.map((call) => ({
    sid: call.sid,
    account: call.account_sid,
    status: call.State,
    direction: call.direction,
    from: call.from,
    to: call.to,
    since: call.date_created,
  }));
}

/** Ends a live call of any account. Throws where no live call has the Sid. */
export async function endCall(service: Service, sid: string): Promise<Row[]> {
  const found = (await listCalls(service)).find((call) => call.sid === sid);
  if (found === undefined) {
    throw new Error(`No live call has the Sid ${sid}: \`deno task admin calls\` lists them`);
  }
  const account = String(found.account);
  const call = await service.post(`Calls/${sid}.json`, { Status: "completed" }, account);
  return [{ sid: call.sid, account, status: call.status }];
}
