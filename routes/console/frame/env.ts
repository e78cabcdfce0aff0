import type { Context } from "hono";
import type { Account } from "../../../core/model/resources/accounts.ts";
import type { ConsoleSession } from "../../../core/model/resources/console/sessions.ts";
import type { Arrival } from "../../../core/machine/net/http_server.ts";
import type { Api, Row } from "./api.ts";

/** Variables that the middleware of the console sets on every request of a session. */
export interface ConsoleEnv {
  Bindings: Partial<Arrival>;
  Variables: {
    requestId: string;
    session: ConsoleSession;
    /** The account that is signed in. */
    caller: Account;
    /** The account in the path, as the interface shows it: the caller or one of its descendants. */
    account: Row;
    /** The interface, with the rights of the caller, below that account. */
    api: Api;
    /** The same below another account. */
    apiFor(accountSid: string): Api;
    /** Goes with each form of the session. */
    csrf: string;
  };
}

export type Page = Context<ConsoleEnv>;
