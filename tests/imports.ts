/** Imports of files, by their paths in the repository. */
const root = new URL("../", import.meta.url);

/** Imports of files, and files beside a module that it starts or reads. */
const imported =
  /\b(?:from|import) "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)|\bnew URL\(\s*"(\.[^"]+)",\s*import\.meta\.url/g;

const read = new Map<string, Promise<string[]>>();

/** The files that a file names. */
function importsOf(file: string): Promise<string[]> {
  const known = read.get(file);
  if (known !== undefined) return known;
  const found = Deno.readTextFile(new URL(file, root)).then(
    (text) =>
      [...text.matchAll(imported)].map(([, from, dynamic, beside]) =>
        new URL((from ?? dynamic ?? beside)!, new URL(file, root)).href.slice(root.href.length)
      ).filter((path) => !path.endsWith("/")),
    () => [],
  ); // It is a folder, or made by the test.
  read.set(file, found);
  return found;
}

/** All files that a file reaches by imports, itself among them. */
export async function closureOf(file: string): Promise<Set<string>> {
  const reached = new Set([file]);
  for (const one of reached) {
    for (const other of /\.[jt]sx?$/.test(one) ? await importsOf(one) : []) reached.add(other);
  }
  return reached;
}

/** All test files, sorted. */
export async function allTestFiles(folder = "tests/"): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) files.push(...await allTestFiles(`${folder}${name}/`));
    else if (name.endsWith("_test.ts")) files.push(`${folder}${name}`);
  }
  return files.sort();
}
