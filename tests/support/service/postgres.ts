import { endChild } from "../process/end_child.ts";
import { eventually } from "../process/eventually.ts";
import { freePorts } from "../process/system.ts";

/** A cluster of PostgreSQL of a test's own, in a temporary folder, on a free port of 127.0.0.1. */
export interface Postgres extends AsyncDisposable {
  /** Creates a database and returns its URL. */
  database(): Promise<string>;
  /** Runs statements as the owner of the cluster; resolves with what they print. */
  sql(statements: string): Promise<string>;
  /** Stops it as a crash would, and starts it anew. */
  crash(): Promise<void>;
}

const [user, password] = ["switchboard", "of-the-tests-alone"];

/** Folder in which Debian has the programs of the newest server; null if there is none. */
export function postgresFolder(): string | null {
  const root = "/usr/lib/postgresql";
  try {
    const versions = [...Deno.readDirSync(root)].map(({ name }) => Number(name));
    return `${root}/${Math.max(...versions)}/bin`;
  } catch {
    return null;
  }
}

/** Returns whether tests need it: if it is installed, and in the gate, which installs it. */
export const isPostgresWanted = (): boolean => postgresFolder() !== null || Deno.env.has("CI");

/** The server refuses to run as root: then it runs as `nobody`. */
const [unprivileged, group] = Deno.uid() === 0 ? [65_534, 65_534] : [undefined, undefined];

/** Writes a file that the server alone may read. */
async function give(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text, { mode: 0o600 });
  if (unprivileged !== undefined) await Deno.chown(path, unprivileged, group!);
}

interface Command {
  args: string[];
  stdin?: string;
}

async function run(program: string, { args, stdin = "" }: Command): Promise<string> {
  const command = new Deno.Command(program, {
    args,
    ...unprivileged !== undefined && { uid: unprivileged, gid: group },
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = command.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  const { success, stdout, stderr } = await command.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${program} failed: ${err}${out}`);
  return out!;
}

export interface PostgresOptions {
  /** Further settings of the server, as NAME=VALUE. */
  settings?: string[];
  /** Takes connections by TLS and with a password alone; the PEM files. */
  tls?: { cert: string; key: string };
}

/** Starts a cluster. */
export async function startPostgres(
  { settings = [], tls }: PostgresOptions = {},
): Promise<Postgres> {
  const bin = postgresFolder();
  if (bin === null) throw new Error("PostgreSQL is not installed");
  const folder = await Deno.makeTempDir({ prefix: "postgres-" });
  if (unprivileged !== undefined) await Deno.chown(folder, unprivileged, group!);
  const data = `${folder}/data`;
  await run(`${bin}/initdb`, {
    args: ["-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"],
  });
  const [port] = freePorts(1) as [number];
  const place = ["-h", folder, "-p", String(port), "-U", user];
  if (tls !== undefined) {
    await give(`${folder}/server.crt`, tls.cert);
    await give(`${folder}/server.key`, tls.key);
    const rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
    await Deno.writeTextFile(`${data}/pg_hba.conf`, rules);
  }
  const ofTls = tls === undefined
    ? []
    : ["ssl=on", `ssl_cert_file=${folder}/server.crt`, `ssl_key_file=${folder}/server.key`];
  const own = [
    ...["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`],
    ...["max_connections=60", "shared_buffers=32MB", ...ofTls, ...settings],
  ];
  const start = () =>
    new Deno.Command(`${bin}/postgres`, {
      args: ["-D", data, ...own.flatMap((setting) => ["-c", setting])],
      ...unprivileged !== undefined && { uid: unprivileged, gid: group },
      cwd: "/",
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  const sql = (statements: string) =>
    run(`${bin}/psql`, {
      args: [...place, "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAt"],
      stdin: statements,
    });
  const answers = () =>
    eventually("PostgreSQL answers", () => sql("select 1").then(() => true, () => undefined));
  let child = start();
  let databases = 0;
  await answers();
  if (tls !== undefined) await sql(`alter role ${user} password '${password}'`);
  const name = tls === undefined ? user : `${user}:${password}`;
  return {
    async database() {
      const database = `test_${++databases}`;
      await sql(`create database ${database}`);
      const host = tls === undefined ? "127.0.0.1" : "localhost"; // As the certificate names it.
      return `postgres://${name}@${host}:${port}/${database}`;
    },
    sql,
    async crash() {
      await endChild(child, "SIGQUIT"); // An immediate shutdown: the next start recovers.
      child = start();
      await answers();
    },
    async [Symbol.asyncDispose]() {
      await endChild(child, "SIGINT"); // A fast one: clients are disconnected.
      await Deno.remove(folder, { recursive: true });
    },
  };
}
