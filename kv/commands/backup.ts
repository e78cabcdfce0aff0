import { commandConfig } from "../../core/machine/configuration/command_config.ts";
import type { Config } from "../../core/machine/configuration/config.ts";
import { abortedBySignal, fail, say } from "../../core/machine/process/process.ts";
import { readSecret } from "../../core/machine/process/secret_file.ts";
import { version } from "../../core/base/version.ts";
import { backUp } from "../backup/back_up.ts";
import { type Description, sealedBy } from "../backup/description.ts";
import { stderrProgress } from "../backup/progress.ts";
import { remoteSnapshot } from "../backup/remote_snapshot.ts";
import { fileSnapshot } from "../backup/snapshot.ts";
import { isStoreShared, storeLocation } from "../../core/machine/configuration/store_location.ts";
import { shownLocation } from "../engines/postgres_url.ts";

/**
 * `deno task backup FILE`: saves the store, the secrets of DATA_DIR and the audio of recordings in
 * one file. It uses the environment of the service, which may run meanwhile.
 */
async function saveTo(path: string, signal: AbortSignal): Promise<void> {
  const config = commandConfig();
  const { DATA_DIR } = config;
  const location = storeLocation(config);
  const progress = stderrProgress();
  const description = await describe(config, location);
  const { entries, files, bytes } = await backUp({
    path,
    description,
    snapshot: () =>
      isStoreShared(config)
        ? remoteSnapshot(location, { folder: DATA_DIR, progress, signal })
        : fileSnapshot(location),
    audio: `${DATA_DIR}/recordings`,
    progress,
    signal,
  });
  say(
    `Saved ${
      shownLocation(location)
    } in ${path}: ${entries} entries, ${files} audio files, ${bytes} bytes`,
  );
  say(
    description.secretKey === null
      ? "SECRET_KEY is not in it: keep the key, a restore needs it"
      : "It holds the secret_key of DATA_DIR: keep it where nobody else reads it",
  );
  if (description.bucket !== null) {
    say(`Audio at ${description.bucket}/ACCOUNT_SID/RECORDING_SID.wav is not in it`);
  }
}

async function describe(config: Config, location: string): Promise<Description> {
  const { DATA_DIR, SECRET_KEY, SECRET_KEY_OTHER, BRIDGE_SECRET } = config;
  const ofFile = SECRET_KEY ? null : await readSecret(`${DATA_DIR}/secret_key`);
  const secretKey = SECRET_KEY || ofFile;
  if (secretKey === null) {
    throw new Error(
      `Cannot find ${DATA_DIR}/secret_key: run the backup with the environment of the service ` +
        `(DATA_DIR, KV_URL or STORE_URL, SECRET_KEY); its store is ${shownLocation(location)}`,
    );
  }
  return {
    begunAt: Date.now(),
    version,
    store: config.STORE_URL ? "PostgreSQL" : config.KV_URL ? "KV Connect" : "file",
    secretKey: ofFile,
    sealed: [secretKey, SECRET_KEY_OTHER].filter((key) => key !== "").map(sealedBy),
    bridgeSecret: BRIDGE_SECRET ? null : await readSecret(`${DATA_DIR}/bridge_secret`),
    bucket: config.S3_BUCKET === "" ? null : `${config.S3_ENDPOINT}/${config.S3_BUCKET}`,
  };
}

if (import.meta.main) {
  try {
    const [path, ...more] = Deno.args;
    if (path === undefined || more.length > 0 || path.startsWith("-")) {
      throw new Error("Cannot do that: the command is `deno task backup FILE`");
    }
    await saveTo(path, abortedBySignal());
  } catch (error) {
    fail(error);
  }
}
