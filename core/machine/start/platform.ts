/**
 * The platform: where store, secrets, audio and files are, and how the service listens. At the edge
 * (`EDGE=true`) a program may have no files, no listener of its own, and ends between two requests. Audio of
 * recordings is then stored in chunks of 60,000 bytes, since object storage cannot append; an hour of speech
 * is 58 MB, and settles in S3 as audio of a disk does.
 *
 * Refused: a second entry beside `main.ts`, since two places that put the service together drift apart; to
 * detect the platform, since a variable is clear and can be tested.
 */
import { blobDirectory } from "../adapters/blob_directory.ts";
import type { Config } from "../configuration/config.ts";
import type { Answer } from "../net/http_server.ts";
import type { Blobs } from "../../model/ports/providers.ts";
import { storeLocation } from "../configuration/store_location.ts";
import { say } from "../process/process.ts";
import { ensureSecret, type SealedStore } from "../process/secret_file.ts";
import { consoleFiles } from "./console_files.ts";
import { documentationFiles } from "./documentation_files.ts";
import { listenRest } from "./rest_listener.ts";
import { softphoneFiles } from "./softphone_files.ts";

/** The listener of the service. */
export interface Listener {
  readonly address: { readonly host: string; readonly port: number };
  /** Takes no more requests, and resolves when those under way are answered. */
  shutdown(): Promise<void>;
}

/** Services of the platform that the service runs on. */
export interface Platform {
  /** Place of the store, for `openStore`. */
  location: string;
  secretKey(sealed: SealedStore): Promise<string>;
  bridgeSecret(): Promise<string>;
  /** Storage in which the audio of recordings is made, given that of the store. */
  audio(inStore: Blobs): Blobs;
  /** The files of the documentation and of the pages, where they can be read. */
  files: {
    documentation: typeof documentationFiles;
    softphone: typeof softphoneFiles;
    console: typeof consoleFiles;
  } | null;
  listen(answer: Answer, onOver: (error: Error) => void): Promise<Listener>;
  /** Writes the credentials of the root account; false where they were written before. */
  keepCredentials(credentials: Record<string, string>): Promise<boolean>;
  /** Place of the AuthToken of the root account, in words. */
  tokenPlace: string;
}

/** The platform that the configuration names. Throws an error that the operator can mend. */
export const platformOf = (config: Config): Promise<Platform> =>
  config.EDGE ? edgePlatform(config) : machinePlatform(config);

const pageFiles = {
  documentation: documentationFiles,
  softphone: softphoneFiles,
  console: consoleFiles,
};

/** A machine, which has DATA_DIR. */
async function machinePlatform(config: Config): Promise<Platform> {
  const { DATA_DIR, SECRET_KEY, BRIDGE_SECRET } = config;
  await Deno.mkdir(DATA_DIR, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new Error(`Cannot use DATA_DIR ${DATA_DIR}: ${error.message}`);
  });
  const file = `${DATA_DIR}/credentials.json`;
  return {
    location: storeLocation(config),
    secretKey: async (sealed) => SECRET_KEY || await ensureSecret(`${DATA_DIR}/secret_key`, sealed),
    bridgeSecret: async () => BRIDGE_SECRET || await ensureSecret(`${DATA_DIR}/bridge_secret`),
    audio: () => blobDirectory(`${DATA_DIR}/recordings`),
    files: pageFiles,
    listen: (answer, onOver) => listenRest(config, answer, onOver),
    async keepCredentials(credentials) {
      const isFirst = await Deno.stat(file).then(() => false, () => true);
      await Deno.writeTextFile(file, JSON.stringify(credentials, null, 2) + "\n", { mode: 0o600 });
      await Deno.chmod(file, 0o600); // It may have been there, with other rights.
      return isFirst;
    },
    tokenPlace: `in ${file}`,
  };
}

/**
 * A platform that runs the service at the edge: it may have no files and end the process between two
 * requests, and it bounds connections itself.
 */
async function edgePlatform({ HOST, PORT, ...config }: Config): Promise<Platform> {
  const canRead = await Deno.permissions.query({ name: "read", path: "docs" });
  return {
    location: config.STORE_URL || config.KV_URL,
    secretKey: () => Promise.resolve(config.SECRET_KEY),
    bridgeSecret: () => Promise.resolve(config.BRIDGE_SECRET),
    audio: (inStore) => inStore,
    files: canRead.state === "granted" ? pageFiles : null,
    listen(answer) {
      const server = Deno.serve(
        { hostname: HOST, port: PORT, onListen() {} },
        (request, { remoteAddr }) => answer(request, { client: remoteAddr.hostname }),
      );
      const { hostname: host, port } = server.addr;
      return Promise.resolve({ address: { host, port }, shutdown: () => server.shutdown() });
    },
    keepCredentials: () => Promise.resolve(true),
    tokenPlace: "ADMIN_AUTH_TOKEN of the first start",
  };
}

/** Has an edge platform start the service each minute, so that jobs run which no request wakes. */
export function wakeEachMinute(wake: () => void): void {
  // Deno has it where it is allowed, as platforms do.
  const { cron } = Deno as { cron?: (name: string, schedule: string, run: () => void) => unknown };
  if (cron === undefined) return say("No cron wakes the service: request /ready once a minute");
  cron("due jobs", "* * * * *", wake);
}
