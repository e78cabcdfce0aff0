/** Regular expressions of the sources: literals, and those that are made of strings. */
export interface Found {
  /** Path in the repository, and line. */
  file: string;
  line: number;
  /** Undefined where it is made of strings. */
  literal?: { source: string; flags: string };
}

const root = new URL("../../../", import.meta.url);

/** Folders whose code runs in a process of the product. */
const tops = ["core/", "kv/", "routes/", "sip/"];
/** Libraries for browsers, as they are bundled. */
const foreign = new Set(["routes/softphone/sip.js"]);

/** Yields the paths of sources below a folder; packages that `deno task packages` installed are none. */
async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (name === "node_modules") continue;
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (/\.(?:tsx?|js)$/.test(name) && !foreign.has(folder + name)) yield folder + name;
  }
}

type Node = Deno.lint.Node;

const isRegExp = (callee: Node) => callee.type === "Identifier" && callee.name === "RegExp";

/** Finds those of a text. */
export function expressionsIn(text: string, file: string): Found[] {
  const found: Found[] = [];
  const note = ({ range: [begin] }: Node, literal?: Found["literal"]) =>
    found.push({ file, line: text.slice(0, begin).split("\n").length, ...literal && { literal } });
  const plugin: Deno.lint.Plugin = {
    name: "switchboard",
    rules: {
      expressions: {
        create: () => ({
          Literal(node) {
            if (!("regex" in node) || node.regex === undefined) return;
            const { pattern: source, flags } = node.regex as { pattern: string; flags: string };
            note(node, { source, flags });
          },
          NewExpression(node) {
            if (isRegExp(node.callee)) note(node);
          },
          CallExpression(node) {
            if (isRegExp(node.callee)) note(node);
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, file, text);
  return found;
}

export async function allExpressions(): Promise<Found[]> {
  const found = expressionsIn(await Deno.readTextFile(new URL("main.ts", root)), "main.ts");
  for (const top of tops) {
    for await (const file of sources(top)) {
      found.push(...expressionsIn(await Deno.readTextFile(new URL(file, root)), file));
    }
  }
  return found;
}
