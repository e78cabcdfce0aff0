import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { createAccount } from "./create_account.ts";

/**
 * The root account: the parentless one. It is made with this address, password and AuthToken
 * (without one it is derived from the password) when there is none; of several instances that do so
 * at once on one store, all get the one that was first.
 */
export async function ensureRoot(
  wanted: { emailAddress: string; password: string; authToken?: string },
  ports: Pick<Ports, "accounts" | "deriveToken" | "newSid" | "now">,
): Promise<Account> {
  const [root] = await ports.accounts.children("");
  if (root !== undefined) return root;
  try {
    return await createAccount(null, wanted, ports);
  } catch (error) {
    const [made] = await ports.accounts.children("");
    if (made === undefined) throw error;
    return made;
  }
}
