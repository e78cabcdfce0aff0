import { Hono } from "hono";
import {
  makeSecondaryToken,
  promoteToken,
  removeSecondaryToken,
} from "../../core/accounts/auth_tokens.ts";
import type { Ports } from "../../core/ports/ports.ts";
import { promotedAuthTokens, secondaryAuthTokens } from "../../core/resources/views/auth_tokens.ts";
import type { Account } from "../../core/resources/accounts.ts";
import { answer, type Forms } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keepingUpdate, making } from "../http/make_once.ts";
import { shapeOf } from "../http/represent.ts";

const secondary = shapeOf(secondaryAuthTokens, null);
const promoted = shapeOf(promotedAuthTokens, null);

const formsOf = ({ forms }: typeof secondary) => (account: Account): Forms =>
  forms({ ...account, accountSid: account.sid });

/** The change of an AuthToken without a moment in which neither is good. */
export function authTokenRoutes(ports: Ports): Hono<Env> {
  const changing = (
    shape: typeof secondary,
    change: (account: Account, ports: Parameters<typeof promoteToken>[1]) => Promise<Account>,
  ) => {
    const forms = formsOf(shape);
    return making(ports, async (c: Ctx) => {
      const accounts = keepingUpdate(c, ports, forms);
      return answer(c, forms(await change(c.var.account, { now: ports.now, accounts })));
    });
  };
  return new Hono<Env>()
    .post("/Secondary", changing(secondary, makeSecondaryToken))
    .delete("/Secondary", async (c) => {
      await removeSecondaryToken(c.var.account, ports);
      return c.body(null, 204);
    })
    .post("/Promote", changing(promoted, promoteToken));
}
