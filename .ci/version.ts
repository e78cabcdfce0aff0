/**
 * `deno task version X.Y.Z` makes a release: it writes the version into `core/base/version.ts`, and gives
 * what `docs/changelog.md` has under "Unreleased" that version, today's date and the commit that it
 * describes, where git knows one. Without a version it prints the one there is. `docs/versions.md` says which number a change asks for.
 */
const source = "core/base/version.ts";
const changelog = "docs/changelog.md";
const unreleased = "## Unreleased\n";

const stated = /(?<=^export const version = ")\d+\.\d+\.\d+(?=";$)/m;

/** Whether a version comes after another one. */
function isAfter(next: string, last: string): boolean {
  const [one, other] = [next, last].map((text) => text.split(".").map(Number));
  const at = one!.findIndex((number, i) => number !== other![i]);
  return at >= 0 && one![at]! > other![at]!;
}

/** The changelog of a release, with its date and commit. Throws where nothing is to be released. */
export function released(text: string, version: string, made: string): string {
  const [before, after] = text.split(unreleased);
  if (after === undefined) throw new Error(`${changelog} has no heading "${unreleased.trim()}"`);
  const [changes] = after.split(/^## /m);
  if (!/^- /m.test(changes!)) throw new Error(`${changelog} names no change under "Unreleased"`);
  return `${before}${unreleased}\n## ${version} – ${made}\n${after}`;
}

/** The commit of the working directory, such as " (0a1b2c3d)"; nothing without git or a repository. */
async function commit(): Promise<string> {
  try {
    const args = ["rev-parse", "--short=8", "HEAD"];
    const { success, stdout } = await new Deno.Command("git", { args, stderr: "null" }).output();
    return success ? ` (${new TextDecoder().decode(stdout).trim()})` : "";
  } catch {
    return ""; // There is no git.
  }
}

/** Makes a release in the working directory. Throws, with nothing changed, where it cannot. */
async function release(version: string, date: string): Promise<void> {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) {
    throw new Error(`"${version}" is no version: say three numbers like 0.4.0`);
  }
  const [code, log] = await Promise.all([source, changelog].map((at) => Deno.readTextFile(at)));
  const [last] = stated.exec(code!) ?? [];
  if (last === undefined) throw new Error(`${source} states no version`);
  if (!isAfter(version, last)) throw new Error(`${version} does not come after ${last}`);
  const text = released(log!, version, `${date}${await commit()}`);
  await Deno.writeTextFile(source, code!.replace(stated, version));
  await Deno.writeTextFile(changelog, text);
}

const print = (line: string, to = Deno.stdout) => to.write(new TextEncoder().encode(`${line}\n`));

if (import.meta.main) {
  const [version] = Deno.args;
  try {
    if (version === undefined) await print(stated.exec(await Deno.readTextFile(source))![0]);
    else {
      await release(version, new Date().toISOString().slice(0, 10));
      await print(
        `Wrote ${version} to ${source} and ${changelog}; run deno task ok, commit, then git tag v${version}`,
      );
    }
  } catch (error) {
    await print(
      `Cannot make a release: ${error instanceof Error ? error.message : error}`,
      Deno.stderr,
    );
    Deno.exit(1);
  }
}
