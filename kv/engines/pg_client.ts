// @ts-types="./pg.d.ts"
import { Client, type ClientOptions } from "pg";

/** A connection by npm `pg`, which is loaded where a store is on PostgreSQL alone. */
export const clientOf = (options: ClientOptions): Client => new Client(options);
