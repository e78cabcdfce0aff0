import { isIP } from "node:net";
import type { Client } from "./pg.d.ts";
import { jitter } from "../store/commit_retrying.ts";
import type { DatabaseUrl } from "./postgres_url.ts";

/** Connections to the primary of a database, at most so many at once. */
export interface PostgresPool {
  /**
   * Sends a query on a connection. It repeats it on another one if the connection broke, the server
   * went away, or the transaction met another one, for `patienceMs` in all. Then it rejects with
   * the last error.
   */
  ask(query: Query): Promise<Row[]>;
  /** Opens a connection apart from the others. */
  connect(): Promise<Client>;
  close(): void;
}

export interface Query {
  /** Under which the server keeps the statement, where it keeps them. */
  name: string;
  text: string;
  values: (Uint8Array | string | null)[];
}

/** The columns of a row in PostgreSQL's text formats; bytes are `\x` and hexadecimal digits. */
export type Row = (string | null)[];

/**
 * Time limits in ms: of a connection, of one attempt, and of all of them together. The last is a
 * little less than the wait of the store's callers (`limits.storeTimeoutMs`), so that they get its
 * error.
 */
const [connectMs, attemptMs, patienceMs] = [2_000, 2_500, 4_500];

/** The pause before another attempt grows from one to the other, in ms. */
const [firstPauseMs, mostPauseMs] = [5, 400];

/**
 * Time in ms after which the server ends a statement, also when no client waits for it any more.
 */
const statementMs = 10_000;

/**
 * Returns whether a query is repeated after an error. Such are serialization and deadlock, refused
 * or lost connections, and a server that stops, starts or takes no writes any more. All requests
 * may be sent twice: commits have a mark (`postgres_schema.ts`).
 */
const isPassing = ({ code }: { code?: unknown }): boolean =>
  typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code) ||
  /^(08|57P|40001|40P01|25006|53300)/.test(code);

const session = (hasPooler: boolean): string =>
  hasPooler ? "" : `
set statement_timeout = ${statementMs}; set enable_seqscan = off; set enable_bitmapscan = off;
set jit = off;
select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off';`;

export async function postgresPool(url: DatabaseUrl): Promise<PostgresPool> {
  const { clientOf } = await import("./pg_client.ts");
  const ca = url.tls?.rootCertificate
    ? await Deno.readTextFile(url.tls.rootCertificate)
    : undefined;
  const idle: Client[] = [];
  const waiting: (() => void)[] = [];
  let open = 0;
  let isClosed = false;
  let at = 0;

  async function connectTo({ host, port }: DatabaseUrl["hosts"][number]): Promise<Client> {
    const client = clientOf(
      {
        host,
        port,
        user: url.user,
        database: url.database,
        password: () => Promise.resolve(url.password),
        ssl: url.tls === null ? false : {
          rejectUnauthorized: url.tls.verifies,
          ...ca !== undefined && { ca },
          ...isIP(host) === 0 && { servername: host },
        },
        application_name: "switchboard",
        client_encoding: "UTF8",
        connectionTimeoutMillis: connectMs,
        query_timeout: attemptMs,
        keepAlive: true,
        types: { getTypeParser: () => (value: unknown) => value },
      },
    );
    client.on("error", () => drop(client)); // The pending query gets the error as well.
    try {
      await client.connect();
      const results = await client.query(`${session(url.hasPooler)} show transaction_read_only`);
      const last = [results].flat().at(-1)!; // There is one for each statement.
      if (String(Object.values(last.rows[0]!)[0]) === "off") return client;
      throw new Error(`${host}:${port} is no primary: it takes no writes`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  /** A connection to the first host that takes writes, beginning with the last one that did. */
  async function connect(): Promise<Client> {
    let failure: unknown;
    for (let n = 0; n < url.hosts.length; n++) {
      const place = (at + n) % url.hosts.length;
      try {
        const client = await connectTo(url.hosts[place]!); // Below the number of hosts.
        at = place;
        return client;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  function drop(client: Client): void {
    const place = idle.indexOf(client);
    if (place === -1) return; // In use, or apart.
    idle.splice(place, 1);
    leave();
  }

  function leave(): void {
    open--;
    waiting.shift()?.();
  }

  async function take(): Promise<Client> {
    for (;;) {
      if (isClosed) throw new Error("The store is closed");
      const client = idle.pop();
      if (client !== undefined) return client;
      if (open < url.pool) break;
      await new Promise<void>((wake) => waiting.push(wake));
    }
    open++;
    try {
      return await connect();
    } catch (error) {
      leave();
      throw error;
    }
  }

  function give(client: Client): void {
    if (isClosed) void client.end().catch(() => {});
    idle.push(client);
    waiting.shift()?.();
  }

  async function attempt({ name, text, values }: Query): Promise<Row[]> {
    const client = await take();
    try {
      const { rows } = await client.query<Row>({
        ...url.hasPooler ? {} : { name },
        text,
        values,
        rowMode: "array",
      });
      give(client);
      return rows;
    } catch (error) {
      if (isPassing(error as object) && !/^40/.test(codeOf(error))) {
        leave();
        void client.end().catch(() => {}); // It may be broken.
      } else give(client);
      throw error;
    }
  }

  return {
    connect,
    async ask(query) {
      const until = performance.now() + patienceMs;
      for (let pauseMs = firstPauseMs;; pauseMs = Math.min(pauseMs * 2, mostPauseMs)) {
        try {
          return await inTime(attempt(query), until - performance.now());
        } catch (error) {
          if (isClosed || !isPassing(error as object)) throw error;
          if (performance.now() + pauseMs > until) throw unreachable(error);
          await jitter(pauseMs);
        }
      }
    },
    close() {
      isClosed = true;
      for (const wake of waiting.splice(0)) wake();
      for (const client of idle.splice(0)) void client.end().catch(() => {});
    },
  };
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "");

/** Its words are those by which `store_health.ts` recognizes an unreachable server. */
const unreachable = (cause: unknown): Error =>
  new Error(`The database does not respond: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });

async function inTime<T>(request: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
  }
}
