import type { RegisteredBinding } from "../protocol/registrations.ts";
import { Fault } from "../base/faults.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Binding } from "../model/resources/views/bindings.ts";
import type { Client } from "../model/resources/clients.ts";

/**
 * The current bindings of a Client, the latest first. Throws `unavailable` when a companion cannot be
 * reached: the list would be incomplete.
 */
export async function bindingsOf(
  client: Client,
  { control, now }: Pick<Ports, "control" | "now">,
): Promise<Binding[]> {
  const found = await control.bindings(client.login).catch((cause) => {
    // Addresses of companions are for the operator only.
    const isUnreachable = cause instanceof Fault && cause.kind === "unavailable";
    throw isUnreachable ? new Fault("unavailable", "a SIP companion does not answer") : cause;
  });
  return found.sort((a, b) => b.registeredAt - a.registeredAt)
    .map((binding) => toRecord(client, binding, now()));
}

function toRecord(
  { sid: clientSid, accountSid }: Client,
  { registeredAt, expiresAt, path, ...told }: RegisteredBinding,
  now: number,
): Binding {
  return {
    ...told,
    sid: "",
    accountSid,
    clientSid,
    path: path.length === 0 ? null : path.join(", "),
    expires: Math.max(0, Math.ceil((expiresAt - now) / 1000)),
    dateCreated: registeredAt,
    dateUpdated: registeredAt,
    dateRegistered: registeredAt,
    dateExpires: expiresAt,
  };
}
