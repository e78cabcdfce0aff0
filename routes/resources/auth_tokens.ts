import { Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import {
  makeSecondaryToken,
  promoteToken,
  removeSecondaryToken,
} from "../../core/accounts/auth_tokens.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import {
  authTokenUses,
  promotedAuthTokens,
  secondaryAuthTokens,
} from "../../core/model/resources/views/auth_tokens.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import { answer, type Forms } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keepingUpdate, making } from "../http/make_once.ts";
import { shapeOf } from "../http/represent.ts";

/**
 * Times of the last use of the AuthTokens. They are no secret: a reader of the account may read
 * them.
 */
export function authTokenUseRoutes(): Hono<Env> {
  const forms = formsOf(shapeOf(authTokenUses, null));
  return new Hono<Env>().get("/", (c) => answer(c, forms(c.var.account)));
}

/** Response about an account after a change of its AuthTokens. */
type Shown = (account: Account) => Forms;

const formsOf = ({ forms }: ReturnType<typeof shapeOf>): Shown => (account) =>
  forms({
    dateAuthTokenLastUsed: null,
    dateSecondaryAuthTokenLastUsed: null,
    ...account,
    accountSid: account.sid,
  });

const regular = {
  secondary: formsOf(shapeOf(secondaryAuthTokens, null)),
  promoted: formsOf(shapeOf(promotedAuthTokens, null)),
  made: 200 as ContentfulStatusCode,
};

/** The change of an AuthToken without a moment in which neither is good. */
export function authTokenRoutes(
  ports: Ports,
  { secondary, promoted, made }: typeof regular = regular,
): Hono<Env> {
  const changing = (
    change: typeof promoteToken,
    { forms, status }: { forms: Shown; status: ContentfulStatusCode },
  ) =>
    making(ports, async (c: Ctx) => {
      const accounts = keepingUpdate(c, ports, { forms, status });
      return answer(c, forms(await change(c.var.account, { now: ports.now, accounts })), status);
    });
  return new Hono<Env>()
    .post("/Secondary", changing(makeSecondaryToken, { forms: secondary, status: made }))
    .delete("/Secondary", async (c) => {
      await removeSecondaryToken(c.var.account, ports);
      return c.body(null, 204);
    })
    .post("/Promote", changing(promoteToken, { forms: promoted, status: 200 }));
}
