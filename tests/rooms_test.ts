import assert from "node:assert/strict";
import { floors } from "./floors.ts";

/**
 * Pages of rooms: each README.md below `core/`, `sip/`, `kv/` and `routes/` names functions, files and folders
 * that exist, so that a page that a change made wrong fails.
 */
const root = new URL("../", import.meta.url);
const mostLines = 60;

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (name === "node_modules") continue;
    if (isDirectory) yield* walk(`${folder}${name}/`);
    else yield `${folder}${name}`;
  }
}

const files = new Set(["main.ts"]);
for (const top of ["core/", "sip/", "kv/", "routes/", "tests/", "docs/"]) {
  for await (const file of walk(top)) files.add(file);
}
const sources = await Promise.all(
  [...files].filter((file) => /^(core|sip|kv|routes|tests\/support)\/.*\.(tsx?|js)$/.test(file))
    .map((file) => Deno.readTextFile(new URL(file, root))),
);
const functions = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(
      /\b(?:function\*?|const|let|class)\s+(\w+)|^\s+(?:async\s+)?\*?(\w+)\(.*\{$|^\s+(\w+)\(.*\): .*;$/gm,
    )].map(([, declared, method, signature]) => declared ?? method ?? signature!)
  ),
);

/** A path from the root, or the end of a path within the room. */
const isThere = (path: string, room: string): boolean => {
  const isFolder = path.endsWith("/");
  return [...files].some((file) =>
    isFolder
      ? file.startsWith(path) || file.startsWith(room) && file.includes(`/${path}`)
      : file === path || file.startsWith(room) && file.endsWith(`/${path}`)
  );
};

/** Names in a page that nothing has. */
function unknownNames(page: string, text: string): string[] {
  const room = page.slice(0, page.lastIndexOf("/") + 1);
  return [...text.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!).filter((name) => {
    const called = /^(?:\w+\.)?(\w+)\(\)$/.exec(name)?.[1];
    if (called !== undefined) return !functions.has(called);
    if (/^[\w.-]+(\/[\w.-]+)*\.(tsx?|md)$/.test(name) && !/[A-Z]{4}/.test(name)) {
      return !isThere(name, room);
    }
    if (/^[a-z_]+(\/[a-z_]+)*\/$/.test(name)) return !isThere(name, room);
    return false;
  }).map((name) => `${page} names ${name}`);
}

Deno.test("pages of rooms name functions, files and folders that exist, in 60 lines", async () => {
  const wrong: string[] = [];
  for (const page of files) {
    if (!/^(core|sip|kv|routes)\/.*README\.md$/.test(page)) continue;
    const text = await Deno.readTextFile(new URL(page, root));
    wrong.push(...unknownNames(page, text));
    const lines = text.trimEnd().split("\n").length;
    if (lines > mostLines) wrong.push(`${page} has ${lines} lines`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("unknownNames() finds a function, a file and a folder that are gone", () => {
  const text =
    "`takePart()` of `take_part.ts` in `gone/` by `goneFunction()`, `gone.ts`, `a value`";
  assert.deepEqual(unknownNames("core/recordings/README.md", text), [
    "core/recordings/README.md names gone/",
    "core/recordings/README.md names goneFunction()",
    "core/recordings/README.md names gone.ts",
  ]);
});

/** Rooms that have a page of their own; `kv/` and `routes/` have one each for all of theirs. */
const rooms = floors.trim().split("\n").map((line) => line.split("|")[0]!.trim())
  .filter((room) => /^(core|sip)\//.test(room));

Deno.test("every room of core/ and sip/ has a page", () => {
  assert.deepEqual(rooms.filter((room) => !files.has(`${room}/README.md`)), []);
});
