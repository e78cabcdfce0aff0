/** The used part of npm `pg`, which has no types of its own. */
export interface ClientOptions {
  host: string;
  port: number;
  user: string;
  database: string;
  password(): Promise<string>;
  ssl: false | {
    rejectUnauthorized: boolean;
    ca?: string | undefined;
    servername?: string | undefined;
  };
  application_name: string;
  client_encoding: string;
  /** In ms, as is the next one. */
  connectionTimeoutMillis: number;
  query_timeout: number;
  keepAlive: boolean;
  types: { getTypeParser(): (value: unknown) => unknown };
}

export interface Query {
  name?: string;
  text: string;
  values?: unknown[];
  rowMode: "array";
}

export interface Client {
  connect(): Promise<void>;
  /** One statement or several without values: then a result for each. */
  query(text: string): Promise<Result<Record<string, unknown>> | Result<Record<string, unknown>>[]>;
  query<R extends unknown[]>(query: Query): Promise<Result<R>>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end", listener: () => void): this;
  on(event: "notification", listener: (message: { payload?: string }) => void): this;
}

export interface Result<R> {
  rows: R[];
}

export const Client: new (options: ClientOptions) => Client;
