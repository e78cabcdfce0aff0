import { clients } from "../../../core/model/resources/clients.ts";
import { type Api, ApiRefusal, type Row } from "../frame/api.ts";
import type { Page } from "../frame/env.ts";
import { None, Status } from "../frame/parts.tsx";

/** The devices of a Client; null while a companion does not answer: the list would be incomplete. */
export async function bindingsOf(api: Api, { sid }: Row): Promise<Row[] | null> {
  try {
    return (await api.list(`${clients.path}/${sid}/Bindings`)).items;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 503) return null;
    throw error;
  }
}

/** Clients with their devices, as `bindings`. */
export const withBindings = (c: Page, rows: Row[]): Promise<Row[]> =>
  Promise.all(rows.map(async (row) => ({ ...row, bindings: await bindingsOf(c.var.api, row) })));

/** Registration of a Client of `withBindings`, and its address. */
export function registeredOf({ status, bindings }: Row) {
  if (bindings === null) return <span class="soft">unknown: the companion does not answer</span>;
  const devices = bindings as Row[] | undefined ?? []; // Of `withBindings`.
  const [first] = devices;
  if (first === undefined) return status === "0" ? <Status value="off" /> : <None />;
  const more = devices.length - 1;
  return (
    <span>
      <Status value="registered" />{" "}
      <span class="soft">
        {String(first.remote_address)}
        {more > 0 && ` and ${more} more`}
      </span>
    </span>
  );
}
