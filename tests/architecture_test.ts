import assert from "node:assert/strict";

/** Who may import whom; the longest folder counts. Bare names are packages; the rest is forbidden. */
const allowed: Record<string, string[]> = {
  core: ["core", "zod", "fast-xml-parser", "node:crypto"],
  "core/numbers": ["core", "zod", "libphonenumber-js", "re2js"],
  "core/values": ["core", "zod", "libphonenumber-js", "re2js"],
  "core/recordings": ["core", "zod", "wasm-media-encoders"],
  "core/net": ["core/net", "core/base/listen_error.ts", "@hono/node-server", "node:"],
  "core/process": ["core/base", "node:"],
  "core/configuration": ["core", "zod", "node:net"],
  "core/adapters": ["core", "zod", "aws4fetch", "nodemailer", "node:"],
  "core/adapters/smpp": ["core", "smpp", "node:"],
  "core/adapters/speech": ["core", "zod", "@echogarden/espeak-ng-emscripten", "node:os"],
  "core/start": ["core", "sip.js", "node:"],
  kv: ["kv", "core", "node:"],
  routes: ["routes", "core", "hono", "fast-xml-parser"],
  sip: [
    "sip",
    "core/net",
    "core/protocol",
    "core/base/limits.ts",
    "core/base/listen_error.ts",
    "sip.js",
    "zod",
    "node:",
  ],
  "sip/media": [
    "sip",
    "core/net/networks.ts",
    "core/base/libc_paths.ts",
    "core/base/limits.ts",
    "core/base/listen_error.ts",
    "core/base/wav.ts",
    "mpg123-decoder",
    "opusscript",
    "zod",
    "node:",
  ],
};

/** They put the processes together, and may import everything. */
const roots = ["main.ts", "kv/commands/numbers.ts", "sip/main.ts"];
/** These folders alone meet the system: files, variables, processes, sockets of others. */
const systemFolders = ["process", "configuration", "adapters", "start"].map((name) =>
  `core/${name}`
);
const meetsSystem = (file: string) => systemFolders.some((folder) => isWithin(file, folder));
const isRoot = ({ file }: Source) => roots.includes(file) || meetsSystem(file);

/** A table is as long as what it lists. */
const tables = ["core/base/faults.ts"];

const budget = { fileLines: 300, functionLines: 60 };

const root = new URL("../", import.meta.url);

interface Source {
  file: string;
  text: string;
}

async function* walk(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* walk(new URL(`${name}/`, folder));
    else if (name.endsWith(".ts")) yield new URL(name, folder).href.slice(root.href.length);
  }
}

/** Every source of the product; tests are not. */
async function sources(): Promise<Source[]> {
  const files = (await Array.fromAsync(Deno.readDir(root)))
    .filter(({ name, isFile }) => isFile && name.endsWith(".ts")).map(({ name }) => name);
  for (const folder of ["core", "kv", "routes", "sip"]) {
    files.push(...await Array.fromAsync(walk(new URL(`${folder}/`, root))));
  }
  const read = async (file: string) => ({
    file,
    text: await Deno.readTextFile(new URL(file, root)),
  });
  return await Promise.all(files.map(read));
}

