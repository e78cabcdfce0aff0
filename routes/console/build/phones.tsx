import { companionsByState } from "../../../core/companions/companions.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { clients } from "../../../core/model/resources/clients.ts";
import type { Page } from "../frame/env.ts";

/** Clients that a form offers. */
const most = "100";

/** A Client that may be rung. */
export interface Phone {
  login: string;
  /** Null while no SIP companion is heard of. */
  isRegistered: boolean | null;
}

/** The Clients of an account that may be rung, those with a registered device first. */
export async function phonesOf(c: Page, ports: Ports): Promise<Phone[]> {
  const [{ items }, { live }] = await Promise.all([
    c.var.api.list(clients.path, { PageSize: most }),
    companionsByState(ports),
  ]);
  const logins = items.filter(({ status }) => status === "1").map(({ login }) => String(login));
  const phones = await Promise.all(logins.map(async (login): Promise<Phone> => {
    if (live.length === 0) return { login, isRegistered: null };
    return { login, isRegistered: (await ports.companions.holding(login, live)).length > 0 };
  }));
  return phones.toSorted((one, other) => Number(other.isRegistered) - Number(one.isRegistered));
}

/** True when one of some Clients is registered, as far as companions answer. */
export const canRing = (phones: readonly Phone[]): boolean =>
  phones.some(({ isRegistered }) => isRegistered !== false);

const states = (isRegistered: boolean | null): string =>
  isRegistered === null ? "registration not known" : isRegistered ? "registered" : "not registered";

/**
 * A choice of a Client to ring: one that is not registered cannot be chosen. `prefix` is that of
 * values.
 */
export const PhoneChoice = ({ id, name, phones, prefix = "" }: {
  id: string;
  name: string;
  phones: readonly Phone[];
  prefix?: string;
}) => (
  <select id={id} name={name} required>
    {phones.map(({ login, isRegistered }) => (
      <option value={`${prefix}${login}`} disabled={isRegistered === false}>
        {login} ({states(isRegistered)})
      </option>
    ))}
  </select>
);

/** Text where no Client is registered. */
export const NoPhone = (
  { phones, below }: { phones: readonly Phone[]; below?: string },
) => (
  <p class="empty">
    {phones.length === 0
      ? "The account has no Client that could be rung."
      : "No Client is registered: log in at a softphone, and load this page again."}{" "}
    {below !== undefined && <a href={`${below}/Clients`}>Clients</a>}
  </p>
);
