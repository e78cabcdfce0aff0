import { Hono } from "hono";
import {
  type AccountWanted,
  accountWanted,
  createAccount,
} from "../core/accounts/create_account.ts";
import {
  type AccountChanges,
  accountChanges,
  updateAccount,
} from "../core/accounts/update_account.ts";
import { sliceOf } from "../core/paging.ts";
import type { Ports, Query } from "../core/ports.ts";
import { type Account, accounts as definition } from "../core/resources/accounts.ts";
import { answer } from "./answer.ts";
import type { Ctx, Env } from "./env.ts";
import { answerList } from "./lists.ts";
import { readParams } from "./params.ts";
import { accountAddress, accountsAddress, shapeOf } from "./represent.ts";

const shape = shapeOf(definition, ({ sid }) => accountAddress(sid));
const answerAccount = (c: Ctx, account: Account) =>
  answer(c, { json: () => shape.json(account), xml: () => shape.xml(account) });

/** Accounts and their direct sub-accounts; deletion is closing. */
export function accountRoutes(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .get("/", async (c) => {
      const children = await ports.accounts.children(c.var.caller.sid);
      const read = (query: Query) => Promise.resolve(sliceOf(children, query));
      return answerList(c, { definition, shape, address: accountsAddress, read }, ports);
    })
    .post("/", async (c) => {
      const wanted = await readParams(c, { schema: accountWanted });
      const account = await createAccount(c.var.caller, wanted as AccountWanted, ports);
      return answerAccount(c, account);
    })
    .get("/:account", (c) => answerAccount(c, c.var.account))
    .on(["POST", "PUT"], "/:account", async (c) => {
      const changes = await readParams(c, { schema: accountChanges });
      const account = await updateAccount(c.var, changes as AccountChanges, ports);
      return answerAccount(c, account);
    });
}
