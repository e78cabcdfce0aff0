import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { Fault } from "../../core/base/faults.ts";
import type { Base } from "../../core/base/record.ts";
import { earlier, kept, type KeptResponse, onceOf } from "./idempotency_once.ts";
import { checkKeyBound } from "./idempotency_bound.ts";
import type { Change } from "../../core/model/store.ts";
import type { Account } from "../../core/model/resources/accounts.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { answerText, contentOf, type Forms } from "./answer.ts";
import { bodyBytes } from "./body.ts";
import type { Ctx, Env } from "./env.ts";
import { formatOf, pathOf } from "./format.ts";

/** The collections that make records: those of resources, and the accounts. */
interface Inserting<T> {
  insert(change: Change<T>): Promise<T>;
}

/** Response about a new record. */
export interface Shown<T> {
  /** May read the store; the record is not in it yet. */
  forms(record: T): Forms | Promise<Forms>;
  status?: ContentfulStatusCode;
}

/**
 * The handler of a POST that makes a record, with `Idempotency-Key`: of requests with the same key,
 * the first makes the record, and all get its response. The response is committed with the record
 * (`keeping`). So a twin of the request, or a retry after a crash of the service, finds both or
 * neither. A request that is refused makes nothing, and leaves its key unused.
 */
export function making<P extends string>(
  ports: Ports,
  make: (c: Context<Env, P>) => Promise<Response>,
): (c: Context<Env, P>) => Promise<Response> {
  return async (c) => {
    const sent = c.req.header("Idempotency-Key");
    if (sent === undefined) return await make(c);
    const { caller, account = caller } = c.var;
    const once = onceOf(sent, {
      accountSid: account.sid,
      caller: c.var.key?.sid ?? caller.sid,
      method: c.req.method,
      path: `${pathOf(c.req.raw)} ${formatOf(c.req.raw)}`,
      body: await bodyBytes(c.req.raw.clone()),
    });
    const response = await earlier(once, ports);
    if (response !== null) return again(c, response);
    await checkKeyBound(account, ports);
    c.set("once", once);
    try {
      return await make(c);
    } catch (error) {
      // A twin may have been faster; then its record was in the way. After the request's own record is
      // committed, a failure stays a failure.
      const mayBeMade = error instanceof Fault && !c.var.isKept;
      const first = mayBeMade ? await earlier(once, ports) : null;
      if (first === null) throw error;
      return again(c, first);
    }
  };
}

/** The collection for the request's record, which stores the response where there is a key. */
export function keeping<T extends Base>(
  c: Ctx,
  records: Inserting<T>,
  shown: Shown<T>,
  ports: Ports,
): Inserting<T> {
  const { once } = c.var;
  if (once === undefined) return records;
  return {
    async insert(change) {
      const { also = [], record } = change;
      const { text: body, contentType } = contentOf(c, await shown.forms(record));
      const response = { status: shown.status ?? 200, contentType, body };
      const made = await records.insert({
        ...change,
        also: [...also, ...kept(once, record.sid, response, ports)],
      });
      c.set("isKept", true);
      return made;
    },
  };
}

/** The accounts for a request that changes one, which keep the response where there is a key. */
export function keepingUpdate(
  c: Ctx,
  { accounts, ...ports }: Ports,
  { forms, status }: { forms(account: Account): Forms; status: ContentfulStatusCode },
): Pick<Ports["accounts"], "update"> {
  const { once } = c.var;
  if (once === undefined) return accounts;
  return {
    async update(sid, change) {
      const changed = await accounts.update(sid, (before) => {
        const { also = [], ...made } = change(before);
        const { text: body, contentType } = contentOf(c, forms(made.record));
        const response = { status, contentType, body };
        return { ...made, also: [...also, ...kept(once, sid, response, ports)] };
      });
      c.set("isKept", true);
      return changed;
    },
  };
}

/**
 * The ports for what the request makes, where it is not said which record that is: the first one
 * that is made keeps the response.
 */
export function keepingPorts<T extends Base>(c: Ctx, ports: Ports, shown: Shown<T>): Ports {
  if (c.var.once === undefined) return ports;
  let isKept = false;
  const keepFirst = <R extends Inserting<T>>(records: R): R => ({
    ...records,
    async insert(change: Change<T>) {
      if (isKept) return await records.insert(change);
      isKept = true;
      try {
        return await keeping(c, records, shown, ports).insert(change);
      } catch (error) {
        isKept = false; // It was not made: another may be made in its place.
        throw error;
      }
    },
  });
  const records = Object.entries<Inserting<T>>(ports.records as never)
    .map(([name, one]) => [name, keepFirst(one)]);
  return {
    ...ports,
    accounts: keepFirst(ports.accounts as never),
    records: Object.fromEntries(records),
  };
}

function again(c: Ctx, { status, contentType, body }: KeptResponse): Response {
  c.header("Content-Type", contentType);
  c.header("Idempotent-Replayed", "true");
  return answerText(c, body, status as ContentfulStatusCode); // It is one that was sent.
}
