import type { Context } from "hono";
import type { Sent } from "../../core/rest/parameters.ts";
import type { Account } from "../../core/resources/accounts.ts";

/** What the middleware of `mod.ts` puts on every request. */
export interface Env {
  Variables: {
    requestId: string;
    /** Whose credentials the request carries. */
    caller: Account;
    /** Whose resources the path is about: the caller or one of its descendants. */
    account: Account;
    /** The parameters in the body, once they are read. */
    sent?: Sent;
  };
}

export type Ctx = Context<Env>;
