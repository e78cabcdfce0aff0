import { fastFiles } from "../tests/fast.ts";

/**
 * Puts test files together: `together.ts FOLDER` writes files into FOLDER that import several test
 * files of one folder of `tests/` each, and prints the paths of what they import. A test file of its
 * own loads the whole service for itself, which costs a second of a core, more than most of its
 * tests do. Those are put together that stay in their process: what `test:fast` runs, and
 * `tests/flows/`. Names and reports of their tests are those of the files that declare them.
 */
const root = new URL("../", import.meta.url);
/** How many files of tests one file imports. */
const together = 12;

/** The files that are put together, by their paths in the repository. */
export async function joinedFiles(): Promise<string[]> {
  const flows = [];
  for await (const { name } of Deno.readDir(new URL("tests/flows/", root))) {
    if (!name.endsWith("_test.ts")) continue;
    const file = `tests/flows/${name}`;
    const text = await Deno.readTextFile(new URL(file, root));
    if (!text.includes("/sip/sipp.ts")) flows.push(file); // SIPp may not be installed yet.
  }
  const fast = (await fastFiles()).filter((file) => file.split("/").length > 2);
  return [...flows, ...fast].sort();
}

/** Files in groups: those of a group are of one folder of `tests/`, and at most so many. */
export function groupsOf(files: readonly string[], most = together): [string, string[]][] {
  const folders = Map.groupBy(files, (file) => file.split("/")[1]!);
  return [...folders].flatMap(([folder, within]) => {
    const count = Math.ceil(within.length / most);
    return Array.from({ length: count }, (_, group): [string, string[]] => [
      `${folder}_${group + 1}_test.ts`,
      within.filter((_, at) => at % count === group),
    ]);
  });
}

if (import.meta.main) {
  const [folder] = Deno.args as [string];
  const joined = await joinedFiles();
  for (const [name, files] of groupsOf(joined)) {
    const imports = files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};\n`);
    await Deno.writeTextFile(`${folder}/${name}`, imports.join(""));
  }
  await Deno.stdout.write(new TextEncoder().encode(joined.map((file) => `${file}\n`).join("")));
}
