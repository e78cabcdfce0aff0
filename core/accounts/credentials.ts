import { createHash } from "node:crypto";
import { effectiveStatus, isTest } from "./access.ts";
import { tenantField } from "./tenant.ts";
import type { Credentials } from "../protocol/companion.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Client } from "../model/resources/clients.ts";

/** The key of a Client's passwords that end: it changes with the Client and its Password. */
export const tokenKeyOf = (
  { sid, password }: Pick<Client, "sid" | "password">,
  { signer }: Pick<Ports, "signer">,
): Promise<string> => signer.sign(`SIP tokens ${sid} ${password}`);

/**
 * Credentials by which a companion authenticates a Client: the HA1 of RFC 7616 §3.4.2 for both hashes,
 * and whether it may call now. Null when no Client has the login.
 */
export async function credentialsOf(login: string, ports: Ports): Promise<Credentials | null> {
  const client = await ports.records.clients.holder("login", login);
  if (client === null) return null;
  const account = await ports.accounts.get(client.accountSid);
  const isActive = account !== null && await effectiveStatus(account, ports.accounts) === "active";
  const secret = `${login}:${ports.settings.sipDomain}:${client.password}`;
  const ha1 = (hash: string) => createHash(hash).update(secret).digest("hex");
  return {
    accountSid: client.accountSid,
    ...account !== null && tenantField(account),
    clientSid: client.sid,
    ha1: { md5: ha1("md5"), sha256: ha1("sha256") },
    tokenKey: await tokenKeyOf(client, ports),
    allowed: isActive && !isTest(account) && client.status === "1",
  };
}
