import type { Context } from "hono";
import type { Once } from "./idempotency_once.ts";
import type { Arrival } from "../../core/machine/net/http_server.ts";
import type { Key } from "../../core/model/resources/keys.ts";
import type { Sent } from "../../core/model/rest/parameters.ts";
import type { Account } from "../../core/model/resources/accounts.ts";

/** The context that the middleware of `mod.ts` sets on every request. */
export interface Env {
  /** Empty for a request from within the process. */
  Bindings: Partial<Arrival>;
  Variables: {
    requestId: string;
    /** The account of the request's credentials. */
    caller: Account;
    /** The API key of the request's credentials. */
    key?: Key;
    /** The account in the path: the caller or one of its descendants. */
    account: Account;
    /** The parameters in the body, once they are read. */
    sent?: Sent;
    /**
     * Parameters of the request that are unknown, as they may be shown, and what was probably
     * meant.
     */
    unknownNames?: { name: string; hint: string }[];
    /** The Idempotency-Key of a request that makes a record. */
    once?: Once;
    /** True once the record is committed, and its response with it. */
    isKept?: boolean;
    /** Resolves when a streamed response is complete, or its reader has gone. */
    sending?: Promise<void>;
  };
}

export type Ctx = Context<Env>;
