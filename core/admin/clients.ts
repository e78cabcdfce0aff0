import type { Row } from "./table.ts";
import type { Json, Service } from "./service.ts";
import { accountSids } from "./accounts.ts";

/** Requests for registrations under way at once. */
const atOnce = 8;

/** The Clients of one account, or of the caller and its sub-accounts. */
export async function listClients(service: Service, account?: string): Promise<Row[]> {
  const clients = await clientsOf(service, account);
  return clients.map(({ sid, login, status, account_sid, friendly_name }) => ({
    sid,
    account: account_sid,
    login,
    name: friendly_name,
    enabled: Number(status) === 1 ? "yes" : "no",
  }));
}

/** A row for each device that is registered now: whose it is, and where it came from. */
export async function listRegistered(service: Service, account?: string): Promise<Row[]> {
  const clients = await clientsOf(service, account);
  const rows: Row[][] = clients.map(() => []);
  const entries = clients.entries(); // Shared: each worker takes the next Client.
  const work = async () => {
    for (const [at, client] of entries) rows[at] = await devicesOf(service, client);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return rows.flat();
}

async function clientsOf(service: Service, account?: string): Promise<Json[]> {
  const all: Json[] = [];
  for (const sid of account === undefined ? await accountSids(service) : [account]) {
    all.push(...await service.list("Clients.json", sid));
  }
  return all;
}

async function devicesOf(service: Service, client: Json): Promise<Row[]> {
  const account = String(client.account_sid);
  const bindings = await service.list(`Clients/${client.sid}/Bindings.json`, account);
  return bindings.map((binding) => ({
    login: client.login,
    account,
    transport: binding.transport,
    "came from": binding.remote_address,
    device: binding.user_agent,
    contact: binding.contact,
    "expires in s": binding.expires,
  }));
}
