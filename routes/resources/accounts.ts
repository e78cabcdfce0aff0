import { Hono } from "hono";
import { effectiveStatus } from "../../core/accounts/access.ts";
import {
  type AccountWanted,
  accountWanted,
  createAccount,
} from "../../core/accounts/create_account.ts";
import {
  type AccountChanges,
  accountChanges,
  updateAccount,
} from "../../core/accounts/update_account.ts";
import { shownTo } from "../../core/accounts/keyring.ts";
import { listChildren } from "../../core/accounts/walk.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Query } from "../../core/model/store.ts";
import { type Account, accounts as definition } from "../../core/model/resources/accounts.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { answerList } from "../http/lists.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, accountsAddress, shapeOf } from "../http/represent.ts";

const shape = shapeOf(definition, ({ sid }) => accountAddress(sid));
const answerAccount = (c: Ctx, account: Account) => answer(c, shape.forms(account));

/** Accounts and their direct sub-accounts; deletion is closing. */
export function accountRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .get("/", (c) => {
      const read = (query: Query) => listChildren(c.var.caller.sid, query, ports.accounts);
      return answerList(c, { definition, shape, address: accountsAddress, read }, ports);
    })
    .post(
      "/",
      making(ports, async (c: Ctx) => {
        const wanted = await readParams(c, { schema: accountWanted }) as AccountWanted;
        const accounts = {
          ...ports.accounts,
          ...keeping<Account>(c, ports.accounts, shape, ports),
        };
        return answerAccount(c, await createAccount(c.var.caller, wanted, { ...ports, accounts }));
      }),
    )
    .get("/:account", async (c) => {
      const account = await shown(c.var.account, ports);
      return answerAccount(c, shownTo(c.var.key, account));
    })
    .on(["POST", "PUT"], "/:account", async (c) => {
      const changes = await readParams(c, { schema: accountChanges });
      const account = await updateAccount(c.var, changes as AccountChanges, ports);
      return answerAccount(c, await shown(account, ports));
    })
    // This stands before the check of the status: DELETE is 405 for inactive accounts as well.
    .all("/:account", (c) => c.notFound());
}

/** The direct sub-accounts of the account in the path, for its callers and those above. */
export function subAccountRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>().get("/", (c) => {
    const { account, key } = c.var;
    const address = `${accountAddress(account.sid)}/${definition.path}`;
    const read = async (query: Query) => {
      const { items, total } = await listChildren(account.sid, query, ports.accounts);
      return { items: items.map((one) => shownTo(key, one)), total };
    };
    return answerList(c, { definition, shape, address, isCounted: true, read }, ports);
  });
}

/** An account with its effective status, which may be that of a parent account. */
const shown = async (account: Account, { accounts }: Ports): Promise<Account> => ({
  ...account,
  status: await effectiveStatus(account, accounts),
});