/** What a source imports: paths from the root of the project, or package names. */
function imports({ file, text }: Source): string[] {
  const statements = text.matchAll(/^(?:import|export)\b[^"';]*?from\s+"([^"]+)"/gm);
  const others = text.matchAll(/^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  return [...statements, ...others].map(([, from, dynamic]) => {
    const specifier = (from ?? dynamic)!;
    if (!specifier.startsWith(".")) return specifier;
    return new URL(specifier, new URL(file, root)).href.slice(root.href.length);
  });
}

const isWithin = (target: string, name: string): boolean =>
  target === name || target.startsWith(name.endsWith(":") ? name : `${name}/`);

function folderOf(file: string): string | undefined {
  const folders = Object.keys(allowed).filter((folder) => file.startsWith(`${folder}/`));
  return folders.sort((a, b) => b.length - a.length)[0];
}

Deno.test("every folder imports only what the table allows", async () => {
  const others = (await sources()).filter(({ file }) => !roots.includes(file));
  const wrong = others.flatMap((source) => {
    const may = allowed[folderOf(source.file) ?? ""] ?? [];
    const isForbidden = (target: string) =>
      !may.some((name) => isWithin(target, name)) ||
      meetsSystem(target) && !isRoot(source);
    return imports(source).filter(isForbidden)
      .map((target) => `${source.file} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("no file imports itself by way of others, types included", async () => {
  const all = await sources();
  const arrows = new Map(all.map((source) => [source.file, new Set(imports(source))]));
  const wrong = all.flatMap(({ file }) => {
    const way = shortestWay(arrows, file);
    // Each circle is told once, from its first file.
    return way === undefined || way.some((one) => one < file) ? [] : [way.join(" -> ")];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("shortestWay() finds the way back to a file, and none where there is none", () => {
  const arrows = new Map([
    ["a", new Set(["b", "c"])],
    ["b", new Set(["c"])],
    ["c", new Set(["a", "d"])],
    ["d", new Set(["package"])],
  ]);

  assert.deepEqual(shortestWay(arrows, "a"), ["a", "c", "a"]);
  assert.equal(shortestWay(arrows, "d"), undefined);
});

/** The shortest way along imports from a file back to itself; undefined where there is none. */
function shortestWay(
  arrows: ReadonlyMap<string, ReadonlySet<string>>,
  file: string,
): string[] | undefined {
  const seen = new Set<string>();
  const ways = [[file]];
  for (const way of ways) {
    for (const next of arrows.get(way.at(-1)!) ?? []) {
      if (next === file) return [...way, file];
      if (!arrows.has(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

Deno.test("only the composition roots meet the system, and core has no clock", async () => {
  const others = (await sources()).filter((source) => !isRoot(source));
  const wrong = others.flatMap(({ file, text }) => {
    // What listens to peers has time limits of its own.
    const forbidden = file.startsWith("core/") && !file.startsWith("core/net/")
      ? /\bDeno\.\w+|\bDate\.now\(\)|\bconsole\./g
      : /\bDeno\.(?:env|exit|args)\b|\bconsole\./g;
    return [...withoutComments(text).matchAll(forbidden)].map(([found]) => `${file}: ${found}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("files and functions stay within their budgets", async () => {
  const wrong = (await sources()).flatMap(({ file, text }) => {
    const lines = text.split("\n");
    const long = functions(lines).filter(({ length }) => length > budget.functionLines);
    return [
      ...(lines.length - 1 > budget.fileLines && !tables.includes(file)
        ? [`${file} has ${lines.length - 1} lines`]
        : []),
      ...long.map(({ line, length }) => `${file}:${line} is a function of ${length} lines`),
    ];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("there are no default exports, no barrels and no classes but errors and what has a port", async () => {
  const wrong = (await sources()).flatMap(({ file, text }) => {
    const code = withoutComments(text);
    const found = [...code.matchAll(/^export default\b.*|^export \*.*|^(?:export )?class .*/gm)];
    return found.map(([line]) => line)
      // Getters of a literal would cost every object a hidden class of its own.
      .filter((line) => !/class \w+(<.*>)? (?:extends|implements) /.test(line))
      .map((line) => `${file}: ${line}`);
  });
  assert.deepEqual(wrong, []);
});

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");

/**
 * The functions of a formatted source and their own lines, without those of functions inside them.
 * A function begins on the line of its name, or of its arrow, and opens its body at the end of a
 * line; it ends at the line that closes it at the same indentation.
 */
function functions(lines: string[]): { line: number; length: number }[] {
  const indentOf = (at: number) => /^\s*/.exec(lines[at]!)![0];
  const found = lines.flatMap((text, opened) => {
    if (!/(?:\)(?:: .*)?|=>) \{$/.test(text)) return [];
    const indent = indentOf(opened);
    let start = opened; // A signature of several lines closes at the indentation it began at.
    while (/^\s*[)}\]]/.test(lines[start]!) || indentOf(start) !== indent) start--;
    const isControl = /^\s*(?:\} )?(?:if|for|while|switch|catch|else)\b/.test(lines[start]!);
    if (isControl && !text.endsWith("=> {")) return [];
    const closing = new RegExp(`^${indent}[)}\\]]`);
    const end = lines.findIndex((line, at) => at > opened && closing.test(line));
    return [{ start, end }];
  });
  return found.map(({ start, end }) => {
    const inner = found.filter((one) => one.start > start && one.end < end);
    const direct = inner.filter((one) =>
      !inner.some((outer) => outer.start < one.start && outer.end > one.end)
    );
    const nested = direct.reduce((sum, one) => sum + one.end - one.start + 1, 0);
    return { line: start + 1, length: end - start + 1 - nested };
  });
}

Deno.test("functions() finds where functions begin and end, and what is their own", () => {
  const source = [
    "export async function one(",
    "  a: string,",
    "): Promise<void> {",
    "  if (",
    "    a",
    "  ) {",
    "    two();",
    "  } else if (!a) {",
    "    two();",
    "  }",
    "  const inner = (b: string) => {",
    "    return { b };",
    "  };",
    "}",
    "export function two({",
    "  a,",
    "}: A): void {",
    "  a.trim();",
    "}",
    "const four = {",
    "  five(a: string): void {",
    "    a.trim();",
    "  },",
    "};",
  ];
  assert.deepEqual(functions(source), [
    { line: 1, length: 11 },
    { line: 11, length: 3 },
    { line: 15, length: 5 },
    { line: 21, length: 3 },
  ]);
});
