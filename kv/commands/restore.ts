import { commandConfig } from "../../core/machine/configuration/command_config.ts";
import type { Config } from "../../core/machine/configuration/config.ts";
import { limits } from "../../core/base/limits.ts";
import { abortedBySignal, fail, say } from "../../core/machine/process/process.ts";
import { readSecret, writeSecret } from "../../core/machine/process/secret_file.ts";
import { type Description, opens } from "../backup/description.ts";
import { stderrProgress } from "../backup/progress.ts";
import { checkBackup, restore } from "../backup/restore.ts";
import { withDeadline } from "../store/deadline.ts";
import { lockFile } from "../store/lock_file.ts";
import { openLocation } from "../engines/open_location.ts";
import { isStoreShared, storeLocation } from "../../core/machine/configuration/store_location.ts";
import { shownLocation } from "../engines/postgres_url.ts";

/**
 * `deno task restore FILE`: writes a backup into the empty store of DATA_DIR, KV_URL or STORE_URL, with the
 * environment of the service, which must not run.
 */
async function restoreFrom(path: string, again: boolean, signal: AbortSignal): Promise<void> {
  const config = commandConfig();
  const { DATA_DIR } = config;
  const progress = stderrProgress();
  const description = await checkBackup({ path, progress, signal });
  await requireSecrets(description, config);
  await Deno.mkdir(DATA_DIR, { recursive: true, mode: 0o700 });
  const location = storeLocation(config);
  const isShared = isStoreShared(config);
  using _lock = isShared ? null : await lockFile(location);
  using opened = await openLocation(location);
  const kv = isShared ? withDeadline(opened, limits.storeTimeoutMs) : opened;
  const audio = `${DATA_DIR}/recordings`;
  const before = () => writeSecrets(description, config);
  const shown = shownLocation(location);
  const options = { path, location: shown, audio, again, before, progress, signal };
  const { entries, files } = await restore(kv, options);
  say(`Restored ${shown} from ${path}: ${entries} entries, ${files} audio files`);
  say(`It is the state of ${new Date(description.begunAt).toISOString()}`);
  const { bucket } = description;
  if (bucket !== null && bucket !== bucketOf(config)) {
    say(
      `Further audio is in ${bucket}: set S3_ENDPOINT and S3_BUCKET, or copy it to the new place`,
    );
  }
}

/** Throws where the configured secrets would not open what the backup holds. */
async function requireSecrets(backup: Description, config: Config): Promise<void> {
  const file = `${config.DATA_DIR}/secret_key`;
  const key = config.SECRET_KEY || await readSecret(file) || backup.secretKey;
  if (key === null) {
    throw new Error("Cannot restore: SECRET_KEY is not in the backup; set it as it was then");
  }
  if (backup.sealed.every((text) => opens(text, key, config.SECRET_KEY_OTHER))) return;
  const where = config.SECRET_KEY ? "SECRET_KEY" : `the key in ${file}`;
  throw new Error(
    `Cannot restore: ${where} is not the one that sealed the passwords in the backup. Set ` +
      "SECRET_KEY to that one, or SECRET_KEY_OTHER to it beside a new SECRET_KEY",
  );
}

/** Writes the secrets of the backup that neither the configuration nor DATA_DIR has. */
async function writeSecrets(backup: Description, config: Config): Promise<void> {
  const { DATA_DIR, SECRET_KEY, BRIDGE_SECRET } = config;
  await writeMissing(`${DATA_DIR}/secret_key`, SECRET_KEY ? null : backup.secretKey);
  await writeMissing(`${DATA_DIR}/bridge_secret`, BRIDGE_SECRET ? null : backup.bridgeSecret);
}

async function writeMissing(path: string, secret: string | null): Promise<void> {
  if (secret !== null && await readSecret(path) === null) await writeSecret(path, secret);
}

const bucketOf = ({ S3_BUCKET, S3_ENDPOINT }: Config): string => `${S3_ENDPOINT}/${S3_BUCKET}`;

if (import.meta.main) {
  try {
    const again = Deno.args.includes("--again");
    const [path, ...more] = Deno.args.filter((one) => one !== "--again");
    if (path === undefined || more.length > 0 || path.startsWith("-")) {
      throw new Error("Cannot do that: the command is `deno task restore [--again] FILE`");
    }
    await restoreFrom(path, again, abortedBySignal());
  } catch (error) {
    fail(error);
  }
}
