import { espeakFolder } from "../adapters/espeak_package/load_espeak.ts";
import { isInstalled } from "../adapters/speech/run_program.ts";
import { fail, say } from "../process/process.ts";

/**
 * `deno task packages`, the first step of every start: downloads the npm packages of `deno.lock` that
 * `node_modules` lacks, and says so in one line. It imports none of them. With nothing to download it
 * prints nothing, needs no network and takes 0.05 s.
 *
 * The root's `deno.json` and lock name what the product imports: 28 packages, 41 MB. What only tests import
 * stands in `tests/deno.json`, with a lock of its own. Refused: a workspace, whose members share one lock, so
 * that each start downloads everything (45 packages, 111 MB); `deno task` with Deno's own download, which
 * prints a line for each package.
 *
 * espeak-ng's package (GPL-3, 24 MB) is optional: it is downloaded where no espeak-ng, flite or `SPEECH_URL`
 * is there, to a folder with a lock of its own, and the speech process alone loads it. As a dependency
 * everybody would download it; without it a first `Say` would be silent.
 */

/** Time that a start waits for the optional package, in ms; longer than 10 MB take. */
const espeakMs = 120_000;

/** The packages of a folder's lock that its `node_modules` lacks; not those of other platforms. */
async function missingPackages(folder: string): Promise<string[]> {
  const lock = JSON.parse(await Deno.readTextFile(`${folder}/deno.lock`));
  const packages = Object.entries<{ os?: string[]; cpu?: string[] }>(lock.npm ?? {});
  const needed = packages.filter(([, { os, cpu }]) => os === undefined && cpu === undefined)
    .map(([id]) => id.split("_")[0]!); // The rest names the peers that it was resolved with.
  const there = new Set<string>();
  try {
    for await (const { name } of Deno.readDir(`${folder}/node_modules/.deno`)) there.add(name);
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) unreadable(`${folder}/node_modules`);
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return needed.filter((id) => !there.has(id.replaceAll("/", "+")));
}

/** True when Say depends on the package: no provider and no program speaks, and it is not refused. */
async function wantsEspeak(): Promise<boolean> {
  const isAllowed = ["", "true"].includes(Deno.env.get("ESPEAK_PACKAGE") ?? "");
  if (!isAllowed || Deno.env.get("SPEECH_URL")) return false;
  const programs = await Promise.all(["espeak-ng", "flite"].map(isInstalled));
  return !programs.includes(true);
}

/**
 * Brings `node_modules` of a folder to what its lock says. False where that failed, with the
 * reason.
 */
async function install(folder: string, signal?: AbortSignal): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--frozen", `--config=${folder}/deno.json`],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
    ...signal && { signal },
  }).output();
  return success;
}

/** The first file below a folder's `node_modules` that is not for everybody to read; "" for none. */
async function closedFile(folder: string): Promise<string> {
  const find = new Deno.Command("find", {
    args: [`${folder}/node_modules`, "!", "-type", "l", "!", "-perm", "-o+r", "-print", "-quit"],
    stdin: "null",
    stderr: "null",
  });
  try {
    const { stdout } = await find.output();
    return new TextDecoder().decode(stdout).split("\n", 1).join();
  } catch {
    return ""; // Without the program, as on Windows, Deno itself says what it cannot read.
  }
}

/**
 * Makes the packages of a folder readable for every user, since archives may have files for their owner
 * alone. Fails with the command that helps where this user may not change them.
 */
async function openPackages(folder: string): Promise<void> {
  const file = await closedFile(folder);
  if (file === "") return;
  const { success } = await new Deno.Command("chmod", {
    args: ["-R", "a+rX", `${folder}/node_modules`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  if (success) return;
  try {
    (await Deno.open(file)).close();
  } catch {
    unreadable(file);
  }
}

const unreadable = (file: string): never =>
  fail(
    new Error(
      `Cannot start: this user may not read ${file}; run "deno task packages" as the owner of ` +
        "node_modules, which makes it readable",
    ),
  );

if (import.meta.main) {
  const own = await missingPackages(".");
  const espeak = await wantsEspeak() ? await missingPackages(espeakFolder) : [];
  const count = own.length + espeak.length;
  if (count > 0) {
    const packages = `${count} npm package${count === 1 ? "" : "s"}`;
    const licence = ", with espeak-ng (GPL-3; ESPEAK_PACKAGE=false leaves it out)";
    say(`Downloading ${packages}, once${espeak.length > 0 ? licence : ""}`);
  }
  if (own.length > 0 && !await install(".")) {
    fail(
      new Error("Cannot start: npm packages cannot be downloaded; check the network and try again"),
    );
  }
  if (espeak.length > 0 && !await install(espeakFolder, AbortSignal.timeout(espeakMs))) {
    say(
      "Cannot download espeak-ng, so Say has no voice: install espeak-ng, set SPEECH_URL, or start " +
        "again with a network; ESPEAK_PACKAGE=false tries no download",
    );
  }
  for (const folder of [".", espeakFolder]) await openPackages(folder);
}
