import { isIP } from "node:net";

/** Address of a database, and the options of its connections. */
export interface DatabaseUrl {
  /** One of them is the primary. */
  hosts: { host: string; port: number }[];
  user: string;
  password: string;
  database: string;
  tls: { verifies: boolean; rootCertificate: string | null } | null;
  /** The most connections for reads and commits; one more follows changes. */
  pool: number;
  /** A pooler stands between that gives a connection to each transaction: no state outlives one. */
  hasPooler: boolean;
}

const defaultPort = 5_432;
const tlsModes = ["disable", "require", "verify-full"] as const;
const parameters = ["sslmode", "sslrootcert", "pool", "pgbouncer"];

/** Returns whether a location is the URL of a database. */
export const isDatabaseUrl = (location: string): boolean => /^postgres(ql)?:/.test(location);

/** The location without its password, as it may be shown. */
export const shownLocation = (location: string): string =>
  isDatabaseUrl(location) ? location.replace(/^(\w+:\/\/[^/@:]*):[^/]*@/, "$1:***@") : location;

/**
 * Reads `postgres://user:password@host:port,host/database?sslmode=…&sslrootcert=…&pool=…&pgbouncer=…`.
 * TLS is verified unless `sslmode` says otherwise; to hosts of the loopback network there is none.
 * Throws an Error that names what is wrong, without the password.
 */
export function readDatabaseUrl(location: string): DatabaseUrl {
  const wrong = (why: string) => new Error(`STORE_URL ${why}`);
  const parts = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)\/([^/?]+)(?:\?(.*))?$/
    .exec(location);
  if (parts === null) throw wrong("must be postgres://user:password@host:port/database");
  const [, user = "", password = "", hosts = "", database = "", query = ""] = parts;
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) throw wrong(`has an unknown parameter ${unknown}`);
  if (user === "") throw wrong("must name a user");
  const found = hosts.split(",").map((one) => {
    const host = hostOf(one);
    if (host === null) throw wrong(`has a wrong host ${one}`);
    return host;
  });
  const isLocal = found.every(({ host }) => /^(localhost|127\.[\d.]+|::1)$/.test(host));
  const mode = options.get("sslmode") ?? (isLocal ? "disable" : "verify-full");
  if (!tlsModes.some((one) => one === mode)) {
    throw wrong(`must have sslmode ${tlsModes.join(", ")}`);
  }
  const rootCertificate = options.get("sslrootcert");
  const pool = Number(options.get("pool") ?? 10);
  if (!Number.isInteger(pool) || pool < 2 || pool > 100) {
    throw wrong("must have a pool of 2 to 100");
  }
  return {
    hosts: found,
    user: decodeURIComponent(user),
    password: decodeURIComponent(password),
    database: decodeURIComponent(database),
    tls: mode === "disable" ? null : { verifies: mode === "verify-full", rootCertificate },
    pool,
    hasPooler: options.get("pgbouncer") === "true",
  };
}

function hostOf(text: string): { host: string; port: number } | null {
  const [, bracketed, plain, port] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ??
      [];
  const host = bracketed ?? plain;
  if (host === undefined || bracketed !== undefined && isIP(bracketed) !== 6) return null;
  const number = Number(port ?? defaultPort);
  return number > 0 && number < 65_536 ? { host, port: number } : null;
}
