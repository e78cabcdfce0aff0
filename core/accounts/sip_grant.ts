import { tokenPassword, tokenUsername } from "../base/sip_token.ts";
import { Fault } from "../base/faults.ts";
import { tokenKeyOf } from "./credentials.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { SipGrant } from "../model/resources/views/tokens.ts";

/**
 * Makes SIP credentials of a Client of the account, for the instant in seconds at which they end.
 * Throws `badParameter` where the account has no such Client, or its Status is 0.
 */
export async function sipGrantOf(
  accountSid: string,
  login: string,
  ports: Ports,
): Promise<(expiresS: number) => SipGrant> {
  const client = await ports.records.clients.holder("login", login);
  if (client === null || client.accountSid !== accountSid) {
    throw new Fault("badParameter", "Login must be that of a Client of the account");
  }
  if (client.status !== "1") {
    throw new Fault("badParameter", "Login must be that of a Client whose Status is 1");
  }
  const key = await tokenKeyOf(client, ports);
  return (expiresS) => {
    const sipUsername = tokenUsername(login, expiresS);
    const sipUri = `sip:${login}@${ports.settings.sipDomain}`;
    return { sipUsername, sipPassword: tokenPassword(key, sipUsername), sipUri };
  };
}
