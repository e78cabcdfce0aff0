import assert from "node:assert/strict";
import { floors } from "./floors.ts";

/** They put the processes together, and may import everything. */
const roots = [
  "core/admin/main.ts",
  "core/openapi/typescript_client/main.ts",
  "main.ts",
  "kv/commands/backup.ts",
  "kv/commands/numbers.ts",
  "kv/commands/restore.ts",
  "sip/main.ts",
];
/** These folders alone meet the system: files, variables, processes, sockets of others. */
const systemFolders = [
  "core/admin", // It runs on the machines of operators.
  "core/machine/process",
  "core/machine/configuration",
  "core/machine/adapters",
  "core/machine/start",
  "core/openapi/typescript_client/runtime", // It runs in the programs of customers.
];
const meetsSystem = (file: string) => systemFolders.some((folder) => isWithin(file, folder));
const isRoot = ({ file }: Source) => roots.includes(file) || meetsSystem(file);

/** A longer function is printed, since it may hold a second idea; it fails nothing. */
const longFunctionLines = 60;

const tops = ["core", "kv", "routes", "sip"];

const root = new URL("../", import.meta.url);

interface Source {
  file: string;
  text: string;
}

async function* walk(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* walk(new URL(`${name}/`, folder));
    else if (/\.tsx?$/.test(name)) yield new URL(name, folder).href.slice(root.href.length);
  }
}

/** Every source of the product; tests are not. */
async function sources(): Promise<Source[]> {
  const files = (await Array.fromAsync(Deno.readDir(root)))
    .filter(({ name, isFile }) => isFile && name.endsWith(".ts")).map(({ name }) => name);
  for (const folder of tops) {
    files.push(...await Array.fromAsync(walk(new URL(`${folder}/`, root))));
  }
  const read = async (file: string) => ({
    file,
    text: await Deno.readTextFile(new URL(file, root)),
  });
  return await Promise.all(files.map(read));
}

/** Imports of a source: paths from the root of the project, or package names. */
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
  target === name || target.startsWith(`${name}/`);

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf("/"));

/** A line of the map of rooms. */
interface Room {
  room: string;
  /** Rooms it may import, itself among them. */
  imports: string[];
  /** Packages, without a path inside them; `node:` is every module of Node. */
  packages: string[];
}

