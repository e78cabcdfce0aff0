import { commandConfig } from "../../core/machine/configuration/command_config.ts";
import { fail, say } from "../../core/machine/process/process.ts";
import { ensureSecret } from "../../core/machine/process/secret_file.ts";
import { importNumbers } from "../../core/numbers/import_numbers.ts";
import { openStore } from "../open_store.ts";
import { sealedStore } from "../engines/sealed_store.ts";
import { storeLocation } from "../../core/machine/configuration/store_location.ts";

/**
 * `deno task numbers import FILE`: loads phone numbers from a CSV file for
 * NUMBERS_PROVIDER=inventory. It opens the store itself: an import is rare, and an HTTP endpoint
 * for it would need protection. Only one process may open a store in a file, so the service must be
 * stopped during the import. With KV_URL or STORE_URL the service may run.
 */
async function importFile(path: string): Promise<void> {
  const config = commandConfig();
  using file = await openFile(path);
  await Deno.mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
  const location = storeLocation(config);
  const secretKey = config.SECRET_KEY ||
    await ensureSecret(`${config.DATA_DIR}/secret_key`, sealedStore(location));
  const store = await openStore({ location, secretKey, now: () => Date.now() });
  try {
    const text = textOf(file, path);
    const { read, added, problems, refused } = await importNumbers(text, store.stock, (sofar) => {
      say(`${sofar.read} numbers read, ${sofar.added} new`);
    });
    problems.forEach(say);
    say(`Imported ${read} numbers, ${added} new, ${refused} lines left out`);
    if (refused > 0) Deno.exitCode = 1;
    if (config.NUMBERS_PROVIDER !== "inventory") {
      say("They are offered once the service is started with NUMBERS_PROVIDER=inventory");
    }
  } finally {
    store.close();
  }
}

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** The text of a file. Throws when it is not UTF-8. */
async function* textOf({ readable }: Deno.FsFile, path: string): AsyncGenerator<string> {
  try {
    yield* readable.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }));
  } catch (cause) {
    throw unreadable(path, cause instanceof TypeError ? new Error("it is not UTF-8") : cause);
  }
}

const unreadable = (path: string, cause: unknown): Error =>
  new Error(`Cannot read ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause });

if (import.meta.main) {
  try {
    const [command, path] = Deno.args;
    if (command !== "import" || path === undefined) {
      throw new Error("Cannot do that: the command is `deno task numbers import FILE`");
    }
    await importFile(path);
  } catch (error) {
    const isLocked = error instanceof Error && error.message.includes("in use by another process");
    fail(isLocked ? new Error(`${error.message}; stop the service first`) : error);
  }
}