/** Reads a map of rooms. Throws if a line names a room that is not above it. */
function readFloors(map: string): Room[] {
  const lines = map.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const above: string[] = [];
  return lines.map(([room = "", imported = "", packages = ""]) => {
    const top = room.split("/")[0]!;
    const imports = words(imported).map((name) => {
      const found = [`${top}/${name}`, name].find((one) => above.includes(one));
      if (found === undefined) throw new Error(`${room} imports ${name}, which is not above it`);
      return found;
    });
    above.push(room);
    return { room, imports: [room, ...imports], packages: words(packages) };
  });
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

const rooms = readFloors(floors);

/** The room of a file: its folder, or the nearest folder above that has a line in the map. */
const roomOf = (file: string): Room | undefined =>
  rooms.filter(({ room }) => isWithin(file, room)).sort((one, other) =>
    other.room.length - one.room.length
  )[0];

Deno.test("one module alone uses Deno KV, which is not stable", async () => {
  const uses = (await sources()).filter(({ text }) => /\bDeno\.(Kv|openKv|Atomic)/.test(text));

  assert.deepEqual(uses.map(({ file }) => file), ["kv/engines/deno_kv.ts"]);
});

Deno.test("every room imports only what its line of the map allows", async () => {
  const others = (await sources()).filter(({ file }) =>
    file.includes("/") && !roots.includes(file)
  );
  const wrong = others.flatMap((source) => {
    const room = roomOf(source.file);
    if (room === undefined) return [`${source.file} is in a folder without a line`];
    const isAllowed = (target: string) =>
      tops.some((top) => isWithin(target, top))
        ? room.imports.includes(roomOf(target)?.room ?? "") &&
          (!meetsSystem(target) || isRoot(source))
        : room.packages.some((name) => target === name || target.startsWith(beginning(name)));
    return imports(source).filter((target) => !isAllowed(target))
      .map((target) => `${source.file} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

/** The media engine stands by itself: others import these modules of it alone. */
const facesOfMedia = ["sip/media/mod.ts", "sip/media/sockets.ts"];
/** The modules that the media engine imports of the rest. */
const groundOfMedia = ["core/base", "core/machine/net/names.ts"];

Deno.test("the media engine imports only its ground, and is imported by its faces alone", async () => {
  const all = await sources();
  const isMedia = (file: string) => isWithin(file, "sip/media");
  const inwards = all.filter(({ file }) => !isMedia(file)).flatMap((source) =>
    imports(source).filter((target) => isMedia(target) && !facesOfMedia.includes(target))
      .map((target) => `${source.file} imports ${target}`)
  );
  const outwards = all.filter(({ file }) => isMedia(file)).flatMap((source) =>
    imports(source).filter((target) =>
      tops.some((top) => isWithin(target, top)) && !isMedia(target) &&
      !groundOfMedia.some((name) => isWithin(target, name))
    ).map((target) => `${source.file} imports ${target}`)
  );
  assert.deepEqual([...inwards, ...outwards], []);
});

const beginning = (name: string) => name.endsWith(":") ? name : `${name}/`;

Deno.test("the program that downloads the packages needs none of them", async () => {
  const known = new Map((await sources()).map((source) => [source.file, source]));
  const reached = new Set(["core/machine/start/packages.ts"]);
  const packages: string[] = [];
  for (const file of reached) { // It grows meanwhile.
    for (const target of imports(known.get(file)!)) {
      if (known.has(target)) reached.add(target);
      else if (!target.startsWith("node:")) packages.push(`${file} imports ${target}`);
    }
  }
  // Imported once it is there, by a service that speaks.
  assert.deepEqual(packages, [
    "core/machine/adapters/espeak_package/load_espeak.ts imports @echogarden/espeak-ng-emscripten",
  ]);
});

Deno.test("every line of the map is a room with sources, and allows only what it uses", async () => {
  const used = new Map(rooms.map(({ room }) => [room, new Set<string>()]));
  const seen = new Set<string>();
  for (const source of await sources()) {
    const room = roomOf(source.file)?.room;
    if (room === undefined || roots.includes(source.file)) continue;
    seen.add(room);
    for (const target of imports(source)) used.get(room)!.add(roomOf(target)?.room ?? target);
  }
  const idle = rooms.flatMap(({ room, imports, packages }) =>
    [
      ...imports.filter((name) => name !== room && !used.get(room)!.has(name)),
      ...packages.filter((name) =>
        ![...used.get(room)!].some((one) => one === name || one.startsWith(beginning(name)))
      ),
    ].map((name) => `${room} does not import ${name}`)
  );
  assert.deepEqual(rooms.filter(({ room }) => !seen.has(room)), []);
  assert.deepEqual(idle, []);
});

Deno.test("readFloors() reads names from above, and refuses others", () => {
  const map = `
    a/x |     | zod   | ground
    a/y | x   |       | above
    b   | a/x | node: | roof
  `;
  assert.deepEqual(readFloors(map), [
    { room: "a/x", imports: ["a/x"], packages: ["zod"] },
    { room: "a/y", imports: ["a/y", "a/x"], packages: [] },
    { room: "b", imports: ["b", "a/x"], packages: ["node:"] },
  ]);
  assert.throws(
    () => readFloors("a/x | y | |\na/y | x | |"),
    /a\/x imports y, which is not above it/,
  );
});

Deno.test("no folder imports itself by way of others, types included", async () => {
  const all = (await sources()).filter(({ file }) => !roots.includes(file));
  const counts = new Map<string, Map<string, number>>();
  for (const source of all) {
    const from = folderOf(source.file);
    const to = counts.get(from) ?? new Map<string, number>();
    counts.set(from, to);
    for (const target of imports(source)) {
      const folder = folderOf(target);
      if (folder !== from) to.set(folder, (to.get(folder) ?? 0) + 1);
    }
  }
  const arrows = new Map([...counts].map(([from, to]) => [from, new Set(to.keys())]));
  const wrong = [...counts.keys()].flatMap((folder) => {
    const way = shortestWay(arrows, folder);
    if (way === undefined || way.some((one) => one < folder)) return [];
    const steps = way.slice(1).map((to, at) => ({ from: way[at]!, to }));
    const files = ({ from, to }: { from: string; to: string }) => counts.get(from)!.get(to)!;
    const [cut] = steps.sort((one, other) => files(one) - files(other));
    return [`${way.join(" -> ")}: cut ${cut!.from} -> ${cut!.to} (${files(cut!)} imports)`];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("no file imports itself by way of others, types included", async () => {
  const all = await sources();
  const arrows = new Map(all.map((source) => [source.file, new Set(imports(source))]));
  const wrong = all.flatMap(({ file }) => {
    const way = shortestWay(arrows, file);
    // Each circle is reported once, from its first file.
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
    // Code that listens to peers has time limits of its own.
    const forbidden = file.startsWith("core/") && !file.startsWith("core/machine/net/")
      ? /\bDeno\.\w+|\bDate\.now\(\)|\bconsole\./g
      : /\bDeno\.(?:env|exit|args)\b|\bconsole\./g;
    return [...withoutComments(text).matchAll(forbidden)].map(([found]) => `${file}: ${found}`);
  });
  assert.deepEqual(wrong, []);
});

for (const { file, text } of await sources()) {
  for (const { line, length } of functions(text.split("\n"))) {
    if (length <= longFunctionLines) continue;
    // deno-lint-ignore no-console -- The tests fail by nothing of it.
    console.warn(`Warning: ${file}:${line} is a function of ${length} lines`);
  }
}

Deno.test("there are no default exports, no barrels, and no classes but errors and those with a port", async () => {
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
 * The functions of a formatted source and their numbers of lines, with those of functions inside. A
 * function begins on the line of its name, or of its arrow, and opens its body at the end of a
 * line. It ends at the line that closes it at the same indentation.
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
  return found.map(({ start, end }) => ({ line: start + 1, length: end - start + 1 }));
}

Deno.test("functions() finds where functions begin and end, and counts those inside them", () => {
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
    { line: 1, length: 14 },
    { line: 11, length: 3 },
    { line: 15, length: 5 },
    { line: 21, length: 3 },
  ]);
});

/** A non-null assertion, outside of comments and of `!=`. */
const asserted = /[\w)\]]!(?=[.,;:)\]}\s[]|$)(?!\s*=)|\bas unknown as\b/;
/** A file that calculates with arrays says once why its indexes are within them. */
const indexNote = "// `!` follows indexes that";
/** Lines above an assertion in which its reason may stand. */
const reasonLines = 3;

Deno.test("each assertion of a type that the compiler cannot see has its reason beside it", async () => {
  const bare = (await sources()).flatMap(({ file, text }) => {
    if (text.includes(indexNote)) return [];
    const lines = text.split("\n");
    const hasComment = (line = "") => /\/\/|^\s*(\/?\*)/.test(line);
    return lines.flatMap((line, at) => {
      const code = line.replace(/"(?:[^"\\]|\\.)*"|\/\/.*|^\s*\/?\*.*/g, "");
      if (!asserted.test(code)) return [];
      const near = lines.slice(Math.max(0, at - reasonLines), at + 1);
      return near.some(hasComment) ? [] : [`${file}:${at + 1}: ${line.trim()}`];
    });
  });

  assert.deepEqual(bare, []);
});
